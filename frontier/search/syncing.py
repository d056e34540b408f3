"""From the store to the index: link texts, numbers, and removal of pages that are gone.

A term of link texts counts once for each registered domain, the page's own domain included, however
many of its pages and hosts use it: the owner of a domain can write any number of pages.

Only committed data is read, also beside a running crawl, and only differences are written. It takes
about as long as reading all links once, so a running crawl does it now and then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.backend.bad_pages import BadPages
from frontier.errors import FrontierError, SearchError
from frontier.search.index import PageNumbers
from frontier.search.words import stem, term_list
from frontier.states import REDIRECT, WEIGHTLESS, Mark, State
from frontier.store.schema import IDENTITY, SCORES
from frontier.urls.domains import registered_domain
from ranking.orders import saved_score

if TYPE_CHECKING:
    from frontier.search.index import SearchIndex
    from frontier.store import StoreReader
    from frontier.store.reader import LastAnswers

WITHOUT_LINK_TEXTS: Final = (
    Mark.DUPLICATE | Mark.NEAR_DUPLICATE | Mark.CANONICAL_ELSEWHERE | Mark.NOFOLLOW | Mark.SOFT_404
)
"""Marks of pages whose link texts count nothing."""
FOLDED: Final = Mark.DUPLICATE | Mark.NEAR_DUPLICATE | Mark.CANONICAL_ELSEWHERE
_OF_DOMAIN = 12  # terms of a domain; longer texts are teasers
_DOMAINS = 100  # domains of a page that count
_TEXTS = 200  # distinct texts of a domain for a page that count
_PAGES = 200  # pages whose links are read at a time
_TARGETS = 100_000  # pages whose link texts are in memory at a time, about 1 kB each
_HOPS = 2  # rounds of following redirects, each doubling their number


class Synced(NamedTuple):
    """The result of a sync: number of removed pages, and of pages with link texts."""

    removed: int
    linked: int


def is_shown(answers: LastAnswers) -> NDArray[np.bool_]:
    """(n,) whether a URL is a page by its last answer, and not noindex."""
    hidden = (answers.marks & Mark.NOINDEX) > 0
    shown: NDArray[np.bool_] = (answers.states == State.CRAWLED) & ~hidden
    return shown


def sync(index: SearchIndex, reader: StoreReader) -> Synced:
    """Update link texts and numbers, and remove pages that are gone.

    A page is gone if its last answer is no page, or noindex. Raises SearchError for the index of
    another crawl.
    """
    _check_crawl(index, reader)
    answers = reader.last_answers()
    shown = is_shown(answers)
    ids = index.ids()
    ids = ids[ids < len(shown)]  # newer pages stay, and so do those without an answer
    gone = ~shown[ids] & (answers.states[ids] != State.QUEUED)
    index.remove(ids[gone].tolist())
    ids = ids[~gone]
    scores = _scores(reader, len(shown))
    index.set_numbers(_numbers(ids, answers, scores))
    silent = (answers.states != State.CRAWLED) | ((answers.marks & WITHOUT_LINK_TEXTS) > 0)
    silent |= scores == 0  # no path leads there from the seeds
    source = _Source(reader, silent)
    linked = index.linked_ids()
    for at in range(0, len(ids), _TARGETS):
        slice_ = ids[at : at + _TARGETS]
        texts = dict.fromkeys(linked.intersection(slice_.tolist()), "")
        texts.update(merged(source.links_to(slice_)))
        index.set_links(texts)
    index.note("missing", str(int(shown.sum() - shown[ids].sum())))
    return Synced(int(gone.sum()), len(index.linked_ids()))


def _check_crawl(index: SearchIndex, reader: StoreReader) -> None:
    if reader.started() is None:
        return  # the crawl has no URL yet
    started = repr(reader.started())
    of = index.note("crawl")
    if of is None:
        index.note("crawl", started)
    elif of != started:
        raise SearchError(
            f"{index.path} is the index of another crawl than {reader.path}. Remove it and make "
            f"it anew: scrapy frontier index {index.path.parent} --warc FILE."
        )


def _scores(reader: StoreReader, n: int) -> NDArray[np.float64]:
    """(n,) scores of the last epoch, NaN without one."""
    scores = np.full(n, np.nan)
    saved = reader.saved_arrays(SCORES)[0]
    name = saved_score(saved)
    if name is not None:
        known = saved[name][:n]
        scores[: len(known)] = known
    return scores


def _numbers(
    ids: NDArray[np.int64], answers: LastAnswers, scores: NDArray[np.float64]
) -> dict[int, PageNumbers]:
    own = scores[ids]
    ranked = np.sort(own[~np.isnan(own)])
    shares = np.searchsorted(ranked, own) / max(len(ranked) - 1, 1)
    twins = np.where(answers.marks[ids] & FOLDED, answers.twins[ids], -1)
    columns = shares.clip(0, 1), own, answers.relevance[ids], twins
    return {
        url_id: PageNumbers(
            None if np.isnan(score) else share,
            None if np.isnan(relevance) else relevance,
            None if twin < 0 else twin,
        )
        for url_id, share, score, relevance, twin in zip(
            ids.tolist(), *(column.tolist() for column in columns), strict=True
        )
    }


class _Source:
    """The links of a crawl whose texts count, with the domains of their pages."""

    def __init__(self, reader: StoreReader, silent: NDArray[np.bool_]) -> None:
        self._reader, self._silent = reader, silent
        self._names = reader.hosts()
        self._answers = reader.count_answers()
        self._target = np.arange(len(silent))
        moved, to = reader.redirects()
        inside = (moved < len(silent)) & (to < len(silent))
        self._target[moved[inside]] = to[inside]
        for _ in range(_HOPS):
            self._target = self._target[self._target]
        self._bad = BadPages()
        with suppress(FrontierError):  # the file of bad pages may be missing
            self._bad = BadPages.by_file(reader.settings().get(IDENTITY, {}).get("distrust", ""))

    def links_to(self, ids: NDArray[np.int64]) -> Iterator[tuple[int, str, str]]:
        """Yield (target, registered domain of the page, text) of the links to some pages."""
        wanted = np.zeros(len(self._target), np.bool_)
        wanted[ids] = True
        for first in range(0, self._answers, _PAGES):
            last = min(first + _PAGES, self._answers) - 1
            pages = [
                (page, links)
                for page, links in self._reader.edge_range(first, last, self._answers)
                if page < len(wanted) and not self._silent[page] and links.anchors
            ]
            urls = self._reader.fetch_urls(page for page, _ in pages)
            for page, links in pages:
                if self._bad and urls[page].url in self._bad:
                    continue
                targets = self._target[links.targets.clip(max=len(wanted) - 1)]
                counts = wanted[targets] & ((links.flags & (WEIGHTLESS | REDIRECT)) == 0)
                counts &= links.targets < len(wanted)
                domain = registered_domain(self._names[urls[page].host])
                assert links.anchors is not None
                for at in np.flatnonzero(counts).tolist():
                    if links.anchors[at]:
                        yield int(targets[at]), domain, links.anchors[at]


def merged(links: Iterable[tuple[int, Hashable, str]]) -> Iterator[tuple[int, str]]:
    """Yield (target, terms of its link texts) of links (target, domain, text).

    Terms are joined by blanks; targets without terms are left out.
    """
    texts_of: dict[int, dict[Hashable, Counter[str]]] = {}
    for target, domain, text in links:
        domains = texts_of.setdefault(target, {})
        texts = domains.get(domain)
        if texts is None:
            if len(domains) >= _DOMAINS:
                continue
            texts = domains[domain] = Counter()
        if text in texts or len(texts) < _TEXTS:
            texts[text] += 1
    for target, domains in texts_of.items():
        terms = " ".join(filter(None, map(_of_domain, domains.values())))
        if terms:
            yield target, terms


def _of_domain(texts: Counter[str]) -> str:
    terms: dict[str, str] = {}
    for text, _ in texts.most_common():
        for term in term_list(text):
            terms.setdefault(stem(term), term)
        if len(terms) >= _OF_DOMAIN:
            break
    return " ".join(list(terms.values())[:_OF_DOMAIN])
