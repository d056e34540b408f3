"""The links to a URL, and what each of them carries.

A link counts for its target by the relevance of its page and by its words. It carries the mean of
its shares in the two, without a sum that is zero: a measure for people, which no order computes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontier.inspection.reports import BELOW, PERCENT, Report, number_or_none
from frontier.inspection.resumed import Known
from frontier.states import COPIED, NOFOLLOW, REDIRECT, TOPICAL, WEIGHTLESS
from frontier.store import StoreReader


@dataclass(frozen=True)
class Part(Report):
    """A piece of evidence and what it adds; `usual` is what it adds to others in the frontier.

    `usual` is None for a requested URL, and for evidence that is not added.
    """

    adds: float
    usual: float | None
    evidence: str

    @property
    def telling(self) -> float:
        """How far it sets the URL apart, >= 0."""
        return abs(self.adds - (self.usual or 0.0))


@dataclass(frozen=True)
class LinkSource(Report):
    """A page that links to the URL, and what its link carries.

    Attributes:
        carries: share of all links to the URL, the mean of its shares in the relevance of the
            linking pages and in the words of the links.
        relevance: of the linking page.
        words: predicted relevance by the words of the link.
        topical: whether its words make it weigh more in the link graph.
        anchor, context: the words themselves; None without, and where they were not kept.
        topic_words: the words that count for the topic; their values add up to the odds of `words`
            by the topic model of now, words / (1 - words).

    """

    carries: float = field(metadata=PERCENT)
    relevance: float | None
    words: float
    nofollow: bool
    redirect: bool
    topical: bool
    url: str
    anchor: str | None = field(metadata=BELOW)
    context: str | None = field(metadata=BELOW)
    topic_words: tuple[Part, ...] = field(default=(), metadata=BELOW)


@dataclass(frozen=True, eq=False)
class InLinks:
    """The k links to a URL, one a page, in the order in which the pages were fetched.

    Attributes:
        target: id of the URL.
        sources: (k,) ids of the pages.
        predicted: (k,) in [0, 1], 0 where its page repeats another page; of several links from one
            page that of the best followed link.
        flags: (k,) of that link.
        relevance: (k,) of the pages, 0 where it was not judged.

    """

    target: int
    sources: NDArray[np.int64]
    predicted: NDArray[np.float64]
    flags: NDArray[np.uint8]
    relevance: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def followed(self) -> NDArray[np.bool_]:
        """(k,) whether the page vouches for the URL."""
        followed: NDArray[np.bool_] = (self.flags & WEIGHTLESS) == 0
        return followed

    @property
    def carried(self) -> NDArray[np.float64]:
        """(k,) what each link carries; the sum is 1."""
        vouched = np.where(self.followed, self.relevance, 0.0)
        kinds = [values for values in (vouched, self.predicted) if values.sum() > 0]
        if not kinds:
            return np.full(len(self), 1 / max(len(self), 1))
        carried: NDArray[np.float64] = np.mean([values / values.sum() for values in kinds], axis=0)
        return carried


def in_links(reader: StoreReader, known: Known, url_id: int) -> InLinks:
    """Return the known links to a URL."""
    pages = reader.load_to_inspect().pages if known.pages is None else known.pages
    at = np.flatnonzero(pages.links.targets == url_id)
    sources = pages.ids[np.searchsorted(pages.indptr, at, side="right") - 1].astype(np.int64)
    predicted = pages.links.predicted[at].astype(np.float64)
    flags = pages.links.flags[at]
    predicted[(flags & COPIED) > 0] = 0
    # Of several links from one page a followed link before others, then the best prediction.
    order = np.lexsort((-predicted, (flags & WEIGHTLESS) > 0, sources))
    _, first = np.unique(sources[order], return_index=True)
    at = np.sort(order[first])
    return InLinks(
        target=url_id,
        sources=sources[at],
        predicted=predicted[at],
        flags=flags[at],
        relevance=known.driver.evidence.relevance[sources[at]].astype(np.float64),
    )


def link_sources(reader: StoreReader, links: InLinks, shown: int) -> list[LinkSource]:
    """Return up to `shown` links that carry most, the best first; ties in order of discovery."""
    carried = links.carried
    best = np.argsort(-carried, kind="stable")[:shown].tolist()
    urls = reader.urls_of(links.sources[best].tolist())
    return [
        LinkSource(
            carries=float(carried[at]),
            words=float(links.predicted[at]),
            nofollow=bool(links.flags[at] & NOFOLLOW),
            redirect=bool(links.flags[at] & REDIRECT),
            url=url,
            **_words_of(reader, int(links.sources[at]), links.target),
        )
        for at, url in zip(best, urls, strict=True)
    ]


def _words_of(reader: StoreReader, source: int, target: int) -> dict[str, Any]:
    """Return the words of the links from a page to a URL, of several the best."""
    page = reader.linking_page(source)
    assert page is not None
    assert page.links is not None
    places = np.flatnonzero(page.links.targets == target)
    matches = page.links.matches
    if matches is not None:
        places = places[np.argsort(-matches[places].max(axis=1), kind="stable")]
    flags = page.links.flags[places]
    return {
        "relevance": number_or_none(page.relevance),
        "topical": bool((flags & TOPICAL).any()),
        "anchor": _first(page.links.anchors, places),
        "context": _first(page.links.contexts, places),
    }


def _first(texts: tuple[str, ...] | None, places: NDArray[np.int64]) -> str | None:
    """The first text that is not empty."""
    return None if texts is None else next((texts[at] for at in places if texts[at]), None)
