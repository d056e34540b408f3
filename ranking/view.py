"""A link graph that does not change, and the sparse matrices that the kernels read from it.

Fetched pages are rows, numbered in crawl order; all ids are columns. An unfetched URL has no
row: it is dangling, as most of a crawl's graph is. So the surfer's steps are kept twice
(Transition): among the pages that have links, where the iteration runs, and from those to every
id, for one product at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import BoolArray, IntArray, LongArray, SingleArray

NO_ROW = -1


@dataclass(frozen=True)
class Transition:
    """The random surfer's steps, without the pages where the surfer has no link to follow.

    Attributes:
        core: (k,) int32 ids of fetched pages with at least one followed link.
        inward: (k, k) CSR; entry [v, u] = probability to step from core page u to core page v.
        onward: (k, n) CSR; row u = probabilities of the steps from core page u; rows sum to 1.

    """

    core: IntArray
    inward: Any
    onward: Any


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
        shape = (self.n_pages, self.n)
        if self.weights is None:
            return _csr((np.ones(self.n_links), self.targets, self.indptr), shape)
        followed = self.weights > 0
        data = self.weights[followed].astype(np.float64)
        indptr = _kept_indptr(self.indptr, followed)
        return _csr((data, self.targets[followed], indptr), shape)

    @cached_property
    def transition(self) -> Transition:
        """The surfer's steps on this graph, built once and shared by all PageRanks of it."""
        links = self.adjacency
        degree = np.diff(links.indptr)
        rows = np.flatnonzero(degree)
        core = self.pages[rows]
        weight = links @ np.ones(self.n)
        # Rows without links hold no data: dropping them leaves data and indices as they are.
        indptr = np.append(links.indptr[rows], links.indptr[-1])
        data = links.data / np.repeat(weight[rows], degree[rows])
        onward = _csr((data, links.indices, indptr), (len(core), self.n))
        return Transition(core, _inward(onward, core), onward)


def _inward(onward: Any, core: IntArray) -> Any:
    place = np.full(onward.shape[1], NO_ROW, np.int32)
    place[core] = np.arange(len(core), dtype=np.int32)
    columns = place[onward.indices]
    inside = columns != NO_ROW
    indptr = _kept_indptr(onward.indptr, inside)
    square = (len(core), len(core))
    return _csr((onward.data[inside], columns[inside], indptr), square).T.tocsr()


def _kept_indptr(indptr: npt.NDArray[Any], kept: BoolArray) -> LongArray:
    before = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    positions: LongArray = before[indptr]
    return positions


def _csr(arrays: tuple[Any, Any, Any], shape: tuple[int, int]) -> Any:
    """Data, indices, indptr -> CSR matrix."""
    # Here, not above: it takes 22 MB, and half of the crawl orders never rank.
    from scipy.sparse import csr_array

    return csr_array(arrays, shape=shape)
