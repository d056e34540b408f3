"""Two crawls side by side: what they share, what each fetched earlier, what only one has.

Two crawls know a URL by the same fingerprint if they have the same random seed; else by that of its
canonical URL under the other's key, for which all their URLs are read and hashed. A request that is
known by more than its URL (a POST, say) has no counterpart in a crawl with another key.

The records hold what JSON can say. Places count fetched pages from 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from frontier.inspection.reports import PERCENT, Report
from frontier.inspection.resumed import stored_config
from frontier.store import StoreReader
from frontier.urls.canonical import fingerprint

_NOWHERE = -1


@dataclass(frozen=True)
class Crawled(Report):
    """One of the two in numbers.

    `relevant` counts the `judged` pages of at least `relevant_from`, as its topic model judges;
    `relevant_share` is their quotient, `early_relevant_share` that of the pages both crawls have
    been long enough to fetch.
    """

    directory: str
    strategy: str
    topic: str
    examples: str
    random_seed: int
    pages: int
    known: int
    judged: int
    relevant: int
    relevant_from: float
    relevant_share: float | None = field(metadata=PERCENT)
    early_relevant_share: float | None = field(metadata=PERCENT)


@dataclass(frozen=True)
class Missed(Report):
    """A relevant page that the other crawl did not fetch; `known` if at least it met the URL."""

    relevance: float
    place: int
    known: bool
    url: str
    title: str | None


@dataclass(frozen=True)
class Overlap(Report):
    """Counts of the pages of one crawl, looked up in the other.

    Attributes:
        crawl: A or B.
        fetched_too: the other fetched them; of these, those it fetched at a later place are
            `earlier` here, those it fetched at an earlier one `later`.
        known_only: the other knows the URL and has no page of it.
        never_met: the other does not know the URL.
        relevant_too: the other fetched them and found them relevant.
        judged_otherwise: the other fetched them and did not.
        relevant_missed: the other did not fetch them.

    """

    crawl: str
    pages: int
    fetched_too: int
    earlier: int
    later: int
    known_only: int
    never_met: int
    relevant: int
    relevant_too: int
    judged_otherwise: int
    relevant_missed: int


@dataclass(frozen=True)
class Comparison(Report):
    """Two crawls, A and B.

    Attributes:
        crawls: A, B.
        shared: pages that both fetched.
        early_pages: over how many pages the early shares are.
        same_topic: what is relevant means the same in both.
        overlaps: pages of A in B, pages of B in A.
        only_a, only_b: the most relevant pages that the other did not fetch.

    """

    shared: int
    early_pages: int
    same_topic: bool
    crawls: tuple[Crawled, Crawled]
    overlaps: tuple[Overlap, Overlap]
    only_a: tuple[Missed, ...]
    only_b: tuple[Missed, ...]


def compare(one: Path, other: Path, listed: int = 5) -> Comparison:
    """Compare the crawls in two directories, finished or running; they may be the same.

    Each list names at most `listed` pages. Raises what `StoreReader.open` does, and
    StoreMissingError where no crawl has begun.
    """
    with StoreReader.open(one) as first, StoreReader.open(other) as second:
        a, b = _Fetched(first), _Fetched(second)
        overlaps = _overlap("A", a, b), _overlap("B", b, a)
        early = min(len(a.ids), len(b.ids))
        return Comparison(
            crawls=(_crawled(a, early), _crawled(b, early)),
            shared=overlaps[0].fetched_too,
            early_pages=early,
            same_topic=_subject(a) == _subject(b),
            overlaps=overlaps,
            only_a=_missed(a, b, listed),
            only_b=_missed(b, a, listed),
        )


class _Fetched:
    """A crawl of n URLs, m of them fetched.

    Attributes:
        config: what the crawl was asked to do.
        ids: (m,) of the fetched URLs in the order of their first fetch.
        relevance: (m,) of these, NaN where it was not judged.
        place: (n,) what number of a page each URL was, from 0; _NOWHERE if it was not fetched.

    """

    def __init__(self, reader: StoreReader) -> None:
        self.config = stored_config(reader)
        self.reader = reader
        self.fingerprints = reader.identities()
        self.ids, self.relevance = reader.fetches(len(self.fingerprints))
        self.place = np.full(len(self.fingerprints), _NOWHERE, np.int64)
        self.place[self.ids] = np.arange(len(self.ids))

    def relevant(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(k,) whether fetched ids (k,) were judged relevant by this crawl."""
        judged: NDArray[np.bool_] = self.relevance[self.place[ids]] >= self.config.relevant
        return judged

    def in_other(self, other: _Fetched) -> NDArray[np.int64]:
        """(m,) ids that the fetched URLs have in another crawl; _NOWHERE if it never met them."""
        found = np.full(len(self.ids), _NOWHERE, np.int64)
        if not len(other.fingerprints):
            return found
        numbers, usable = self._numbers_for(other.config.fingerprint_key)
        order, ascending = other._by_fingerprint
        places = np.minimum(ascending.searchsorted(numbers), len(ascending) - 1)
        hit = usable & (ascending[places] == numbers)
        found[hit] = order[places[hit]]
        return found

    def urls(self, ids: NDArray[np.int64]) -> list[str]:
        """Return canonical URLs."""
        return self.reader.canonical_urls_of(ids.tolist())

    def _numbers_for(self, key: bytes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(m,) fingerprints under a key, and which of them the URL alone determines."""
        own = self.fingerprints[self.ids]
        if key == self.config.fingerprint_key:
            return own, np.ones(len(own), np.bool_)
        urls = self.urls(self.ids)
        plain = [fingerprint(url, self.config.fingerprint_key) for url in urls]
        there = [fingerprint(url, key) for url in urls]
        return np.array(there, np.int64), np.array(plain, np.int64) == own

    @cached_property
    def _by_fingerprint(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.fingerprints)
        return order, self.fingerprints[order]


def _subject(crawl: _Fetched) -> tuple[str, ...]:
    config = crawl.config
    kinds = config.examples, config.not_examples
    return config.topic, *kinds, config.topic_model, str(config.relevant)


def _crawled(crawl: _Fetched, early: int) -> Crawled:
    config = crawl.config
    judged = ~np.isnan(crawl.relevance)
    relevant = crawl.relevance >= config.relevant
    return Crawled(
        directory=str(crawl.reader.path.parent),
        strategy=config.strategy,
        topic=config.topic,
        examples=config.examples,
        random_seed=config.random_seed,
        pages=len(crawl.ids),
        known=len(crawl.fingerprints),
        judged=int(judged.sum()),
        relevant=int(relevant.sum()),
        relevant_from=config.relevant,
        relevant_share=_share(relevant, judged),
        early_relevant_share=_share(relevant[:early], judged[:early]),
    )


def _share(relevant: NDArray[np.bool_], judged: NDArray[np.bool_]) -> float | None:
    return float(relevant.sum() / judged.sum()) if judged.any() else None


def _overlap(name: str, own: _Fetched, other: _Fetched) -> Overlap:
    there = own.in_other(other)
    places = np.full(len(there), _NOWHERE, np.int64)
    places[there != _NOWHERE] = other.place[there[there != _NOWHERE]]
    shared = places != _NOWHERE
    lead = np.where(shared, places - own.place[own.ids], 0)
    relevant = own.relevant(own.ids)
    alike = relevant & shared
    alike[alike] = other.relevant(there[alike])
    counts = {
        "fetched_too": shared,
        "earlier": lead > 0,
        "later": lead < 0,
        "known_only": (there != _NOWHERE) & ~shared,
        "never_met": there == _NOWHERE,
        "relevant": relevant,
        "relevant_too": alike,
        "judged_otherwise": relevant & shared & ~alike,
        "relevant_missed": relevant & ~shared,
    }
    return Overlap(
        crawl=name,
        pages=len(own.ids),
        **{what: int(which.sum()) for what, which in counts.items()},
    )


def _missed(own: _Fetched, other: _Fetched, listed: int) -> tuple[Missed, ...]:
    """The most relevant pages that the other did not fetch, and whether it met their URLs."""
    there = own.in_other(other)
    fetched = (there != _NOWHERE) & (other.place[there] != _NOWHERE)
    at = np.flatnonzero(own.relevant(own.ids) & ~fetched)
    at = at[np.argsort(-own.relevance[at], kind="stable")[:listed]]
    ids = own.ids[at]
    pages = [own.reader.page_row(url_id) for url_id in ids.tolist()]
    return tuple(
        Missed(
            relevance=float(own.relevance[place]),
            place=place + 1,
            known=bool(there[place] != _NOWHERE),
            url=url,
            title=None if page is None else page.title,
        )
        for url, page, place in zip(own.urls(ids), pages, at.tolist(), strict=True)
    )
