"""Where a URL stands: its rank in the frontier, and what stands next to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.inspection.explain.records import Neighbour
from frontier.inspection.topmost import best_first, number_or_none
from frontier.states import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.inspection.resumed import Known
    from frontier.store import PageRow, StoreReader


class Queue:
    """The frontier of a crawl in the order in which it would leave if all hosts allowed it."""

    def __init__(
        self, reader: StoreReader, known: Known, queued: NDArray[np.int64] | None = None
    ) -> None:
        self._reader, self._known = reader, known
        self._queued = np.flatnonzero(known.states == State.QUEUED) if queued is None else queued

    def __len__(self) -> int:
        return len(self._queued)

    def of_host(self, host: int) -> Queue:
        """The part of it that waits for one host."""
        part = self._queued[self._known.hosts[self._queued] == host]
        return Queue(self._reader, self._known, part)

    def spread(self, n: int) -> NDArray[np.int64]:
        """Up to n of its ids, evenly spaced in the order of discovery."""
        n = min(n, len(self._queued))
        return self._queued[np.linspace(0, max(len(self._queued) - 1, 0), n).astype(np.int64)]

    def rank(self, url_id: int) -> int:
        """Rank of a queued URL: 1 + those of a higher class, or priority, or tie-breaker."""
        known, ids = self._known, self._queued
        classes, values, ties = (
            column[ids] for column in (known.classes, known.priority, known.fingerprints)
        )
        own = known.classes[url_id], known.priority[url_id], known.fingerprints[url_id]
        same = classes == own[0]
        equal = same & (values == own[1])
        better = (classes > own[0]) | (same & (values > own[1])) | (equal & (ties < own[2]))
        return 1 + int(better.sum())

    def ranks(self, first: int, last: int) -> tuple[Neighbour, ...]:
        """What has the ranks `first` to `last`, as far as there are any."""
        known, first = self._known, max(first, 1)
        best = best_first(self._queued, last, known.priority, known.fingerprints, known.classes)
        return tuple(
            self._neighbour(place, url_id)
            for place, url_id in enumerate(best[first - 1 :].tolist(), start=first)
        )

    def _neighbour(self, place: int, url_id: int) -> Neighbour:
        known = self._known
        return Neighbour(
            place=place,
            url=self._reader.urls_of([url_id])[0],
            state=State.QUEUED.name.lower(),
            priority=number_or_none(known.priority[url_id]),
            promise=number_or_none(known.promise[url_id]),
        )


def handed_out(
    reader: StoreReader, known: Known, page: PageRow, shown: int
) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
    """What left just before a fetched URL and just after it, up to `shown` each, nearest first."""
    if page.handout is None:
        return (), ()
    near = {
        one.handout: one
        for one in reader.handed_out_near(page)
        if one.handout is not None and one.handout != page.handout and one.url_id < known.n
    }
    before = sorted((number for number in near if number < page.handout), reverse=True)[:shown]
    after = sorted(number for number in near if number > page.handout)[:shown]
    return _told(reader, known, near, before), _told(reader, known, near, after)


def _told(
    reader: StoreReader, known: Known, near: dict[int, PageRow], numbers: list[int]
) -> tuple[Neighbour, ...]:
    return tuple(
        Neighbour(
            place=number,
            url=reader.urls_of([near[number].url_id])[0],
            state=State(near[number].state).name.lower(),
            priority=number_or_none(near[number].priority),
            promise=number_or_none(known.promise[near[number].url_id]),
        )
        for number in numbers
    )
