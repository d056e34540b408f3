"""The known pages of a crawl as rows of arrays, and the clock by which they age."""

from __future__ import annotations

import time
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frontier.refresh.chances import FIRST_RATE, ChangeChances
from frontier.states import ENDED, Change, Mark
from frontier.store.rows import RevisitColumns
from frontier.urls.places import folder_places
from ranking.arrays import Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frontier.backend.ledger import UrlLedger
    from frontier.store.queries import Queries
    from ranking.arrays import BoolArray, FloatArray, LongArray


class CrawlClock:
    """Unix seconds that go on steadily: a clock that is set makes nothing due, and nothing late.

    They begin with the wall's, but not before what was seen last.
    """

    def __init__(
        self,
        latest: float,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._steady = steady
        self._offset = max(wall(), latest) - steady()

    def __call__(self) -> float:
        return self._offset + self._steady()


class SeenPages(NamedTuple):
    """The k pages that were ever fetched, as they are stored; times in Unix seconds.

    A page that was never revisited was seen when it was fetched.
    """

    ids: LongArray
    """Ascending."""
    first: FloatArray
    last: FloatArray
    changes: FloatArray
    """As `ChangeChances.changes` has them."""
    signalled: BoolArray
    """Whether a change is named that is later than the last revisit."""
    result: NDArray[np.uint8]
    """A `Change` each: what the last revisit found."""
    unkept: BoolArray
    """Whether it was asked for by more than its URL, and no revisit is kept that says by what."""

    @classmethod
    def of(cls, store: Queries, revisits: RevisitColumns, n: int) -> SeenPages:
        """Those of the first n URLs."""
        ids, times, marks = store.fetch_times()
        inside = ids < n  # beside a running crawl there may be newer ones
        first, changes = np.full(n, np.nan), np.zeros(n)
        first[ids[inside]] = times[inside]
        last = first.copy()
        signalled, unkept = np.zeros((2, n), np.bool_)
        results = np.full(n, Change.NEW, np.uint8)
        unkept[ids[inside & ((marks & Mark.REQUESTED) > 0)]] = True
        inside = revisits.ids < n
        revisits = RevisitColumns._make(column[inside] for column in revisits)
        first[revisits.ids], last[revisits.ids], changes[revisits.ids] = (
            revisits.first,
            revisits.last,
            revisits.rated,
        )
        signalled[revisits.ids] = revisits.signalled > revisits.last
        results[revisits.ids] = revisits.result
        unkept[revisits.ids] = False
        everything = cls(np.arange(n), first, last, changes, signalled, results, unkept)
        return everything.of_these(~np.isnan(last))

    @property
    def ended(self) -> BoolArray:
        """bool[k]: whether the last revisit found that there is no such page any more."""
        return np.isin(self.result, ENDED)

    def of_these(self, chosen: BoolArray) -> SeenPages:
        """Some of them."""
        return SeenPages._make(column[chosen] for column in self)


class KnownPages:
    """Rows of pages that may be revisited: their ids, and where they lie."""

    def __init__(self, ledger: UrlLedger, first_rate: float = FIRST_RATE) -> None:
        self.chances = ChangeChances(first_rate)
        self._ledger = ledger
        self._ids = Column(np.int32)
        self._ended = Column(np.bool_)
        self._earliest = Column(np.uint32)
        self.going = 0
        """Pages that may be revisited."""
        self._folders: dict[int, int] = {}
        self._sorted = np.empty(0, np.int32)
        self._recent: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._ids.array)

    @property
    def ids(self) -> LongArray:
        """int64[n], URL ids."""
        return self._ids.array.astype(np.int64)

    def url_id(self, row: int) -> int:
        """Return the id of the page of a row."""
        return int(self._ids.array[row])

    @property
    def ended(self) -> BoolArray:
        """bool[n], pages that are not asked for any more."""
        return self._ended.array

    @property
    def earliest(self) -> NDArray[np.uint32]:
        """uint32[n], Unix seconds from which each page may be revisited."""
        return self._earliest.array

    def wait(self, rows: int | LongArray, until: float | FloatArray) -> None:
        """Leave pages alone until so many Unix seconds."""
        self._earliest.array[rows] = np.ceil(until)

    def end(self, row: int, *, over: bool = True) -> None:
        """Note whether a page is not asked for any more."""
        self.going += int(self._ended.array[row]) - int(over)
        self._ended.array[row] = over

    def row(self, url_id: int) -> int | None:
        """Return the row of a page, None where it has none; O(log n)."""
        if url_id in self._recent:
            return self._recent[url_id]
        ids, by_id = self._ids.array, self._sorted
        place = bisect_left(range(len(by_id)), url_id, key=lambda at: ids[by_id[at]])
        is_known = place < len(by_id) and ids[by_id[place]] == url_id
        return int(by_id[place]) if is_known else None

    def rows(self, ids: LongArray) -> LongArray:
        """Return the rows of URLs (k,), -1 where they have none; O(n)."""
        own = self._ids.array[self._sorted]
        places = np.searchsorted(own, ids)
        places[places == len(own)] = 0
        rows = np.full(len(ids), -1, np.int64)
        if len(own):
            known = own[places] == ids
            rows[known] = self._sorted[places[known]]
        if self._recent:
            for at in np.flatnonzero(rows < 0).tolist():
                rows[at] = self._recent.get(int(ids[at]), -1)
        return rows

    def add(self, url_id: int, url: str, at: float) -> int:
        """Add a page that was fetched for the first time; return its row."""
        folder = self._folder(folder_places([url]))[0]
        row = self.chances.add(at, folder, self._ledger.host_of(url_id))
        self._ids.push(url_id)
        self._ended.push(False)
        self._earliest.push(0)
        self.going += 1
        self._recent[url_id] = row
        if len(self._recent) > max(1000, len(self) // 64):
            self._sort()
        return row

    def restore(
        self,
        ids: LongArray,
        places: NDArray[np.uint32],
        first: FloatArray,
        last: FloatArray,
        changes: FloatArray,
    ) -> None:
        """Add pages that an earlier run knew; `places` are the `folder_places` of their URLs."""
        hosts = self._ledger.host.array[ids]
        folders = np.array(self._folder(places), np.int64)
        self.chances.restore(first, last, changes, folders, hosts)
        self._ids.extend(ids)
        self._ended.resize(len(self._ids.array))
        self._earliest.resize(len(self._ids.array))
        self.going += len(ids)
        self._sort()

    def _folder(self, places: NDArray[np.uint32]) -> list[int]:
        numbers = self._folders
        return [numbers.setdefault(place, len(numbers)) for place in places.tolist()]

    def _sort(self) -> None:
        self._sorted = np.argsort(self._ids.array, kind="stable").astype(np.int32)
        self._recent = {}
