"""The surfer's equation by Gauss-Seidel sweeps over the fetched pages.

    y = r + c Pᵀy        on the m pages with a row, P the surfer's steps among them

The system is linear, so every few sweeps the affine combination of the last iterates whose
change would be smallest replaces the iterate (reduced rank extrapolation, Sidi 1986). One product
leads from the solution on fetched pages to the scores of all ids.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ranking.arrays import FloatArray
from ranking.graph.view import GraphView
from ranking.pagerank import _walk
from ranking.pagerank.steps import Jumps, Steps
from ranking.result import WalkMemory, WalkRanking

WINDOW = 8  # sweeps between extrapolations: fewer save less, more cost memory and gain nothing
ROUNDING = 1e-15  # of what was withdrawn from scores, what may still stand in them
RIDGE = 1e-14  # relative to the changes' squares: what rounding leaves of them


class Solution(NamedTuple):
    """y (m,) by row, sweeps made, and whether the error is within the tolerance."""

    y: FloatArray
    sweeps: int
    converged: bool


def shares(view: GraphView, damping: float) -> FloatArray:
    """(m,) what each row passes to a link of weight 1, of every unit it holds; 0 if it dangles."""
    totals = view.totals
    return np.divide(damping, totals, out=np.zeros(len(totals)), where=totals > 0)


def residual_allowed(tol: float, damping: float) -> float:
    """L1 residual, in parts of what y sums to, that leaves the scores exact to `tol`.

    ‖ρ‖ leaves e ≤ ‖ρ‖ / (1 − c) in y, which normalising at most doubles: 2e ≤ tol · Σy* is asked
    for, and Σy* is what the present y sums to once passed on, or c · e less.
    """
    tol = min(tol, 1.0)
    return tol * (1 - damping) / (2 + damping * tol)


def solve(
    view: GraphView, jumps: Jumps, y: FloatArray, damping: float, tol: float, max_sweeps: int
) -> Solution:
    """Sweep until the normalised scores are within `tol` (L1) of the exact ones.

    Args:
        view: the graph.
        jumps: r.
        y: (m,) by row to start from, on the scale of r.
        damping: c.
        tol: > 0.
        max_sweeps: >= 1.

    """
    steps = Steps.of(view)
    order = steps.order
    sweeper = _Sweeper(steps, jumps.at(view.pages)[order], shares(view, damping)[order])
    made, converged = _iterate(sweeper, y[order], jumps.total, damping, tol, max_sweeps)
    by_row = np.empty_like(sweeper.y)
    by_row[order] = sweeper.y
    return Solution(by_row, made, converged)


def _iterate(
    sweeper: _Sweeper, y: FloatArray, total: float, damping: float, tol: float, max_sweeps: int
) -> tuple[int, bool]:
    """Sweep from y (m,) until the scores are within `tol`, see `solve`, or `max_sweeps` are made.

    `total` is the sum of the restart weights. Returns the sweeps made, and whether the error is
    within the tolerance.
    """
    sweeper.go_to(y)
    changes = np.zeros((WINDOW, len(y)))
    # A sweep leaves a residual of at most c · change.
    allowed = residual_allowed(tol, damping) / damping if damping else np.inf
    best, kept = np.inf, sweeper.y
    for made in range(1, max_sweeps + 1):
        change = sweeper.sweep(changes[(made - 1) % WINDOW])
        if change <= allowed * (total + damping * sweeper.linked()):
            return made, True
        if made % WINDOW == 0:
            best, kept = change, sweeper.y
            sweeper.go_to(_extrapolated(kept, changes))
        elif made % WINDOW == 1 and change > best:
            # The extrapolation led away: go back to its start.
            sweeper.go_to(kept)
    return max_sweeps, False


class _Sweeper:
    """One iterate y (m,) by position, and what its pages pass to each link."""

    def __init__(self, steps: Steps, restart: FloatArray, share: FloatArray) -> None:
        self._steps, self._restart, self._share = steps, restart, share
        self._linked = share > 0
        self.y = self._passed = np.empty(0)

    def go_to(self, y: FloatArray) -> None:
        """Take `y` as the iterate; it is changed in place from now on."""
        self.y, self._passed = y, y * self._share

    def linked(self) -> float:
        """Sum of y over pages that pass anything on."""
        return float(self.y.sum(where=self._linked))

    def sweep(self, change: FloatArray) -> float:
        """One sweep; change (m,): out. Returns its L1 norm."""
        links = self._steps[1:]
        return _walk.sweep(*links, self._restart, self._share, self.y, self._passed, change)


def _extrapolated(y: FloatArray, changes: FloatArray) -> FloatArray:
    """The affine combination of the last iterates whose change would be smallest (RRE)."""
    # Not by BLAS, whose sums depend on the number of cores.
    products = np.einsum("ij,kj->ik", changes, changes)
    scale = np.trace(products)
    if not scale > 0:
        return y
    # Where fewer changes than the window span the space, some combination of them vanishes: the
    # little added to the diagonal lets exactly that one dominate.
    ridge = RIDGE * np.eye(len(changes))
    weights = np.linalg.solve(products / scale + ridge, np.ones(len(changes)))
    weights /= weights.sum()
    # Iterate j is the last one minus all later changes.
    before = np.concatenate([[0], np.cumsum(weights)[:-1]])
    better = y - np.einsum("i,ij->j", before, changes)
    return np.maximum(better, 0) if np.isfinite(better).all() else y


def spread(view: GraphView, jumps: Jumps, solution: Solution, damping: float) -> WalkRanking:
    """Scores of all ids by one product: what fetched pages pass to everything they name."""
    y = jumps.weights.astype(np.float64)
    view.spread_onto(y, solution.y * shares(view, damping))
    # What the pages receive by their final values, beyond these values: the true residual.
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
