"""What a page says of a URL it links to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frontier.store import REPEATED, TOPICAL
from ranking.lesson import CUE_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.store import Links, PageRow, StoreReader


class LinkWords(NamedTuple):
    """A page, and what it says of a URL it links to; of several links the best words of each."""

    title: str | None
    relevance: float | None
    similarity: float | None
    """Of the page and the topic, in [0, 1]; None where not kept."""
    anchor: str
    context: str
    cues: tuple[float, float, float] | None
    """How far anchor, context and address are the topic's, in [0, 1]; None where not kept."""
    repeated: bool
    """Whether the page's host had said all of it before, so that it counts no more."""
    topical: bool
    """Whether a link weighs more in the graph for its words."""


def link_words(reader: StoreReader, source: int, target: int) -> LinkWords:
    """Return what the links from a page, one at least, to a URL say."""
    page = reader.linking_page(source)
    assert page is not None
    assert page.links is not None
    words = _words_of(page, page.links, target)
    if page.links.anchors is not None:
        return words
    # Of an older crawl only the text by which a URL was found first is known.
    row = reader.url_row(target)
    found = row.anchor if row is not None and row.referrer == source else None
    return words._replace(anchor=found or "")


def _words_of(page: PageRow, links: Links, target: int) -> LinkWords:
    places = np.flatnonzero(links.targets == target)
    said, anchors = links.said, links.anchors
    cues, contexts = None, None
    if said is not None:
        places = places[np.argsort(-said.cues[places].max(axis=1), kind="stable")]
        cues = tuple((said.cues[places].max(axis=0) / CUE_STEPS).tolist())
        contexts = said.contexts
    return LinkWords(
        title=page.title,
        relevance=page.relevance,
        similarity=page.similarity,
        anchor=_first(anchors, places),
        context=_first(contexts, places),
        cues=cues,
        repeated=bool((links.flags[places] & REPEATED).all()),
        topical=bool((links.flags[places] & TOPICAL).any()),
    )


def _first(texts: tuple[str, ...] | None, places: NDArray[np.int64]) -> str:
    """The first text that says anything."""
    return "" if texts is None else next((texts[at] for at in places if texts[at]), "")
