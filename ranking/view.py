"""A link graph that does not change, and the sparse matrices that the kernels read from it.

Fetched pages are rows, numbered in crawl order; all ids are columns. An unfetched URL has no
row: it is dangling, as most of a crawl's graph is. So the surfer's steps are needed twice
(Transition): among the pages that have links, where the iteration runs, and from those to every
id, for one product at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import MAX_ID, BoolArray, FloatArray, IntArray, LongArray, SingleArray

NO_ROW = -1


@dataclass(frozen=True)
class Transition:
    """The random surfer's steps, without the pages where the surfer has no link to follow.

    The probabilities follow from the links and are held only where a sweep reads them: with
    twenty links a page, a float64 a link is what a re-rank takes most of its memory for.

    Attributes:
        n: number of ids.
        core: (k,) int32 ids of fetched pages with at least one followed link.
        indptr: (k + 1,) the links of core page u are targets[indptr[u]:indptr[u + 1]].
        targets: (L,) int32.
        weights: (L,) float32 > 0; None when all are 1.

    """

    n: int
    core: IntArray
    indptr: LongArray
    targets: IntArray
    weights: SingleArray | None

    @cached_property
    def inward(self) -> Any:
        """(k, k) CSR; entry [v, u] = probability to step from core page u to core page v."""
        place = np.full(self.n, NO_ROW, np.int32)
        place[self.core] = np.arange(len(self.core), dtype=np.int32)
        columns = place[self.targets]
        inside = columns != NO_ROW
        indptr, columns = _kept_indptr(self.indptr, inside), columns[inside]
        if self.weights is None:
            data = np.repeat(1 / self._total, np.diff(indptr))
        else:
            data = self._probabilities()[inside]
        del inside
        square = (len(self.core), len(self.core))
        return _csr((data, columns, indptr), square).T.tocsr()

    @property
    def onward(self) -> Any:
        """(k, n) CSR; row u = probabilities of the steps from core page u; rows sum to 1.

        Made anew each time: a ranking reads it once, when it is done with everything else.
        """
        shape = (len(self.core), self.n)
        return _csr((self._probabilities(), self.targets, self.indptr), shape)

    @cached_property
    def _total(self) -> FloatArray:
        """(k,) sum of the weights of a page's links, > 0."""
        degree = np.diff(self.indptr)
        if self.weights is None:
            return np.asarray(degree, np.float64)
        rows = np.repeat(np.arange(len(degree)), degree)
        return np.asarray(np.bincount(rows, self.weights, len(degree)), np.float64)

    def _probabilities(self) -> FloatArray:
        """(L,) of all steps."""
        degree = np.diff(self.indptr)
        if self.weights is None:
            return np.repeat(1 / self._total, degree)
        probabilities = np.repeat(self._total, degree)
        np.divide(self.weights, probabilities, out=probabilities)
        return probabilities


@dataclass(frozen=True, eq=False)
class GraphView:
    """A link graph that does not change: m fetched pages, L links, n ids.

    Attributes:
        n: ids are 0 to n - 1.
        pages: (m,) int32, fetched pages in crawl order; row i belongs to pages[i].
        indptr: (m + 1,) int64; the links of row i are targets[indptr[i]:indptr[i + 1]].
        targets: (L,) int32.
        weights: (L,) float32 >= 0, 0 = nofollow; None when all are 1.

    A view that `LinkGraph.snapshot` made has one row a page, no self-loops and no repeated
    links. One built by hand may have them: it is a raw history, to be given to
    `LinkGraph.from_log` and `Evidence.load`, which clean it.
    """

    n: int
    pages: IntArray
    indptr: LongArray
    targets: IntArray
    weights: SingleArray | None = None

    def snapshot(self) -> GraphView:
        """Itself: kernels take a LinkGraph or a view."""
        return self

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
    def adjacency(self) -> Any:
        """(m, n) CSR float64 of weights; nofollow links are left out."""
        indptr, targets, weights = self._followed()
        data = np.ones(len(targets)) if weights is None else weights.astype(np.float64)
        return _csr((data, targets, indptr), (self.n_pages, self.n))

    @cached_property
    def transition(self) -> Transition:
        """The surfer's steps on this graph, built once and shared by all PageRanks of it."""
        indptr, targets, weights = self._followed()
        rows = np.flatnonzero(np.diff(indptr))
        # Rows without links hold nothing: dropping them leaves targets and weights as they are.
        kept = np.append(indptr[rows], indptr[-1])
        return Transition(self.n, self.pages[rows], kept, targets, weights)

    def _followed(self) -> tuple[LongArray, IntArray, SingleArray | None]:
        """Return indptr, targets and weights (None when all are 1) without nofollow links."""
        if self.weights is None:
            return self.indptr, self.targets, None
        followed = self.weights > 0
        weights = self.weights[followed]
        indptr, targets = _kept_indptr(self.indptr, followed), self.targets[followed]
        return indptr, targets, None if (weights == 1).all() else weights


def _kept_indptr(indptr: npt.NDArray[Any], kept: BoolArray) -> LongArray:
    before = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    positions: LongArray = before[indptr]
    return positions


def _csr(arrays: tuple[Any, Any, Any], shape: tuple[int, int]) -> Any:
    """Data, indices, indptr -> CSR matrix."""
    # Here, not above: it takes 22 MB, and half of the crawl orders never rank.
    from scipy.sparse import csr_array

    data, indices, indptr = arrays
    if indptr[-1] <= MAX_ID:
        # With a wider indptr scipy would copy all indices to its type, twice the size.
        indptr = indptr.astype(indices.dtype)
    return csr_array((data, indices, indptr), shape=shape)
