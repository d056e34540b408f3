"""The links to a URL, and what each of them carries.

A link speaks for its target by the relevance of its page, by its words, and by the link score it
hands over. What it carries is the mean of its shares in the three, of those that are anything at
all: a measure for people, which no order computes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.inspection.explain.records import Carrier
from frontier.inspection.reports import number_or_none
from frontier.inspection.resumed import Known
from frontier.records import Links, PageRecord
from frontier.states import NOFOLLOW, REDIRECT, WEIGHTLESS
from frontier.store import StoreReader
from frontier.store.link_text import REPEATED, TOPICAL
from ranking.lesson import CUE_STEPS

MOST_READ = 200
"""Links whose words are read: those that carry most without them."""


@dataclass(frozen=True, eq=False)
class InLinks:
    """The k links to a URL, one a page, in the order in which the pages were fetched.

    Attributes:
        target: id of the URL.
        sources: (k,) ids of the pages.
        answers: (k,) number of the answer that first brought each link.
        promise: (k,) in [0, 1], 0 where it repeats its host's words; of several links from one
            page that of the best, a followed one.
        flags: (k,) of that link.
        relevance: (k,) of the pages, 0 where it was not judged.
        handed: (k,) link score that each hands to the URL, 0 in an order without.

    """

    target: int
    sources: NDArray[np.int64]
    answers: NDArray[np.int64]
    promise: NDArray[np.float64]
    flags: NDArray[np.uint8]
    relevance: NDArray[np.float64]
    handed: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def followed(self) -> NDArray[np.bool_]:
        """(k,) whether the page vouches for the URL."""
        followed: NDArray[np.bool_] = (self.flags & WEIGHTLESS) == 0
        return followed

    def of(self, answered: NDArray[np.bool_]) -> InLinks:
        """Those that were known when these answers (m,) had come, by their numbers."""
        kept = answered[self.answers]
        columns = "sources", "answers", "promise", "flags", "relevance", "handed"
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})


def in_links(reader: StoreReader, known: Known, url_id: int) -> InLinks:
    """Read who links to a URL; reads all links, about 1 s for 10 million of them."""
    found = reader.in_links(url_id)
    inside = found.sources < known.n  # beside a running crawl the links may be the newer ones
    answers, sources, promise, flags = (
        found.answers[inside],
        found.sources[inside],
        found.promises[inside].astype(np.float64),
        found.flags[inside],
    )
    promise[(flags & REPEATED) > 0] = 0
    # Of several links from one page a followed one before others, then the best promise.
    order = np.lexsort((-promise, (flags & WEIGHTLESS) > 0, sources))
    _, first = np.unique(sources[order], return_index=True)
    at = np.sort(order[first])
    sources = sources[at]
    return InLinks(
        target=url_id,
        sources=sources,
        answers=answers[at],
        promise=promise[at],
        flags=flags[at],
        relevance=known.driver.evidence.relevance[sources].astype(np.float64),
        handed=_handed(known, url_id, sources.tolist()),
    )


def _handed(known: Known, url_id: int, sources: list[int]) -> NDArray[np.float64]:
    """Link score that each page hands to a URL, by the weights of its links."""
    scores = known.driver.order.scores.get("score")
    if scores is None:
        return np.zeros(len(sources))
    return np.array([scores[page] * _part(known, page, url_id) for page in sources], np.float64)


def _part(known: Known, page: int, url_id: int) -> float:
    targets, weights = known.driver.graph.links(page)
    to_url = targets == url_id
    if weights is None:
        return float(to_url.sum() / len(targets)) if len(targets) else 0.0
    total = float(weights.sum())
    return float(weights[to_url].sum()) / total if total else 0.0


def carriers(reader: StoreReader, links: InLinks, shown: int) -> tuple[Carrier, ...]:
    """Return up to `shown` links that carry most, those first; equal ones as they were found."""
    if not len(links):
        return ()
    foremost = _best(_carried(links, links.promise), max(shown, MOST_READ))
    words = [link_words(reader, int(links.sources[at]), links.target) for at in foremost]
    spoken = links.promise.copy()
    spoken[foremost] = [
        _spoken(said, float(links.promise[at])) for at, said in zip(foremost, words, strict=True)
    ]
    carried = _carried(links, spoken)
    read = dict(zip(foremost.tolist(), words, strict=True))
    best = [at for at in _best(carried, len(links)).tolist() if at in read][:shown]
    shares = _shares(links.handed)
    urls = reader.urls_of(links.sources[best].tolist())
    return tuple(
        Carrier(
            url=url,
            carries=float(carried[at]),
            promise=float(links.promise[at]),
            score_share=None if shares is None else float(shares[at]),
            nofollow=bool(links.flags[at] & NOFOLLOW),
            redirect=bool(links.flags[at] & REDIRECT),
            **read[at]._asdict(),
        )
        for at, url in zip(best, urls, strict=True)
    )


def _spoken(said: LinkWords, promise: float) -> float:
    """What the words of a link are worth to an order; without any, its promise."""
    if said.repeated:
        return 0.0
    cues = (said.anchor_cue, said.context_cue, said.address_cue)
    return max((cue for cue in cues if cue is not None), default=promise)


def _best(values: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    return np.argsort(-values, kind="stable")[:n]


def _carried(links: InLinks, words: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k,) shares that sum to 1."""
    vouched = np.where(links.followed, links.relevance, 0.0)
    known = [share for share in map(_shares, (vouched, words, links.handed)) if share is not None]
    if not known:
        return np.full(len(links), 1 / len(links))
    carried: NDArray[np.float64] = np.mean(known, axis=0)
    return carried


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Parts of the sum; None where all are 0."""
    total = values.sum()
    return values / total if total > 0 else None


class LinkWords(NamedTuple):
    """A page, and what it says of a URL it links to, as in `Carrier`; of several links the best."""

    title: str | None
    relevance: float | None
    similarity: float | None
    anchor_cue: float | None
    context_cue: float | None
    address_cue: float | None
    repeated: bool
    topical: bool
    anchor: str | None
    context: str | None


def link_words(reader: StoreReader, source: int, target: int) -> LinkWords:
    """Return what the links from a page, one at least, to a URL say."""
    page = reader.linking_page(source)
    assert page is not None
    assert page.links is not None
    words = _words_of(page, page.links, target)
    if page.links.anchors is not None:
        return words
    # Of a salvaged crawl only the text by which a URL was found first may be known.
    row = reader.url_row(target)
    found = row.anchor if row is not None and row.referrer == source else None
    return words._replace(anchor=found or None)


def _words_of(page: PageRecord, links: Links, target: int) -> LinkWords:
    places = np.flatnonzero(links.targets == target)
    said = links.said
    cues: list[float | None] = [None, None, None]
    if said is not None:
        places = places[np.argsort(-said.cues[places].max(axis=1), kind="stable")]
        cues = (said.cues[places].max(axis=0) / CUE_STEPS).tolist()
    return LinkWords(
        title=page.title,
        relevance=number_or_none(page.relevance),
        similarity=page.similarity,
        anchor_cue=cues[0],
        context_cue=cues[1],
        address_cue=cues[2],
        repeated=bool((links.flags[places] & REPEATED).all()),
        topical=bool((links.flags[places] & TOPICAL).any()),
        anchor=_first(links.anchors, places),
        context=_first(None if said is None else said.contexts, places),
    )


def _first(texts: tuple[str, ...] | None, places: NDArray[np.int64]) -> str | None:
    """The first text that says anything."""
    return None if texts is None else next((texts[at] for at in places if texts[at]), None)
