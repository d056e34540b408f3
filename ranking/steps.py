"""The random surfer's steps from fetched page to fetched page, turned round for sweeps.

Nine in ten nodes of a crawl's graph are not fetched: nothing leaves them, so the iteration runs
without them (Lee, Golub, Zenios 2003; Ipsen and Selee 2007). What is left is stored by target,
with the pages in the order in which a sweep visits them (see `_walk`).
"""

from __future__ import annotations

import numpy as np

from ranking import _walk
from ranking.arrays import FloatArray, IntArray, LongArray, SingleArray


class Steps:
    """K links among m fetched pages; 4 bytes a link and 20 a page.

    Attributes:
        order: (m,) int32 row at each position of a sweep.
        indptr: (m + 1,) int64; positions sources[indptr[p]:indptr[p + 1]] link to position p.
        sources: (K,) int32.
        weights: (K,) float32 or None.

    """

    def __init__(
        self,
        indptr: LongArray,
        targets: IntArray,
        weights: SingleArray | None,
        row_of: IntArray,
    ) -> None:
        m = len(indptr) - 1
        inner_indptr = np.empty(m + 1, np.int64)
        # Room for all, touched only as far as used: memory that is not touched costs nothing.
        inner_rows = np.empty(len(targets) + 1, np.int32)
        inner_weights = None if weights is None else np.empty(len(targets) + 1, np.float32)
        in_degree = np.zeros(m, np.int32)
        kept = _walk.inner_links(
            indptr, targets, weights, row_of, inner_indptr, inner_rows, inner_weights, in_degree
        )
        self.order, position = np.empty(m, np.int32), np.empty(m, np.int32)
        _walk.sweep_order(in_degree, self.order, position)
        self.indptr: LongArray = np.zeros(m + 1, np.int64)
        np.cumsum(in_degree[self.order], out=self.indptr[1:])
        self.sources = np.empty(kept, np.int32)
        self.weights = None if weights is None else np.empty(kept, np.float32)
        _walk.by_target(
            inner_indptr,
            inner_rows,
            inner_weights,
            position,
            self.indptr[:-1].copy(),
            self.sources,
            self.weights,
        )

    def sweep(
        self,
        restart: FloatArray,
        share: FloatArray,
        y: FloatArray,
        handed: FloatArray,
        change: FloatArray,
    ) -> float:
        """One Gauss-Seidel sweep, arrays (m,) by position; see `_walk.sweep`."""
        return _walk.sweep(
            self.indptr, self.sources, self.weights, restart, share, y, handed, change, 0, len(y)
        )
