"""How the next request leaves: what it waits for, which URL it is, and several in one commit.

Two things are about to change the order and take milliseconds: a page that was just downloaded is
being read, and a re-rank that is due is being finished. Waiting for them (`OrderWait`) costs less
than a request spent on the second best page, and makes a crawl with one request at a time repeat
exactly. Neither wait is longer than READING_WAIT, or ALONE_WAIT where one request is made at a
time. The longer wait, for hosts, is `frontier.queue.eligibility`.

The engine asks for one request after the other until the downloader has no place left, and nothing
is learned in between; a transaction for each of them would cost more than all that it writes. So
`ReadyRequests` takes as many as there are places, one by one by the same rules, and writes their
leases down before any of them leaves.
"""

from __future__ import annotations

import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from frontier.plugin import compat
from frontier.plugin.settings import value
from frontier.queue.eligibility import WaitForBest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from scrapy import Request
    from scrapy.crawler import Crawler

    from frontier.config import CrawlConfig
    from frontier.politeness import PolitenessPolicy
    from frontier.protocol import Frontier
    from frontier.records import Lease

    Room = Callable[..., int]
    """Returns the number of pages of a slot that may be leased now."""

READING_WAIT = 0.25
"""Seconds, or FRONTIER_WAIT_FOR_BEST where that is less: Scrapy 2.13 alone takes a tenth of a
second to begin with a page."""
ALONE_WAIT = 5.0
"""Seconds. On a machine with much else to do, what takes milliseconds can take a second."""

FEW_HOSTS = 4
"""Hosts that are asked about, one by one, before a URL is looked for in the queue."""
_POLL = 0.005
"""Seconds after which to look whether a re-rank has finished: its thread cannot call the engine."""


