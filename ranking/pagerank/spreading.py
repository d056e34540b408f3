"""From the solution on fetched pages to the scores of all ids."""

from __future__ import annotations

import numpy as np

from ranking.arrays import FloatArray
from ranking.graph.view import GraphView
from ranking.pagerank.jumps import Jumps
from ranking.pagerank.sweeps import Solution, shares
from ranking.result import WalkMemory, WalkRanking

ROUNDING = 1e-15  # of what was withdrawn from scores, what may still stand in them


def spread(view: GraphView, jumps: Jumps, solution: Solution, damping: float) -> WalkRanking:
    """Scores of all ids by one product: what fetched pages hand to everything they name."""
    y = jumps.copy()
    view.spread_onto(y, solution.y * shares(view, damping))
    # What the pages are handed by their final values, beyond these values: the true residual.
    owed = y[view.pages] - solution.y
    y[view.pages] = solution.y
    return normalised(view, jumps, y, owed, damping, solution)


def normalised(
    view: GraphView,
    jumps: Jumps,
    y: FloatArray,
    owed: FloatArray,
    damping: float,
    solution: Solution,
    pushed: int = 0,
    withdrawn: float = 0.0,
) -> WalkRanking:
    """The ranking of an unnormalised y (n,), which is used up, and its residual (m,) by row."""
    linked = float(solution.y[view.totals > 0].sum())
    # The sum of y by the equation, which saves a pass.
    unit = float(y.sum()) if withdrawn else jumps.total + damping * linked - float(owed.sum())
    y /= unit
    return WalkRanking(
        scores=y,
        iterations=solution.sweeps,
        residual=(_residual(view, jumps, owed) + ROUNDING * withdrawn) / unit,
        converged=solution.converged,
        jump=1 - damping * linked / unit,
        pushed=pushed,
        memory=WalkMemory(view.log, damping, jumps.weights, jumps.total, unit, owed, withdrawn),
    )


def _residual(view: GraphView, jumps: Jumps, owed: FloatArray) -> float:
    """L1 norm of the residual under the equation with scores of sum 1.

    There, mass that the pages are still owed comes out of the restart vector.
    """
    own = jumps.at(view.pages) / jumps.total
    total = float(owed.sum())
    elsewhere = max(1 - float(own.sum()), 0.0) * abs(total)
    return float(np.abs(owed - own * total).sum()) + elsewhere
