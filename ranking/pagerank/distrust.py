"""Distrust, TrustRank turned round (Krishnan, Raj 2006, Web spam detection with Anti-Trust Rank).

A page that links to a bad page is suspect, one that links to a suspect page a little less: the
PageRank of the graph with all links reversed, restarting at the bad pages,

    d = c Uᵀd + r (1 − c · Σ d over pages with in-links)      U_ji = w_ij / Σ_k w_kj

where w_ij is the weight of the link i → j, and r spreads evenly over the bad pages.
"""

from __future__ import annotations

import numpy.typing as npt

from ranking.arrays import as_known_ids
from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.pagerank.pagerank import MAX_ITERATIONS, trustrank
from ranking.result import WalkRanking


def distrust(
    graph: LinkGraph | GraphView,
    bad: npt.ArrayLike,
    damping: float = 0.85,
    tol: float = 1e-6,
    start: WalkRanking | npt.ArrayLike | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> WalkRanking:
    """Distrust of all ids, sum 1; exactly 0 for ids from which no path leads to a bad page.

    Nofollow links carry none: who says nofollow does not vouch.

    Args:
        graph: n ids.
        bad: at least one id below n; repeats count once.
        damping: c, how much of its distrust a page hands to those that link to it, in [0, 1).
        tol: bound > 0 on the L1 distance of the scores to the exact ones.
        start: an earlier ranking, or (n,) scores >= 0, to start from; None: cold.
        max_iterations: sweeps before giving up; then `converged` is False.

    Raises:
        RankingInputError: no bad page, unknown ids, or an argument of the wrong length or range.

    """
    view = graph.snapshot()
    ids = as_known_ids("bad", bad, view.n)
    if not ids.size:
        raise RankingInputError("distrust needs at least one bad page, got none")
    return trustrank(view.reversed(), ids, damping, tol, start, max_iterations)
