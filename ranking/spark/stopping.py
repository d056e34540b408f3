"""When iterations stop: after which change the scores are near enough."""

from __future__ import annotations

import math

from ranking.errors import RankingInputError

DAMPING, TOL, MAX_ITERATIONS = 0.85, 1e-6, 300
SLOWEST = 0.9999  # ratio of two changes; nearer to 1 it says only that nothing is known yet


def check_stopping(tol: float, max_iterations: int) -> None:
    """Raise RankingInputError unless tol > 0 and max_iterations >= 1."""
    if not 0 < tol < math.inf:
        raise RankingInputError(f"tol must be a positive number such as 1e-6, got {tol}")
    if max_iterations < 1:
        raise RankingInputError(f"max_iterations must be at least 1, got {max_iterations}")


def change_allowed(tol: float, damping: float) -> float:
    """L1 change of y, in parts of what y sums to, that leaves the scores exact to `tol`.

    See `ranking.pagerank.sweeps.residual_allowed`: an iteration leaves a residual of at most
    damping times its change.
    """
    tol = min(tol, 1.0)
    return tol * (1 - damping) / (2 + damping * tol) / damping if damping else math.inf


def factor_left(change: float, before: float) -> float:
    """What is still to come, 1 or more times the last change, by its ratio to that before.

    Changes shrink by λ₂ / λ₁ each in the end. Before there were two (before 0), as if never.
    """
    ratio = min(change / before, SLOWEST) if before else SLOWEST
    return max(1.0, ratio / (1 - ratio))
