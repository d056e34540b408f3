"""A link graph that does not change, and the matrices that the kernels read from it.

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
from ranking.sparse import BLOCK, LinkMatrix, SweepMatrix

NO_ROW = -1


@dataclass(frozen=True)
class Transition:
    """The random surfer's steps, without the pages where the surfer has no link to follow.

    Attributes:
        core: (k,) int32 ids of fetched pages with at least one followed link.
        inner: (k, k); entry [u, v] = probability to step from core page u to core page v.
        onward: (k, n); row u = probabilities of the steps from core page u; rows sum to 1.

    """

    core: IntArray
    inner: SweepMatrix
    onward: LinkMatrix


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
    def adjacency(self) -> LinkMatrix:
        """(m, n) matrix of weights; nofollow links are left out."""
        indptr, targets, weights = self._followed()
        return LinkMatrix(indptr, targets, self.n, None, weights)

    @cached_property
    def transition(self) -> Transition:
        """The surfer's steps on this graph, built once and shared by all PageRanks of it."""
        indptr, targets, weights = self._followed()
        rows = np.flatnonzero(np.diff(indptr))
        # Rows without links hold nothing: dropping them leaves targets and weights as they are.
        indptr, core = np.append(indptr[rows], indptr[-1]), self.pages[rows]
        share = 1 / _totals(indptr, weights)
        columns = self._places(core, targets)
        inside = columns != NO_ROW
        return Transition(
            core,
            SweepMatrix(
                _kept_indptr(indptr, inside),
                columns[inside],
                len(core),
                share,
                None if weights is None else weights[inside],
            ),
            LinkMatrix(indptr, targets, self.n, share, weights),
        )

    def _places(self, core: IntArray, targets: IntArray) -> IntArray:
        """Return the position in `core` of each target, NO_ROW where it is not there."""
        place = np.full(self.n, NO_ROW, np.int32)
        place[core] = np.arange(len(core), dtype=np.int32)
        found = np.empty(len(targets), np.int32)
        # By blocks: NumPy looks up by 64-bit copies of the targets.
        for start in range(0, len(targets), BLOCK):
            block = slice(start, start + BLOCK)
            found[block] = place[targets[block]]
        return found

    def _followed(self) -> tuple[LongArray, IntArray, SingleArray | None]:
        """Return indptr, targets and weights (None when all are 1) without nofollow links."""
        if self.weights is None:
            return self.indptr, self.targets, None
        followed = self.weights > 0
        weights = self.weights[followed]
        indptr, targets = _kept_indptr(self.indptr, followed), self.targets[followed]
        return indptr, targets, None if (weights == 1).all() else weights


def _kept_indptr(indptr: npt.NDArray[Any], kept: BoolArray) -> LongArray:
    before = np.zeros(len(kept) + 1, np.int32 if len(kept) <= MAX_ID else np.int64)
    np.cumsum(kept, out=before[1:])
    positions: LongArray = before[indptr].astype(np.int64)
    return positions


def _totals(indptr: LongArray, weights: SingleArray | None) -> FloatArray:
    """Return the sum of the weights of each row, of which none is empty."""
    degree = np.diff(indptr)
    if weights is None:
        return np.asarray(degree, np.float64)
    rows = np.repeat(np.arange(len(degree), dtype=np.int32), degree)
    return np.asarray(np.bincount(rows, weights, len(degree)), np.float64)