class OrderWait:
    """How long the next lease waits for a change of the order that is about to come."""

    def __init__(
        self,
        rerank_overdue: Callable[[], bool],
        places: int,
        longest: float,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """`places` is how many requests are made at once in all, `longest` is in seconds.

        `wake` is called when a wait ends before its time.
        """
        self._rerank_overdue = rerank_overdue
        self._wake = wake
        self._longest = ALONE_WAIT if places == 1 else longest
        self._overdue_since: float | None = None
        self._unread: dict[int, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, rerank_overdue: Callable[[], bool]) -> OrderWait:
        places = crawler.settings.getint("CONCURRENT_REQUESTS")
        longest = min(value(crawler.settings, "FRONTIER_WAIT_FOR_BEST"), READING_WAIT)
        return cls(rerank_overdue, places, longest, lambda: compat.wake(crawler))

    def downloaded(self, flight: int) -> None:
        """Note that a page came in and is going to be read."""
        self._unread[flight] = time.monotonic()

    def read(self, flight: int) -> None:
        """Note that the frontier has learned from a page."""
        self._unread.pop(flight, None)

    def suspended(self, flight: int) -> None:
        """Note that the callback of a page waits for something itself: it is not waited for."""
        if self._unread.pop(flight, None) is not None:
            self._wake()

    def suspended_in_crowd(self, flight: int) -> None:
        """Note that the text of a page is waited for; a crawl of one request at a time waits."""
        if self._longest != ALONE_WAIT:
            self.suspended(flight)

    def seconds(self) -> float | None:
        """Seconds after which to ask again, None if nothing is to be waited for."""
        now = time.monotonic()
        return self._for_reading(now) or self._for_rerank(now)

    def _for_reading(self, now: float) -> float | None:
        for flight, since in list(self._unread.items()):
            if now - since < self._longest:
                return self._longest - (now - since)
            del self._unread[flight]
        return None

    def _for_rerank(self, now: float) -> float | None:
        if not self._rerank_overdue():
            self._overdue_since = None
            return None
        if self._overdue_since is None:
            self._overdue_since = now
        return _POLL if now - self._overdue_since < self._longest else None


class EngineWakeup:
    """Has the engine ask the scheduler again; by itself it would only every 5 seconds.

    Invariant: at most one timer is set, for the earliest moment asked for.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._timer: Any = None
        self._due = 0.0

    def set(self, seconds: float | None) -> None:
        """Ring after so many seconds, unless it rings sooner; None or infinite: not at all."""
        if seconds is None or seconds == float("inf"):
            return
        due = time.monotonic() + seconds
        if self._timer is not None:
            if self._due <= due:
                return
            self._timer.cancel()
        self._timer, self._due = compat.call_later(max(seconds, 0.0), self._ring), due

    def cancel(self) -> None:
        """Do not ring any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        compat.wake(self._crawler)


class NextUrl:
    """Takes leases from the frontier, one at a time; the caller commits them."""

    def __init__(
        self,
        frontier: Frontier,
        politeness: PolitenessPolicy,
        wakeup: EngineWakeup,
        config: CrawlConfig,
    ) -> None:
        self._frontier = frontier
        self._politeness = politeness
        self._wakeup = wakeup
        self._slow = config.wait_for_best
        self._wait_for_best = WaitForBest(config.wait_for_best)

    def take(
        self, hosts: Collection[str] | None = None, *, dead_leave: bool = True
    ) -> Lease | None:
        """Lease a good URL; after the wait, the best URL whose host has room.

        `hosts` are all that have URLs, None where these are many: while none of a few may be asked,
        nothing is looked for in the queue. `dead_leave` as in `PolitenessPolicy.room`.
        """
        room: Room = self._politeness.room
        if not dead_leave:
            room = partial(room, dead_leave=False)
        if hosts and not _any_room(hosts, room):
            lease = self._lease_ahead(room, hosts)
        else:
            best, ahead = partial(self._lease_best, room), partial(self._lease_ahead, room)
            lease = self._wait_for_best.take(best, ahead)
            if lease is None:
                self._wakeup.set(self._wait_for_best.seconds() or None)
        if lease is None:
            self._wakeup.set(self._politeness.take_wait())
        return lease

    def _lease_ahead(self, room: Room, hosts: Collection[str] | None = None) -> Lease | None:
        """Lease what waits in the downloader for its host: nothing else may be asked for now."""
        if self._wait_for_best.share < 1:
            return None
        ahead = partial(room, ahead=True)
        if hosts and not _any_room(hosts, ahead):
            return None
        return self._lease_best(ahead, 1.0)

    def _lease_best(self, room: Room, share: float) -> Lease | None:
        slow = self._politeness.overdue(self._slow) if share < 1 else ()
        batch = self._frontier.next(1, room, share, slow)
        return batch[0] if batch else None


def _any_room(hosts: Collection[str], room: Room) -> bool:
    return any(room(host) > 0 for host in hosts)


class ReadyRequests:
    """Requests that were taken and have not left.

    Invariant: ready requests are leased, and the leases are committed.
    """

    def __init__(
        self,
        take: Callable[[], Request | None],
        commit: Callable[[], None],
        places: Callable[[], int],
    ) -> None:
        """`places` returns how many requests the engine takes now; below 1 counts as 1."""
        self._take = take
        self._commit = commit
        self._places = places
        self._requests: deque[Request] = deque()

    def __bool__(self) -> bool:
        return bool(self._requests)

    def next(self) -> Request | None:
        """Return the next request to leave; None without any."""
        if not self._requests:
            try:
                self._fill()
            finally:
                # Also what was taken before another one failed leaves with the next call.
                self._commit()
        return self._requests.popleft() if self._requests else None

    def _fill(self) -> None:
        for _ in range(max(1, self._places())):
            request = self._take()
            if request is None:
                return
            self._requests.append(request)


def places_of(downloader: Any) -> int:
    """Return how many more requests a downloader takes now; 1 where it does not say."""
    try:
        return int(downloader.total_concurrency - len(downloader.active))
    except AttributeError:
        return 1
