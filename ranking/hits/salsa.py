"""SALSA, the stochastic approach to link structure (Lempel and Moran 2000).

A walk on the bipartite graph of hubs and authorities: from a page back along one of its in-links
and forward along a link of the page it finds (authorities), or the other way round (hubs). A link
i → j is taken with probability proportional to w_ij r_j, w its weight and r the relevance of its
target (all 1: plain SALSA).

Both walks are those of an undirected weighted graph, so the limit needs no iteration. Within a
connected component it is proportional to the weights of a node's links. A walk never leaves its
component, and starts at every authority (hub) alike (Lempel and Moran 2000, section 5), so that

    a_j = |A_k| / |A| · Σ_i w_ij r_j / W_k      j in component k
    h_i = |H_k| / |H| · Σ_j w_ij r_j / W_k      i in component k

A and H are the pages with a link that counts to and from them, A_k and H_k those in component k,
W_k = Σ w_ij r_j the weight of its links. So a tightly knit community gains nothing but what its
number of pages is worth, unlike in HITS, and the answer is always unique.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, as_values
from ranking.graph.matrices import Graph, view_of
from ranking.graph.view import GraphView
from ranking.result import Ranking, link_relevance, uniform


@dataclass(frozen=True, eq=False)
class WalkHitsRanking(Ranking):
    """Authorities and hubs as shares of a walk's time; `scores` are the authorities.

    Attributes:
        hubs: (n,) float64, not negative, sum 1.

    """

    hubs: FloatArray

    @property
    def authorities(self) -> FloatArray:
        """(n,) float64, the scores under their name in the literature."""
        return self.scores


def salsa(
    graph: Graph,
    relevance: npt.ArrayLike | None = None,
    start: npt.ArrayLike | None = None,
) -> WalkHitsRanking:
    """Authorities and hubs of all ids, each with sum 1; exact but for rounding (L1 < 1e-12).

    Ids without a link that counts to them have authority 0, and without one from them hub 0.
    Where no link counts (no links, or relevance 0 wherever they point), both are uniform.

    Args:
        graph: n ids.
        relevance: (n,) finite numbers >= 0, r above, any scale; None: all 1. Links to ids
            below 1e-100 of the largest do not count.
        start: (n,) scores >= 0 of an earlier graph. Checked and not needed, for the solution
            is in closed form: it lets all rankings be called alike.

    Returns:
        A ranking of one sweep and residual 0, always converged.

    Raises:
        RankingInputError: an argument of the wrong length or range.

    """
    view = view_of(graph)
    if start is not None:
        as_values("start", start, view.n)
    in_weight = view.spread(np.ones(view.n_pages))
    r = link_relevance(relevance, in_weight)
    cited = in_weight * r
    if not cited.any():
        return WalkHitsRanking(uniform(view.n), 1, 0.0, converged=True, hubs=uniform(view.n))
    component, of_row = _components(view, r)
    weight = np.bincount(component, cited).astype(np.float64)
    authorities = _shares(cited, component, weight)
    hubs = np.zeros(view.n)
    hubs[view.pages] = _shares(view.times(r), of_row, weight)
    return WalkHitsRanking(authorities, 1, 0.0, converged=True, hubs=hubs)


def _components(view: GraphView, r: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the component of each id as authority (n,) and of each row as hub (m,)."""
    # A crawl without these methods does not load them.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    counts = r[view.targets] > 0
    if view.weights is not None:
        counts &= view.weights > 0
    # Authorities come first and have no links, then the hubs.
    targets, size = view.targets[counts], view.n + view.n_pages
    starts = np.append(0, np.cumsum(counts))[view.indptr]
    indptr = np.concatenate([np.zeros(view.n, np.int64), starts])
    links = csr_array((np.ones(len(targets), np.int8), targets, indptr), shape=(size, size))
    found = connected_components(links, directed=False)[1]
    return found[: view.n], found[view.n :]


def _shares(weights: FloatArray, component: IntArray, weight: FloatArray) -> FloatArray:
    """Return the share of each member in its component, times that of the component."""
    scores = np.zeros(len(weights))
    members = np.flatnonzero(weights > 0)
    of_member = component[members]
    sizes = np.bincount(of_member, minlength=len(weight))
    scores[members] = weights[members] / weight[of_member] * (sizes[of_member] / len(members))
    return scores
