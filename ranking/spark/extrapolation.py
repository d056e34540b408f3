"""Reduced rank extrapolation (Sidi 1986), as in `ranking.pagerank.sweeps`: fewer iterations.

The equation is linear, so of the last iterates that affine combination is taken whose change would
be smallest. The products of their changes are sums over a table; the rest is algebra of a few
numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

WINDOW = 8  # iterations between extrapolations
RIDGE = 1e-14  # relative to the changes' squares: what rounding leaves of them


def steps_back(products: Sequence[Sequence[float]]) -> list[float]:
    """How much of each change is to be taken back from the last iterate.

    Args:
        products: (k, k) products of the last k changes with each other, the oldest first.

    Returns:
        (k,) factors: the better iterate is the last one minus the changes, each times its factor.
        Zeros where there is nothing to gain.

    """
    k = len(products)
    scale = sum(products[i][i] for i in range(k))
    if not scale > 0:
        return [0.0] * k
    rows = [[*(one / scale for one in row), 1.0] for row in products]
    for i in range(k):
        # Where fewer changes span the space, some combination of them vanishes: this lets it
        # dominate.
        rows[i][i] += RIDGE
    weights = _solved(rows)
    total = sum(weights)
    if not (math.isfinite(total) and total):
        return [0.0] * k
    # Iterate j is the last one minus all later changes.
    return [sum(weights[:j]) / total for j in range(k)]


def _solved(rows: list[list[float]]) -> list[float]:
    """Solution of a positive definite system, the right side in the last column; by elimination."""
    k = len(rows)
    for i in range(k):
        pivot = max(range(i, k), key=lambda row: abs(rows[row][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for below in rows[i + 1 :]:
            factor = below[i] / rows[i][i]
            below[i:] = [b - factor * a for b, a in zip(below[i:], rows[i][i:], strict=True)]
    solution = [0.0] * k
    for i in reversed(range(k)):
        known = sum(rows[i][j] * solution[j] for j in range(i + 1, k))
        solution[i] = (rows[i][k] - known) / rows[i][i]
    return solution
