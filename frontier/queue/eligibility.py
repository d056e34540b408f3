"""Host room, delayed URLs, and the wait-for-best rule."""

from __future__ import annotations

import time
from collections.abc import Callable
from heapq import heappop, heappush
from math import ceil
from typing import TypeVar

from frontier.queue.columns import Key

TOP_SHARE = 0.01
"""Share of the queue whose hosts are worth waiting for."""
RETRY_HOLD = 64
"""Requests that leave before a failed URL is tried again, or fewer if nothing else is queued.

Counted in requests, not in seconds, so that crawls are repeatable."""
_Leased = TypeVar("_Leased")
Room = Callable[[int], int]
"""How many more requests a host may get now; 0: none."""


class HostRoom:
    """The remaining room of each host during one `pop`."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._left: dict[int, int] = {}

    def of(self, host: int) -> int:
        left = self._left.get(host)
        if left is None:
            left = self._left[host] = self._room(host)
        return left

    def use(self, host: int) -> None:
        self._left[host] = self.of(host) - 1


class Eligibility:
    """Whether a URL may leave while better ones wait for their hosts.

    The share is one of ranks, because priorities of different strategies have no common scale. The
    cut is recomputed once an eighth of the best may have changed, which costs little for each URL.
    """

    def __init__(self) -> None:
        self._cut: Key = ()
        self._share = 1.0
        self._places = 0
        self._changes = 0

    def note(self, changes: int) -> None:
        """Count URLs that were added, removed or have new keys."""
        self._changes += changes

    def forget(self) -> None:
        """Recompute the cut at the next call."""
        self._share = 1.0

    def is_good(self, key: Key, share: float, best: Callable[[int], Key], n: int) -> bool:
        """Whether fewer than ceil(share * n) of the n waiting URLs have a better priority.

        `best` returns the key at a rank among these, counted from 1.
        """
        if share >= 1:
            return True
        if share != self._share or self._changes > self._places // 8:
            self._share, self._places, self._changes = share, max(1, ceil(share * n)), 0
            self._cut = best(self._places)[:2]
        return key[:2] <= self._cut


class HeldBack(dict[int, int]):
    """URL id -> the number of popped URLs from which on it may leave.

    Invariant: every pair is in the heap; other entries of the heap are released or outdated.
    """

    def __init__(self) -> None:
        super().__init__()
        self._heap: list[tuple[int, int]] = []

    def hold(self, url_id: int, due: int) -> None:
        """Let a URL wait, with a new number if it waits already."""
        self[url_id] = due
        heappush(self._heap, (due, url_id))

    def release(self, *ids: int) -> None:
        """End the wait of URLs, if they wait."""
        if self:
            for url_id in ids:
                self.pop(url_id, None)

    def due(self, n_popped: int) -> list[int]:
        """Release and return the URLs that have waited long enough."""
        ready = []
        while self._heap and self._heap[0][0] <= n_popped:
            due, url_id = heappop(self._heap)
            if self.get(url_id) == due:
                del self[url_id]
                ready.append(url_id)
        return ready


class WaitForBest:
    """The wait of a mediocre URL for better ones whose hosts are busy.

    After `seconds` without a lease a mediocre URL leaves, the next after half that time, and so on,
    until a good URL leaves and the whole wait holds again. So a slow or dead host with the best
    URLs costs the other hosts two waits at most, however long it is silent.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Wait for the best TOP_SHARE of the queue; 0 seconds: every URL is good."""
        self.share = TOP_SHARE if seconds else 1.0
        self._whole = self._wait = seconds
        self._clock = clock
        self._until = 0.0

    def seconds(self) -> float | None:
        """Seconds until a mediocre URL may leave; None if every URL is good."""
        return None if self.share >= 1 else max(0.0, self._until - self._clock())

    def take(
        self,
        take_best: Callable[[float], _Leased | None],
        lease_ahead: Callable[[], _Leased | None] = lambda: None,
    ) -> _Leased | None:
        """Lease a good URL, or after the wait the best URL whose host has room.

        `take_best` gets the share of the queue to search; `lease_ahead` is called if no good URL
        may leave.
        """
        lease = take_best(self.share) or lease_ahead()
        if lease is not None:
            self._wait_from_now(self._whole)
        elif self.seconds() == 0:
            lease = take_best(1.0)
            if lease is not None:
                self._wait_from_now(self._wait / 2)
        return lease

    def _wait_from_now(self, seconds: float) -> None:
        self._wait = seconds
        self._until = self._clock() + seconds
