"""The link graph of a crawl: a log of fetched pages.

Every fetched page appends one record, its out-links, and gets the next *row*; rows are numbered
in crawl order. The log is three growing buffers (pages, indptr, targets: 4 bytes a link) and a
fourth, 4 bytes a link, once a link has another weight than 1. A snapshot is a slice of each buffer:
it costs microseconds, and a thread may rank it while pages are appended, because values that a
slice can see never change. A page that is read again gets a new row; its old row is dead and is
dropped by the next snapshot, which then copies the living rows into new buffers.
"""

from __future__ import annotations

from threading import RLock

import numpy as np
import numpy.typing as npt

from ranking.arrays import (
    Column,
    IntArray,
    SingleArray,
    as_count,
    as_page,
    as_weights,
    frozen,
)
from ranking.errors import RankingInputError
from ranking.graph import _links
from ranking.graph.links import NO_ROW, as_edges, grouped_edges, page_links
from ranking.graph.view import CleanView, GraphView


class LinkGraph:
    """The growing graph; every id below `n` is a node, those with a record are fetched.

    One thread may append while another takes snapshots, or ranks the graph, which takes one.

    Invariant: `_row[page]` is the one living row of a fetched page, NO_ROW of any other id.
    """

    def __init__(self, n: int = 0) -> None:
        self._lock = RLock()
        self._pages = Column(np.int32)
        self._indptr = Column(np.int64)
        self._indptr.push(0)
        self._targets = Column(np.int32)
        self._totals = Column(np.float64)
        self._weights: Column[np.float32] | None = None
        self._row = Column(np.int32, NO_ROW)
        self._row_is_shared = False
        self._log = object()
        self._dead = 0
        self._dead_links = 0
        self.grow(n)

    @classmethod
    def from_edges(
        cls,
        sources: npt.ArrayLike,
        targets: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        n: int | None = None,
    ) -> LinkGraph:
        """A graph of links given as pairs; every source counts as fetched, in order of its id.

        Args:
            sources: (L,) ids.
            targets: (L,) ids.
            weights: (L,) finite numbers >= 0, 0 = nofollow; None: all 1.
            n: number of ids; None: the highest id + 1. Ids cost 8 bytes each here, used or not:
                number them densely.

        Raises:
            RankingInputError: lengths that differ, ids or weights out of range.

        """
        from_ids, to_ids = as_edges(sources, targets)
        highest = max(int(from_ids.max(initial=-1)), int(to_ids.max(initial=-1)))
        if n is not None and as_count(n) <= highest:
            raise RankingInputError(f"n must exceed the highest id, {highest}, got {n}")
        checked = None
        if weights is not None:
            checked = as_weights("weights", weights, len(to_ids))
        size = highest + 1 if n is None else n
        return cls.from_log(GraphView(*grouped_edges(size, from_ids, to_ids, checked)))

    @classmethod
    def from_log(cls, log: GraphView) -> LinkGraph:
        """The graph that appending the rows of a raw history one by one would give."""
        graph = cls(log.n)
        graph._adopt(log.cleaned()[0])
        return graph

    @property
    def n(self) -> int:
        """Number of ids, fetched or not."""
        return len(self._row.array)

    @property
    def n_pages(self) -> int:
        """Number of fetched pages."""
        return len(self._pages.array) - self._dead

    @property
    def n_links(self) -> int:
        """Number of links of fetched pages, nofollow links included."""
        return len(self._targets.array) - self._dead_links

    def grow(self, n: int) -> None:
        """Make ids 0 to n - 1 known; a smaller n than before changes nothing."""
        n = as_count(n)
        with self._lock:
            self._row.resize(n)

    def append(
        self, page: int, targets: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> None:
        """Record the out-links of a fetched page; O(links).

        Links to itself are dropped and repeated targets merged (largest weight). A page that has
        a record gets this one instead and moves to the end of the crawl order. Ids beyond n
        grow the graph.

        Args:
            page: id.
            targets: (k,) ids.
            weights: (k,) finite numbers >= 0, 0 = nofollow; None: all 1.

        Raises:
            RankingInputError: ids or weights out of range, lengths that differ.

        """
        page = as_page(page)
        ids, weight, highest = page_links(page, targets, weights)
        with self._lock:
            self._record(page, ids, weight, highest)

    def _record(self, page: int, ids: IntArray, weight: SingleArray | None, highest: int) -> None:
        self._row.resize(max(page, highest) + 1)
        self._bury(page)
        self._row.array[page] = len(self._pages.array)
        self._extend_weights(ids, weight)
        self._targets.extend(ids)
        self._pages.push(page)
        self._indptr.push(len(self._targets.array))
        self._totals.push(len(ids) if weight is None else _links.weigh(weight)[0])

    def links(self, page: int) -> tuple[IntArray, SingleArray | None]:
        """Targets (k,) and weights (k,) or None that are on record for a page; empty if none."""
        row = self._row.array[page] if 0 <= page < self.n else NO_ROW
        if row == NO_ROW:
            return np.empty(0, np.int32), None
        first, last = self._indptr.array[row : row + 2].tolist()
        weights = None if self._weights is None else self._weights.array[first:last]
        return self._targets.array[first:last], weights

    def snapshot(self) -> GraphView:
        """The graph as it is now; O(1), or O(links) after a page's record was replaced."""
        with self._lock:
            if self._dead:
                self._compact()
            self._row_is_shared = True
            return CleanView(
                self.n,
                frozen(self._pages.array),
                frozen(self._indptr.array),
                frozen(self._targets.array),
                None if self._weights is None else frozen(self._weights.array),
                # Rows that are given out later are beyond the view's, which is how it knows them.
                frozen(self._row.array),
                self._log,
                frozen(self._totals.array),
            )

    def _bury(self, page: int) -> None:
        row = self._row.array[page]
        if row == NO_ROW:
            return
        self._dead += 1
        self._dead_links += int(self._indptr.array[row + 1] - self._indptr.array[row])
        if self._row_is_shared:
            # The page keeps its row in the snapshots that were taken.
            rows, self._row = self._row.array, Column(np.int32, NO_ROW)
            self._row.extend(rows)
            self._row_is_shared = False

    def _extend_weights(self, ids: IntArray, weight: SingleArray | None) -> None:
        if weight is not None and self._weights is None and not (weight == 1).all():
            self._weights = Column(np.float32, fill=1)
            self._weights.resize(len(self._targets.array))
        if self._weights is None:
            return
        if weight is None:
            self._weights.resize(len(self._targets.array) + len(ids))
        else:
            self._weights.extend(weight)

    def _compact(self) -> None:
        arrays = self._pages.array, self._indptr.array, self._targets.array
        weights = None if self._weights is None else self._weights.array
        self._adopt(GraphView(self.n, *arrays, weights).cleaned()[0])

    def _adopt(self, view: GraphView) -> None:
        # New columns, not the old ones rewritten: an earlier snapshot may still be in use.
        self._log = object()
        self._pages, self._indptr = Column.adopt(view.pages), Column.adopt(view.indptr)
        self._targets, self._weights = Column(np.int32), None
        self._extend_weights(view.targets, view.weights)
        self._targets, self._totals = Column.adopt(view.targets), Column.adopt(view.totals)
        self._dead = self._dead_links = 0
        self._row, self._row_is_shared = Column(np.int32, NO_ROW), False
        self.grow(view.n)
        self._row.array[view.pages] = np.arange(view.n_pages, dtype=np.int32)
