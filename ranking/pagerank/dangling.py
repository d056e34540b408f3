"""PageRank whose dangling mass goes elsewhere than its jumps.

    π = c Pᵀπ + c δ d + (1 − c) r        δ = Σ π over pages without links

The equation is linear in r and d: with y_r and y_d the solutions of y = v + c Pᵀy for each of
the two vectors, π = (1 − c) y_r + c δ y_d, and summing over dangling ids gives δ. So π is a mean
of two ordinary rankings.
"""

from __future__ import annotations

from ranking.graph.view import GraphView
from ranking.result import WalkRanking

SHARE_OF_TOL = 0.25
"""Tolerance of each ranking, of that of their mean: their own errors are averaged, and the two
errors of the weights, each at most as large, are added."""


def mean_of(
    view: GraphView, jumping: WalkRanking, dangling: WalkRanking, damping: float
) -> WalkRanking:
    """The ranking that restarts as `jumping` did and sends dangling mass where `dangling` did."""
    size, elsewhere = _size(jumping), _size(dangling)
    own = (1 - damping) * size
    delta = own * _dangles(view, jumping) / (1 - damping * elsewhere * _dangles(view, dangling))
    other = damping * delta * elsewhere
    share = own / (own + other)
    return WalkRanking(
        scores=share * jumping.scores + (1 - share) * dangling.scores,
        iterations=jumping.iterations + dangling.iterations,
        residual=share * jumping.residual + (1 - share) * dangling.residual,
        converged=jumping.converged and dangling.converged,
        jump=1 - damping,
    )


def _size(ranking: WalkRanking) -> float:
    """Sum of y for a vector of sum 1."""
    assert ranking.memory is not None
    return ranking.memory.unit / ranking.memory.restart_total


def _dangles(view: GraphView, ranking: WalkRanking) -> float:
    """Share of the scores that pages without links and unfetched ids hold."""
    return float(max(1 - ranking.scores[view.pages[view.totals > 0]].sum(), 0.0))
