"""The restart vector, on the scale on which it was given.

Kernels solve y = r + c Pᵀy without normalising r: scores of a growing crawl then change only by
what was added, and yesterday's solution can be continued. Normalised are only the results.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, SingleArray, as_values
from ranking.errors import RankingInputError
from ranking.pagerank import _walk

SANE = 1e100
"""Weights whose largest is beyond this, or below its inverse, are scaled: sums would overflow."""


class Jumps:
    """Restart weights of n ids.

    Attributes:
        weights: (n,) float32 or float64, as given, >= 0 with a positive sum; None: all 1.
        total: sum of the weights.

    """

    def __init__(self, restart: npt.ArrayLike | None, n: int) -> None:
        self.n = n
        self.weights: FloatArray | SingleArray | None = None
        self.total = float(n)
        if restart is not None:
            self.weights, self.total = _checked(restart, n)

    def at(self, ids: IntArray) -> FloatArray:
        """(k,) weights of ids (k,) below n; a new array."""
        return np.ones(len(ids)) if self.weights is None else self.weights[ids].astype(np.float64)

    def copy(self) -> FloatArray:
        """(n,) weights; a new array."""
        return np.ones(self.n) if self.weights is None else self.weights.astype(np.float64)

    def newcomers(self, known: int) -> FloatArray | SingleArray | float:
        """Weights of the ids from `known` on."""
        return 1.0 if self.weights is None else self.weights[known:]

    def carry_over(
        self,
        scores: FloatArray,
        unit: float,
        before: FloatArray | SingleArray | None,
        out: FloatArray,
    ) -> bool:
        """First of `out` = unit * scores + what the restart weights have changed since.

        Returns whether any weight shrank.
        """
        known = len(scores)
        if self.weights is None and before is None:
            np.multiply(scores, unit, out=out[:known])
            return False
        now = np.ones(known) if self.weights is None else self.weights
        then = np.ones(known) if before is None else before
        if now.dtype != then.dtype:
            now, then = now.astype(np.float64), then.astype(np.float64)
        return _walk.carry_over(scores, unit, now, then, out)


def _checked(restart: npt.ArrayLike, n: int) -> tuple[FloatArray | SingleArray, float]:
    given = as_values("restart", restart, n)
    largest = float(given.max())
    if largest == 0:
        raise RankingInputError("restart must have a positive entry, got zeros only")
    # A later ranking compares with this one: an array that may change until then is copied.
    is_constant = given.base is None and not given.flags.writeable
    weights: FloatArray | SingleArray = given if is_constant else given.copy()
    if not 1 / SANE < largest < SANE:
        weights = given / largest
    return weights, float(weights.sum(dtype=np.float64))
