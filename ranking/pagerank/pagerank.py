"""PageRank with any restart vector, on graphs whose nodes mostly dangle.

    π_i = c Σ_{j→i} w_ji π_j / W_j + r_i (1 − c Σ_{W_j>0} π_j)

W_j is the total weight of j's links, r the restart vector: the surfer jumps to it with
probability 1 − c, and always where there is no link to follow. (Page et al. 1999; seeds as r:
TrustRank, Gyöngyi et al. 2004.)

A crawl knows five to fifty URLs for each page it fetched, all of them dangling. Lumping them
(Lee, Golub, Zenios 2003; Ipsen and Selee 2007) leaves

    y = r + c Pᵀy     on the pages with links, one product for all others, π = y / Σ y

which is solved by sweeps (`sweeps`), or continued from the ranking of an earlier state of the
same graph at the cost of what changed (`pushes`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, as_known_ids, as_values
from ranking.errors import RankingInputError
from ranking.graph.matrices import Graph, view_of
from ranking.graph.view import GraphView
from ranking.pagerank.pushes import Pushing, continues
from ranking.pagerank.steps import Jumps
from ranking.pagerank.sweeps import solve, spread
from ranking.result import WalkRanking, check_stopping

MAX_ITERATIONS = 1000  # 0.85 needs about 100 for 1e-6; only damping above 0.98 comes near


def pagerank(
    graph: Graph,
    restart: npt.ArrayLike | None = None,
    damping: float = 0.85,
    tol: float = 1e-6,
    start: WalkRanking | npt.ArrayLike | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> WalkRanking:
    """Scores of all ids; unfetched ids and pages without followed links dangle.

    A nofollow link (weight 0) carries nothing; the others share in proportion to their weight.
    Ids that cannot be reached from the restart vector score exactly 0.

    Args:
        graph: n ids; or their matrix, see `ranking.graph.matrices`.
        restart: (n,) finite numbers >= 0 with a positive sum, any scale; None: all 1.
        damping: c, probability to follow a link, in [0, 1).
        tol: bound > 0 on the L1 distance of the scores to the exact ones.
        start: the ranking of an earlier state of the same graph, with restart weights on the
            same scale: after a small change only that is worked off. Or (n,) scores to sweep
            from, such as those of another graph. None: cold. Any start leads to the same
            scores within tol.
        max_iterations: sweeps before giving up; then `converged` is False.

    Returns:
        WalkRanking with the true L1 residual of its scores under the equation above. Its
        `iterations` are sweeps, or rounds of pushes where `pushed` is not 0.

    Raises:
        RankingInputError: an argument of the wrong length or range.

    """
    view = view_of(graph)
    check_stopping(tol, max_iterations, damping)
    if view.n == 0:
        return WalkRanking(np.empty(0), 0, 0.0, converged=True, jump=1.0)
    jumps = Jumps.of(restart, view.n)
    if isinstance(start, WalkRanking):
        if continues(start, view, damping):
            assert start.memory is not None
            pushing = Pushing.after(start, start.memory, view, jumps)
            if not pushing.is_blurred(tol):
                return _continued(pushing, tol, max_iterations)
        start = np.append(start.scores, np.zeros(max(view.n - len(start.scores), 0)))[: view.n]
    y = jumps.at(view.pages) if start is None else _unnormalised(start, view, jumps, damping)
    return spread(view, jumps, solve(view, jumps, y, damping, tol, max_iterations), damping)


def trustrank(
    graph: Graph,
    seeds: npt.ArrayLike,
    damping: float = 0.85,
    tol: float = 1e-6,
    start: WalkRanking | npt.ArrayLike | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> WalkRanking:
    """PageRank that restarts at the seeds, each with the same share (Gyöngyi et al. 2004).

    Args:
        graph: n ids.
        seeds: at least one id below n; repeats count once.
        damping: as in `pagerank`, like the other arguments.
        tol: see there.
        start: see there.
        max_iterations: see there.

    Raises:
        RankingInputError: no seeds, unknown seeds, or as `pagerank`.

    """
    view = view_of(graph)
    ids = as_known_ids("seeds", seeds, view.n)
    if not ids.size:
        raise RankingInputError("trustrank needs at least one seed, got none")
    restart = np.zeros(view.n)
    restart[ids] = 1
    return pagerank(view, restart, damping, tol, start, max_iterations)


def _continued(pushing: Pushing, tol: float, max_iterations: int) -> WalkRanking:
    if pushing.until(tol):
        return pushing.ranking(converged=True)
    view, jumps, c = pushing.view, pushing.jumps, pushing.damping
    y = np.maximum(pushing.y + pushing.inflow[view.pages], 0)
    return spread(view, jumps, solve(view, jumps, y, c, tol, max_iterations), c)


def _unnormalised(start: npt.ArrayLike, view: GraphView, jumps: Jumps, c: float) -> FloatArray:
    scores = as_values("start", start, view.n)
    total = scores.sum(dtype=np.float64)
    if not 0 < total < np.inf:
        return jumps.at(view.pages)
    y = scores[view.pages] / total
    linked = float(y[view.totals > 0].sum())
    # π = y / Σy and Σy = Σr + c Σy over pages with links: their share of π gives the scale.
    return np.asarray(y * (jumps.total / (1 - c * min(linked, 1.0))), np.float64)
