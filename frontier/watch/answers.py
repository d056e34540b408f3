"""All answers of a crawl in columns, read once, in their order, a little at a time.

15 bytes an answer and 4 a URL: of a million pages that is less than 20 MB. What a URL was answered
before counts no longer.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frontier.states import State
from ranking.arrays import Column

if TYPE_CHECKING:
    from frontier.store import StoreReader
    from ranking.arrays import BoolArray, LongArray

_PORTION: Final = 500
_FAILED: Final = (State.ERROR, State.ROBOTS, State.FILTERED)
_SUPERSEDED: Final = 0
"""In the column of states: the URL has a later answer."""
_MOST_REASONS: Final = 2**16 - 1
_OTHERS: Final = "other reasons"


class Answers:
    """The answers read so far; columns have one row an answer."""

    def __init__(self) -> None:
        self._ids, self._hosts = Column(np.int32), Column(np.int32)
        self._states, self._reasons = Column(np.uint8), Column(np.uint16)
        self._relevance = Column(np.float32)
        self._last = Column(np.int32)  # by URL: 1 + the row of its last answer
        self._names: dict[str | None, int] = {_OTHERS: 0}

    def __len__(self) -> int:
        return len(self._ids.array)

    def read(self, reader: StoreReader, seconds: float) -> None:
        """Go on for about so long, or until all that is stored has been read."""
        until = time.perf_counter() + seconds
        while rows := reader.answered_in(range(len(self), len(self) + _PORTION)):
            with reader.reading():
                self._take(rows)
            if time.perf_counter() >= until:
                return

    def _take(self, rows: list[tuple[Any, ...]]) -> None:
        first = len(self)
        ids, states, errors, relevance, hosts = zip(*rows, strict=True)
        self._ids.extend(ids)
        self._hosts.extend(hosts)
        self._states.extend(states)
        self._reasons.extend([self._number(one) for one in errors])
        self._relevance.extend(np.array(relevance, np.float32))
        self._last.resize(max(ids) + 1)
        backwards = self._ids.array[first:][::-1]
        some, behind = np.unique(backwards, return_index=True)
        latest = len(self) - 1 - behind
        is_latest = np.zeros(len(rows), np.bool_)
        is_latest[latest - first] = True
        before = self._last.array[some]
        self._states.array[before[before > 0] - 1] = _SUPERSEDED
        self._states.array[first:][~is_latest] = _SUPERSEDED
        self._last.array[some] = latest + 1

    def _number(self, error: str | None) -> int:
        number = self._names.get(error)
        if number is None:
            number = len(self._names)
            if number > _MOST_REASONS:
                return 0
            self._names[error] = number
        return number

    # -- what is asked ----------------------------------------------------------------------------

    @property
    def _is_page(self) -> BoolArray:
        return np.equal(self._states.array, State.CRAWLED)

    def counts(self, relevant_from: float) -> dict[str, int]:
        """How many URLs were fetched, judged, relevant, and how many failed."""
        relevance = self._relevance.array[self._is_page]
        return {
            "pages": len(relevance),
            "judged": int((~np.isnan(relevance)).sum()),
            "relevant": int((relevance >= relevant_from).sum()),
            "failed": int(np.isin(self._states.array, _FAILED).sum()),
        }

    def errors(self, most: int) -> list[dict[str, Any]]:
        """The most frequent reasons of URLs that failed, and how many each has."""
        failed = self._reasons.array[np.isin(self._states.array, _FAILED)]
        counts = np.bincount(failed, minlength=len(self._names)).tolist()
        named = [(count, name) for name, count in zip(self._names, counts, strict=True) if count]
        named.sort(key=lambda one: (-one[0], one[1] or ""))
        return [{"count": count, "reason": name or "unknown"} for count, name in named[:most]]

    def pages(self, host: int | None = None) -> LongArray:
        """Rows of what was fetched and is a page now, oldest first; of one host or of all."""
        chosen = self._is_page
        if host is not None:
            chosen &= self._hosts.array == host
        return np.flatnonzero(chosen)

    def ids(self, rows: LongArray) -> LongArray:
        """int64[k], URLs of rows."""
        return self._ids.array[rows].astype(np.int64)

    def relevance(self, rows: LongArray) -> Any:
        """float32[k] of rows, NaN where it is not known."""
        return self._relevance.array[rows]

    def best(self, rows: LongArray, most: int) -> LongArray:
        """Some of the rows, those of the greatest relevance, greatest first."""
        values = np.nan_to_num(self.relevance(rows), nan=-1.0)
        return rows[best_places(values, most)]


def best_places(values: Any, most: int) -> LongArray:
    """Places of the greatest values, greatest first, of equal ones the later one."""
    places = np.arange(len(values))
    if len(values) > most:
        places = np.sort(np.argpartition(-values, most - 1)[:most])
    return places[np.lexsort((-places, -values[places]))]
