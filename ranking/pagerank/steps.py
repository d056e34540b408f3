"""The random surfer's steps from fetched page to fetched page, turned round for sweeps.

Nine in ten nodes of a crawl's graph are not fetched: nothing leaves them, so the iteration runs
without them (Lee, Golub, Zenios 2003; Ipsen and Selee 2007). What is left is stored by target,
with the pages in the order in which a sweep visits them (see `_walk`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.arrays import IntArray, LongArray, SingleArray
from ranking.graph.view import GraphView
from ranking.pagerank import _walk
from ranking.threads import in_halves


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
        m, middle = len(indptr) - 1, int(np.searchsorted(indptr, len(targets) // 2))
        rows = (0, min(middle, m), m)

        def found(half: int) -> _Inner:
            return _Inner.of(indptr, targets, weights, row_of, rows[half], rows[half + 1])

        early, late = in_halves(found)
        in_degree = early.in_degree + late.in_degree
        self.order, position = np.empty(m, np.int32), np.empty(m, np.int32)
        _walk.sweep_order(in_degree, self.order, position)
        self.indptr: LongArray = np.zeros(m + 1, np.int64)
        np.cumsum(in_degree[self.order], out=self.indptr[1:])
        self.sources = np.empty(int(self.indptr[-1]), np.int32)
        self.weights = None if weights is None else np.empty(len(self.sources), np.float32)
        # In every list the links of early rows come first.
        starts = self.indptr[:-1].copy(), self.indptr[:-1] + early.in_degree[self.order]

        def turn(half: int) -> None:
            inner = (early, late)[half]
            links = inner.indptr, inner.rows, inner.weights
            _walk.by_target(*links, position, starts[half], self.sources, self.weights, inner.first)

        in_halves(turn)

    @classmethod
    def of(cls, view: GraphView) -> Steps:
        """The steps of a clean view, built once for all its PageRanks."""
        steps = view.derived.get(cls)
        if steps is None:
            steps = view.derived[cls] = cls(view.indptr, view.targets, view.weights, view.row_of)
        return steps


@dataclass(frozen=True)
class _Inner:
    """Links of some rows to fetched pages, by source."""

    first: int
    indptr: LongArray
    rows: IntArray
    weights: SingleArray | None
    in_degree: IntArray

    @classmethod
    def of(
        cls,
        indptr: LongArray,
        targets: IntArray,
        weights: SingleArray | None,
        row_of: IntArray,
        first: int,
        last: int,
    ) -> _Inner:
        # Room for all, touched only as far as used: memory that is not touched costs nothing.
        room = int(indptr[last] - indptr[first]) + 1
        inner = cls(
            first,
            np.empty(last - first + 1, np.int64),
            np.empty(room, np.int32),
            None if weights is None else np.empty(room, np.float32),
            np.zeros(len(indptr) - 1, np.int32),
        )
        out = inner.indptr, inner.rows, inner.weights, inner.in_degree
        _walk.inner_links(indptr, targets, weights, row_of, *out, first, last)
        return inner
