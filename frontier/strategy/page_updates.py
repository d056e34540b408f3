"""From a page's record to the page update of graph, evidence and order.

A running crawl and a resumed one make page updates of the same record here, so both learn the same.
The links of the record count by their flags:

* a link of a page that repeats another page has no matches and no prediction;
* a nofollow link has no weight in the graph, nor has a link that counts on another page, of which
  its page is a double; a link whose words are the topic's weighs more.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from frontier.records import PageRow
from frontier.states import COPIED, TOPICAL, WEIGHTLESS
from ranking.page_update import MATCHES, PageUpdate

_NO_WEIGHTS, _NO_MATCHES = np.empty(0, np.float32), np.empty((0, MATCHES), np.uint8)
_T = TypeVar("_T", np.uint8, np.float32)


def update_of(page: PageRow, topical_weight: float) -> PageUpdate:
    """The page update of a page of the link graph; its arrays may be those of the record."""
    links = page.links
    assert links is not None, "a page of the link graph"
    if not len(links.targets):
        return PageUpdate(
            page.url_id,
            page.relevance or 0.0,
            page.similarity or 0.0,
            links.targets,
            _NO_WEIGHTS,
            links.predicted,
            _NO_MATCHES,
        )
    flags = links.flags
    if links.matches is None:
        matches = np.zeros((len(links.targets), MATCHES), np.uint8)
    else:
        matches = of_originals(links.matches, flags)
    return PageUpdate(
        page.url_id,
        page.relevance or 0.0,
        page.similarity or 0.0,
        links.targets,
        edge_weights(flags, topical_weight),
        of_originals(links.predicted, flags),
        matches,
    )


def edge_weights(flags: NDArray[np.uint8], topical_weight: float) -> NDArray[np.float32]:
    """Weight of each link in the graph: a link without weight discovers but gives no score.

    A link whose text or surroundings are the topic's gives `topical_weight` times as much as
    another link of its page: weighted HITS and PageRank, as in Bharat and Henzinger 1998 and
    Chakrabarti et al. 1998, where anchors and the words around them weigh the links.
    """
    weights: NDArray[np.float32] = _weight_of_flags(topical_weight)[flags]
    return weights


@lru_cache(maxsize=4)
def _weight_of_flags(topical_weight: float) -> NDArray[np.float32]:
    """float32[256]: the weight of a link by its flags."""
    flags = np.arange(256, dtype=np.uint8)
    weights: NDArray[np.float32]
    weights = np.where(flags & TOPICAL, np.float32(topical_weight), np.float32(1))
    weights[(flags & WEIGHTLESS) > 0] = 0
    return weights


def of_originals(values: NDArray[_T], flags: NDArray[np.uint8]) -> NDArray[_T]:
    """Values of k links, (k,) or (k, 6), with 0 for links of pages that repeat another page.

    The same array if there are none.
    """
    copied = (flags & COPIED) > 0
    if not copied.any():
        return values
    kept: NDArray[_T] = values.copy()
    kept[copied] = 0
    return kept
