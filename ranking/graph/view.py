"""A link graph that does not change, and what the kernels share of it.

Fetched pages are rows, numbered in crawl order; all ids are columns. An unfetched URL has no
row: it is dangling, as most of a crawl's graph is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import BoolArray, FloatArray, IntArray, LongArray, SingleArray, as_known_ids
from ranking.errors import RankingInputError
from ranking.graph import _links
from ranking.graph.links import NO_ROW, clean

ROWS = 1 << 16
"""Rows of a pass that needs temporary arrays of a value for each link."""


class GraphView:
    """A link graph that does not change: m fetched pages, L links, n ids.

    Attributes:
        n: ids are 0 to n - 1.
        pages: (m,) int32, fetched pages in crawl order; row i belongs to pages[i].
        indptr: (m + 1,) int64; the links of row i are targets[indptr[i]:indptr[i + 1]].
        targets: (L,) int32.
        weights: (L,) float32 >= 0, 0 = nofollow; None when all are 1.
        log: the history that the rows are from. Two views of one log agree in the rows that
            both have, so what was computed from the smaller one can be continued.
        derived: what rankings made of the view for themselves, by the type of it.

    One built by hand is a raw history: a page may have several rows, a row self-loops and repeated
    links. `LinkGraph.from_log` and `Evidence.load` clean it, and so does every ranking that is
    given one, by `snapshot`. What `LinkGraph.snapshot` makes is a `CleanView` and taken as it is.
    """

    def __init__(
        self,
        n: int,
        pages: IntArray,
        indptr: LongArray,
        targets: IntArray,
        weights: SingleArray | None = None,
        row_of: IntArray | None = None,
        log: object | None = None,
        totals: FloatArray | None = None,
    ) -> None:
        self.n = n
        self.pages = pages
        self.indptr = indptr
        self.targets = targets
        self.log = object() if log is None else log
        self.weights = weights
        self._row_of = row_of
        self._totals = totals
        self.derived: dict[type, Any] = {}

    def snapshot(self) -> GraphView:
        """The clean view of this history, made once; kernels take it unchecked.

        Raises RankingInputError for arrays that do not fit together, and for ids not below n.
        """
        return self._cleaned

    @cached_property
    def _cleaned(self) -> GraphView:
        as_known_ids("pages", self.pages, self.n)
        as_known_ids("targets", self.targets, self.n)
        return self.cleaned()[0]

    def cleaned(
        self, *values: npt.NDArray[Any]
    ) -> tuple[CleanView, BoolArray, tuple[npt.NDArray[Any], ...]]:
        """The clean view, a mask (m,) of the rows that live, and `values` of the links that stay.

        See `ranking.graph.links.clean`. Ids beyond n are known to the clean view.
        """
        rows = self.n, self.pages, self.indptr, self.targets, self.weights
        kept, living, merged = clean(rows, *values)
        return CleanView(*kept), living, merged

    @property
    def n_pages(self) -> int:
        """Number of rows, m."""
        return len(self.pages)

    @property
    def n_links(self) -> int:
        """Number of links, L."""
        return len(self.targets)

    @cached_property
    def rows(self) -> IntArray:
        """(L,) int32 row of each link."""
        return np.repeat(np.arange(self.n_pages, dtype=np.int32), np.diff(self.indptr))

    @cached_property
    def row_of(self) -> IntArray:
        """(n,) int32 row of each id; negative, or m and more, where it has none in this view."""
        if self._row_of is not None:
            return self._row_of
        rows = np.full(self.n, NO_ROW, np.int32)
        rows[self.pages] = np.arange(self.n_pages, dtype=np.int32)
        return rows

    @cached_property
    def totals(self) -> FloatArray:
        """(m,) sum of the weights of each row's links; 0 for a page that dangles."""
        if self._totals is not None:
            return self._totals
        if self.weights is None:
            return np.diff(self.indptr).astype(np.float64)
        return np.concatenate([np.empty(0), *self._totals_by_portion(self.weights)])

    def _totals_by_portion(self, weights: SingleArray) -> Iterator[FloatArray]:
        """Yield the sums of ROWS rows at a time: `bincount` copies what it gets twice."""
        for _, indptr in self.portions():
            rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
            of_rows = weights[indptr[0] : indptr[-1]].astype(np.float64)
            yield np.bincount(rows, of_rows, len(indptr) - 1).astype(np.float64, copy=False)

    def portions(self) -> Iterator[tuple[int, LongArray]]:
        """Yield ROWS rows at a time: the first one, and their part of `indptr`."""
        for first in range(0, self.n_pages, ROWS):
            yield first, self.indptr[first : first + ROWS + 1]

    def times(self, values: FloatArray) -> FloatArray:
        """A · values, (n,) -> (m,), of the matrix A of weights: a row a page, a column an id.

        Raises RankingInputError for vectors of another length, as the next two.
        """
        _check("values", values, self.n)
        result = np.empty(self.n_pages)
        _links.gather(self.indptr, self.targets, self.weights, values, result)
        return result

    def spread(self, values: FloatArray) -> FloatArray:
        """Aᵀ · values, (m,) -> (n,)."""
        result = np.zeros(self.n)
        self.spread_onto(result, values)
        return result

    def spread_onto(self, result: FloatArray, values: FloatArray) -> None:
        """Add Aᵀ · values (m,) to `result` (n,)."""
        _check("values", values, self.n_pages)
        _check("result", result, self.n)
        _links.scatter(self.indptr, self.targets, self.weights, values, result)


class CleanView(GraphView):
    """A view whose arrays fit together, with one row a page, no self-loops, no repeated links."""

    def snapshot(self) -> GraphView:
        """Itself."""
        return self

    def cleaned(
        self, *values: npt.NDArray[Any]
    ) -> tuple[CleanView, BoolArray, tuple[npt.NDArray[Any], ...]]:
        """Itself, and all of its rows and links."""
        return self, np.ones(self.n_pages, np.bool_), values


def _check(name: str, vector: FloatArray, size: int) -> None:
    if vector.shape != (size,):
        raise RankingInputError(f"{name} must have shape ({size},), got {vector.shape}")
