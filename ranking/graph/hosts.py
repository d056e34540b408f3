"""The page graph folded to hosts, and back.

A host is an integer: `hosts[page]` may as well number registered domains, sites or languages.
Folding gives a GraphView over hosts, which every ranking takes as it takes pages:

    A'_XY = Σ A_ij over pages i of host X, j of host Y ≠ X

Links within a host vouch for nobody else and are dropped. What a link adds is the choice of the
function: `fold_links` counts followed links (pairs of pages), `fold_weights` sums their weights,
`fold_pages` counts the linking pages, so that a page with links to every page of Y counts once
(the source consensus of Caverlee and Liu 2007, Countering web spam with credibility-based link
analysis). Hosts joined by nofollow links only keep a link of weight 0: known, without score.

Without folding, `discount_internal` lets links within a host count for less (Bharat and Henzinger
1998, Improved algorithms for topic distillation, drop them: factor 0).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import (
    FloatArray,
    IntArray,
    LongArray,
    SingleArray,
    as_fraction,
    as_ids,
    as_values,
)
from ranking.errors import RankingInputError
from ranking.graph import _hosts
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import CleanView, GraphView

NONE_YET = -1


def fold_links(graph: LinkGraph | GraphView, hosts: npt.ArrayLike) -> GraphView:
    """Hosts as pages; weight = number of followed links between pages of the two hosts.

    Args:
        graph: n ids.
        hosts: (n,) integers >= 0, the host of each id; they become the ids of the result.

    Returns:
        A graph of max(hosts) + 1 ids; hosts with a fetched page are its pages, in id order.

    Raises:
        RankingInputError: hosts of another length or negative.

    """
    folding = _Folding(graph.snapshot(), hosts)
    weights = folding.view.weights
    followed = None if weights is None else (weights > 0).astype(np.float32)
    return folding.result(folding.filled(followed))


def fold_weights(graph: LinkGraph | GraphView, hosts: npt.ArrayLike) -> GraphView:
    """Like `fold_links`; weight = sum of the weights of the links."""
    folding = _Folding(graph.snapshot(), hosts)
    return folding.result(folding.filled(folding.view.weights))


def fold_pages(graph: LinkGraph | GraphView, hosts: npt.ArrayLike) -> GraphView:
    """Like `fold_links`; weight = number of pages of the one host that link to the other."""
    folding = _Folding(graph.snapshot(), hosts)
    last = np.full(folding.n_hosts, NONE_YET, np.int32)
    return folding.result(folding.filled(folding.view.weights, last))


def fold(graph: LinkGraph | GraphView, hosts: npt.ArrayLike) -> GraphView:
    """`fold_links`, the usual one: what the Common Crawl's host graph is with weights."""
    return fold_links(graph, hosts)


def discount_internal(
    graph: LinkGraph | GraphView, hosts: npt.ArrayLike, factor: float
) -> GraphView:
    """The page graph with the weight of every link within a host multiplied by `factor`.

    Args:
        graph: n ids.
        hosts: (n,) integers >= 0, the host of each id.
        factor: in [0, 1]; 0 makes them nofollow.

    Raises:
        RankingInputError: hosts of another length or negative, a factor out of range.

    """
    view = graph.snapshot()
    of_page, factor = _as_hosts(hosts, view.n), as_fraction("factor", factor)
    weights = np.ones(view.n_links, np.float32)
    if view.weights is not None:
        weights[:] = view.weights
    _hosts.discount(view.pages, view.indptr, view.targets, of_page, factor, weights)
    return CleanView(view.n, view.pages, view.indptr, view.targets, weights)


def spread_back(
    host_scores: npt.ArrayLike, hosts: npt.ArrayLike, within: npt.ArrayLike | None = None
) -> FloatArray:
    """Scores of hosts shared out among their pages.

    Args:
        host_scores: (h,) finite numbers >= 0.
        hosts: (n,) integers in [0, h), the host of each id.
        within: (n,) finite numbers >= 0, such as page scores: a page gets its share of what its
            host's pages have together. None, and where all pages of a host have 0: alike.

    Returns:
        (n,) float64 with the sum of the scores of hosts that have an id.

    Raises:
        RankingInputError: arrays that do not fit together or are out of range.

    """
    of_page = as_ids("hosts", hosts)
    scores = as_values("host_scores", host_scores, len(np.atleast_1d(np.asarray(host_scores))))
    if of_page.size and of_page.max() >= len(scores):
        raise RankingInputError(
            f"hosts must be below {len(scores)}, the number of host_scores; got {of_page.max()}"
        )
    n, count = len(of_page), len(scores)
    share = np.ones(n) if within is None else as_values("within", within, n).astype(np.float64)
    share /= share.max(initial=0) or 1.0
    total = np.bincount(of_page, share, count)
    share[total[of_page] == 0] = 1
    return np.asarray(scores[of_page] * share / np.bincount(of_page, share, count)[of_page])


class Folded(NamedTuple):
    """Target hosts (K,) and sums (K,) of all source hosts, one after the other."""

    targets: IntArray
    sums: FloatArray


class _Folding:
    """The rows of a page graph, grouped by host."""

    def __init__(self, view: GraphView, hosts: npt.ArrayLike) -> None:
        self.view, self._of_page = view, _as_hosts(hosts, view.n)
        self.n_hosts = int(self._of_page.max(initial=NONE_YET)) + 1
        of_row = self._of_page[view.pages]
        self._rows = np.argsort(of_row, kind="stable").astype(np.int32)
        self._sources, sizes = np.unique(of_row, return_counts=True)
        self._first = _indptr(sizes)
        self._starts = _indptr(self._counts())

    def _counts(self) -> LongArray:
        counts = np.zeros(len(self._sources), np.int64)
        seen = np.full(self.n_hosts, NONE_YET, np.int32)
        _hosts.count(*self._page_links(), self._of_page, self._sources, seen, counts)
        return counts

    def _page_links(self) -> tuple[LongArray, IntArray, LongArray, IntArray]:
        return self._first, self._rows, self.view.indptr, self.view.targets

    def filled(self, values: SingleArray | None, last: IntArray | None = None) -> Folded:
        """Fill the rows; with `last` by pages, not by values."""
        links = int(self._starts[-1])
        folded = Folded(np.empty(links, np.int32), np.zeros(links))
        place = np.full(self.n_hosts, NONE_YET, np.int64)
        grouped = *self._page_links(), values, self._of_page, self._sources
        _hosts.add(*grouped, last, place, self._starts, *folded)
        return folded

    def result(self, folded: Folded) -> GraphView:
        weights = folded.sums.astype(np.float32)
        return CleanView(self.n_hosts, self._sources, self._starts, folded.targets, weights)


def _as_hosts(hosts: npt.ArrayLike, n: int) -> IntArray:
    of_page = as_ids("hosts", hosts)
    if len(of_page) != n:
        raise RankingInputError(
            f"hosts must have shape ({n},), one for each id; got {len(of_page)}"
        )
    return of_page


def _indptr(sizes: npt.NDArray[np.int64]) -> LongArray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
