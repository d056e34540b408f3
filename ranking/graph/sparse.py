"""Products with the links of a graph, in the order of the links."""

from __future__ import annotations

import numpy as np

from ranking.arrays import FloatArray, IntArray, LongArray, SingleArray
from ranking.errors import RankingInputError
from ranking.graph import _links


class LinkMatrix:
    """Matrix (m, n) with one row a page: entry [i, j] = weight of its link to j.

    Args:
        indptr: (m + 1,) the links of row i are columns[indptr[i]:indptr[i + 1]].
        columns: (L,) int32 below n.
        n: number of columns.
        weights: (L,) float32; None: all 1.

    Its methods raise RankingInputError for vectors of another length.
    """

    def __init__(
        self, indptr: LongArray, columns: IntArray, n: int, weights: SingleArray | None = None
    ) -> None:
        self.columns = columns
        self._indptr = indptr
        self._n = n
        self._weights = weights

    def times(self, values: FloatArray) -> FloatArray:
        """M · values; (n,) -> (m,)."""
        _check("values", values, self._n)
        result = np.empty(len(self._indptr) - 1)
        _links.gather(self._indptr, self.columns, self._weights, values, result)
        return result

    def spread(self, values: FloatArray) -> FloatArray:
        """Mᵀ · values; (m,) -> (n,)."""
        result = np.zeros(self._n)
        self.spread_onto(result, values)
        return result

    def spread_onto(self, result: FloatArray, values: FloatArray) -> None:
        """Add Mᵀ · values (m,) to `result` (n,)."""
        _check("values", values, len(self._indptr) - 1)
        _check("result", result, self._n)
        _links.scatter(self._indptr, self.columns, self._weights, values, result)


def _check(name: str, vector: FloatArray, size: int) -> None:
    if vector.shape != (size,):
        raise RankingInputError(f"{name} must have shape ({size},), got {vector.shape}")
