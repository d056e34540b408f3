"""The surfer's equation by Gauss-Seidel sweeps over the fetched pages.

    y = r + c Pᵀy        on the m pages with a row, P the surfer's steps among them

The system is linear, so every few sweeps the affine combination of the last iterates whose
change would be smallest replaces the iterate (reduced rank extrapolation, Sidi 1986).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ranking.arrays import FloatArray
from ranking.jumps import Jumps
from ranking.view import GraphView

WINDOW = 8  # sweeps between extrapolations: fewer save less, more cost memory and gain nothing
RIDGE = 1e-14  # relative to the changes' squares: what rounding leaves of them


class Solution(NamedTuple):
    """y (m,) by row, sweeps made, and whether the error is within the tolerance."""

    y: FloatArray
    sweeps: int
    converged: bool


def shares(view: GraphView, damping: float) -> FloatArray:
    """(m,) what each row hands to a link of weight 1, of every unit it holds; 0 if it dangles."""
    totals = view.totals
    return np.divide(damping, totals, out=np.zeros(len(totals)), where=totals > 0)


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
    order = view.steps.order
    share = shares(view, damping)[order]
    y, restart = y[order], jumps.at(view.pages)[order]
    handed, linked = y * share, (share > 0).astype(np.float64)
    changes = np.zeros((WINDOW, len(y)))
    # ‖y − y*‖ ≤ c/(1−c) · change; normalising by Σy at most doubles it.
    allowed = tol * (1 - damping) / (2 * damping) if damping else np.inf
    made, best, kept = 0, np.inf, y
    converged = False
    while made < max_sweeps and not converged:
        change = view.steps.sweep(restart, share, y, handed, changes[made % WINDOW])
        made += 1
        converged = change <= allowed * (jumps.total + damping * float(linked @ y))
        if converged:
            break
        if made % WINDOW == 1 and change > best:
            # The extrapolation led away: go on from where it began.
            y = kept
            np.multiply(y, share, out=handed)
        elif made % WINDOW == 0:
            best, kept = change, y
            y = _extrapolated(y, changes)
            np.multiply(y, share, out=handed)
    by_row = np.empty_like(y)
    by_row[order] = y
    return Solution(by_row, made, converged)


def _extrapolated(y: FloatArray, changes: FloatArray) -> FloatArray:
    """The affine combination of the last iterates whose change would be smallest (RRE)."""
    gram = changes @ changes.T
    scale = np.trace(gram)
    if not scale > 0:
        return y
    # Where fewer changes than the window span the space, some combination of them vanishes: the
    # little added to the diagonal lets exactly that one dominate.
    weights = np.linalg.solve(gram / scale + RIDGE * np.eye(WINDOW), np.ones(WINDOW))
    weights /= weights.sum()
    # Iterate j is the last one minus all later changes.
    before = np.concatenate([[0], np.cumsum(weights)[:-1]])
    better = y - before @ changes
    return np.maximum(better, 0) if np.isfinite(better).all() else y
