"""The page graph folded to hosts, and back.

A host is an integer: `hosts[page]` may as well number registered domains, sites or languages.
Folding gives a GraphView over hosts, which every ranking takes as it takes pages:

    A'_XY = Σ A_ij over pages i of host X, j of host Y ≠ X

Links within a host vouch for nobody else and are dropped. Hosts joined by nofollow links only keep
a link of weight 0: known, without score. Without folding, `discount_internal` lets links within a
host count for less.
"""

from __future__ import annotations

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
    view = graph.snapshot()
    followed = None if view.weights is None else (view.weights > 0).astype(np.float32)
    return _folded(view, hosts, followed)


fold = fold_links
"""The usual one: what the Common Crawl's host graph is with weights."""


def fold_weights(graph: LinkGraph | GraphView, hosts: npt.ArrayLike) -> GraphView:
    """Like `fold_links`; weight = sum of the weights of the links."""
    view = graph.snapshot()
    return _folded(view, hosts, view.weights)


def fold_pages(graph: LinkGraph | GraphView, hosts: npt.ArrayLike) -> GraphView:
    """Like `fold_links`; weight = number of pages of the one host that link to the other.

    A page with links to every page of a host counts once: the source consensus of Caverlee and Liu
    2007, Countering web spam with credibility-based link analysis.
    """
    view = graph.snapshot()
    return _folded(view, hosts, view.weights, paged=True)


def discount_internal(
    graph: LinkGraph | GraphView, hosts: npt.ArrayLike, factor: float
) -> GraphView:
    """The page graph with the weight of every link within a host multiplied by `factor`.

    Bharat and Henzinger 1998, Improved algorithms for topic distillation, drop them: factor 0.

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


def _folded(
    view: GraphView, hosts: npt.ArrayLike, values: SingleArray | None, *, paged: bool = False
) -> GraphView:
    """Hosts as pages; weight = sum of `values` (L,) of the links, or number of pages."""
    of_page = _as_hosts(hosts, view.n)
    n_hosts = int(of_page.max(initial=-1)) + 1
    of_row = of_page[view.pages]
    rows = np.argsort(of_row, kind="stable").astype(np.int32)
    sources, sizes = np.unique(of_row, return_counts=True)
    links = _indptr(sizes), rows, view.indptr, view.targets
    counts = np.zeros(len(sources), np.int64)
    _hosts.count(*links, of_page, sources, np.full(n_hosts, -1, np.int32), counts)
    starts = _indptr(counts)
    targets, sums = np.empty(int(starts[-1]), np.int32), np.zeros(int(starts[-1]))
    last = np.full(n_hosts, -1, np.int32) if paged else None
    place = np.full(n_hosts, -1, np.int64)
    _hosts.add(*links, values, of_page, sources, last, place, starts, targets, sums)
    return CleanView(n_hosts, sources, starts, targets, sums.astype(np.float32))


def _as_hosts(hosts: npt.ArrayLike, n: int) -> IntArray:
    of_page = as_ids("hosts", hosts)
    if len(of_page) != n:
        raise RankingInputError(
            f"hosts must have shape ({n},), one for each id; got {len(of_page)}"
        )
    return of_page


def _indptr(sizes: npt.NDArray[np.int64]) -> LongArray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
