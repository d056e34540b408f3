"""The known pages of a crawl as rows of arrays, and the clock by which they age."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from frontier.refresh.chances import FIRST_RATE, ChangeChances
from frontier.strategy.order_driver import folder_places
from ranking.arrays import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from frontier.backend.ledger import UrlLedger
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


class KnownPages:
    """Rows of pages that may be looked at again: their ids, and where they lie."""

    def __init__(self, ledger: UrlLedger, first_rate: float = FIRST_RATE) -> None:
        self.chances = ChangeChances(first_rate)
        self._ledger = ledger
        self._ids = Column(np.int32)
        self._ended = Column(np.bool_)
        self.going = 0
        """Pages that may be looked at again."""
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

    def end(self, row: int, *, over: bool = True) -> None:
        """Note whether a page is not asked for any more."""
        self.going += int(self._ended.array[row]) - int(over)
        self._ended.array[row] = over

    def row(self, url_id: int) -> int | None:
        """Return the row of a page, None where it has none."""
        found = int(self.rows(np.array([url_id]))[0])
        return None if found < 0 else found

    def rows(self, ids: LongArray) -> LongArray:
        """Return the rows of URLs (k,), -1 where they have none."""
        own = self._ids.array[self._sorted]
        places = np.searchsorted(own, ids)
        places[places == len(own)] = 0
        found = np.full(len(ids), -1, np.int64)
        if len(own):
            known = own[places] == ids
            found[known] = self._sorted[places[known]]
        if self._recent:
            for at in np.flatnonzero(found < 0).tolist():
                found[at] = self._recent.get(int(ids[at]), -1)
        return found

    def add(self, url_id: int, url: str, at: float) -> int:
        """Add a page that was fetched for the first time; return its row."""
        row = self.chances.add(at, self._folder([url])[0], self._ledger.host_of(url_id))
        self._ids.push(url_id)
        self._ended.push(False)
        self.going += 1
        self._recent[url_id] = row
        if len(self._recent) > max(1000, len(self) // 64):
            self._sort()
        return row

    def restore(
        self,
        ids: LongArray,
        urls: Iterable[str],
        first: FloatArray,
        last: FloatArray,
        changes: FloatArray,
    ) -> None:
        """Add pages that an earlier run knew."""
        hosts = self._ledger.host.array[ids]
        folders = np.array(self._folder(urls), np.int64)
        self.chances.restore(first, last, changes, folders, hosts)
        self._ids.extend(ids)
        self._ended.resize(len(self._ids.array))
        self.going += len(ids)
        self._sort()

    def _folder(self, urls: Iterable[str]) -> list[int]:
        numbers = self._folders
        return [numbers.setdefault(one, len(numbers)) for one in folder_places(urls).tolist()]

    def _sort(self) -> None:
        self._sorted = np.argsort(self._ids.array, kind="stable").astype(np.int32)
        self._recent = {}
