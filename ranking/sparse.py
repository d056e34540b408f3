"""Products with the links of a graph: by NumPy while it is small, by scipy.sparse from then on.

Importing scipy.sparse takes 10 MB, more than the whole graph of a crawl of 20,000 pages; below
`SMALL` links NumPy alone multiplies within a few milliseconds. Both ways add in the order of the
links, so which one is taken does not change a bit of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ranking.arrays import MAX_ID, FloatArray, IntArray, LongArray, SingleArray

SMALL = 2**21
"""Links; from here on the copies that scipy.sparse works on outweigh the import."""
BLOCK = 2**16
"""Links multiplied at once: half a megabyte of temporary values, out of the processor's cache."""


class LinkMatrix:
    """Matrix (m, n) with one row a page: entry [i, j] = scale[i] · weight of its link to j.

    Args:
        indptr: (m + 1,) the links of row i are columns[indptr[i]:indptr[i + 1]].
        columns: (L,) int32 below n.
        n: number of columns.
        scale: (m,) float64; None: all 1.
        weights: (L,) float32; None: all 1.

    """

    def __init__(
        self,
        indptr: LongArray,
        columns: IntArray,
        n: int,
        scale: FloatArray | None = None,
        weights: SingleArray | None = None,
    ) -> None:
        self.columns = columns
        self._indptr = indptr
        self._n = n
        self._scale = scale
        self._weights = weights

    def times(self, values: FloatArray) -> FloatArray:
        """M · values; (n,) -> (m,)."""
        m = len(self._indptr) - 1
        if len(self.columns) > SMALL:
            result: FloatArray = self._csr @ values
        else:
            result = np.zeros(m)
            for first, last, links in self._blocks():
                rows = np.repeat(np.arange(first, last), np.diff(self._indptr[first : last + 1]))
                np.add.at(result, rows, self._weighted(values[self.columns[links]], links))
        return result if self._scale is None else result * self._scale

    def spread(self, values: FloatArray) -> FloatArray:
        """Mᵀ · values; (m,) -> (n,)."""
        scaled = values if self._scale is None else values * self._scale
        if len(self.columns) > SMALL:
            return self._spread_large(scaled)
        result = np.zeros(self._n)
        for first, last, links in self._blocks():
            given = np.repeat(scaled[first:last], np.diff(self._indptr[first : last + 1]))
            np.add.at(result, self.columns[links], self._weighted(given, links))
        return result

    def _weighted(self, values: FloatArray, links: slice) -> FloatArray:
        return values if self._weights is None else values * self._weights[links]

    def _blocks(self) -> Iterator[tuple[int, int, slice]]:
        """Yield first and last row of about BLOCK links, and these links."""
        first, m = 0, len(self._indptr) - 1
        while first < m:
            begin = self._indptr[first]
            last = int(np.searchsorted(self._indptr, begin + BLOCK, "right")) - 1
            last = min(max(last, first + 1), m)
            yield first, last, slice(begin, self._indptr[last])
            first = last

    def _spread_large(self, scaled: FloatArray) -> FloatArray:
        product: FloatArray = self._csr.T @ scaled
        return product

    @cached_property
    def _csr(self) -> Any:
        return self._to_csr()

    def _to_csr(self) -> Any:
        # Here, not above: it takes 10 MB, which most crawls never need.
        from scipy.sparse import csr_array

        count = len(self.columns)
        data = np.ones(count) if self._weights is None else self._weights.astype(np.float64)
        # With a wider indptr scipy would copy all columns to its type, twice the size.
        indptr = self._indptr.astype(np.int32) if count <= MAX_ID else self._indptr
        return csr_array((data, self.columns, indptr), shape=(len(indptr) - 1, self._n))


class SweepMatrix(LinkMatrix):
    """One whose `spread` is called many times: where it is large, it is transposed first."""

    def _spread_large(self, scaled: FloatArray) -> FloatArray:
        product: FloatArray = self._transposed @ scaled
        return product

    @cached_property
    def _transposed(self) -> Any:
        return self._to_csr().T.tocsr()
