"""Why a hand-out may wait a moment, and who calls the engine back when it need not any more.

Two things are about to change the order and take milliseconds: a page that was just downloaded is
being read, and a re-rank whose time has come is being finished. Waiting for them costs less than a
request spent on the second best page, and makes a crawl with one request at a time repeat exactly.
Neither wait is longer than READING_WAIT, or PATIENCE_ALONE where one request is made at a time.
The longer wait, for hosts, is `frontier.queue.eligibility`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from frontier.plugin import compat
from frontier.plugin.settings import value
from frontier.queue.eligibility import Patience

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Generator

    from scrapy.crawler import Crawler

    from frontier.config import CrawlConfig
    from frontier.plugin.crawl.gate import HostGate
    from frontier.records import HandedOut

READING_WAIT = 0.25
"""Seconds, or FRONTIER_WAIT_FOR_BEST where that is less: Scrapy 2.13 alone takes a tenth of a
second to begin with a page."""
PATIENCE_ALONE = 5.0
"""Seconds. On a machine with much else to do, what takes milliseconds can take a second."""

_LOOK_AGAIN = 0.005
"""Seconds after which to look whether a re-rank has finished: its thread cannot call the engine."""


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


class OrderPatience:
    """Knows how long the next hand-out should wait for what is about to change the order."""

    def __init__(
        self,
        rerank_overdue: Callable[[], bool],
        places: int,
        patience: float,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """`places` is how many requests are made at once in all, `patience` is in seconds.

        `wake` is called when a wait ends before its time.
        """
        self._rerank_overdue = rerank_overdue
        self._wake = wake
        self._patience = PATIENCE_ALONE if places == 1 else patience
        self._overdue_since: float | None = None
        self._unread: dict[int, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, rerank_overdue: Callable[[], bool]) -> OrderPatience:
        places = crawler.settings.getint("CONCURRENT_REQUESTS")
        patience = min(value(crawler.settings, "FRONTIER_WAIT_FOR_BEST"), READING_WAIT)
        return cls(rerank_overdue, places, patience, lambda: compat.wake(crawler))

    def downloaded(self, lease: int) -> None:
        """Note that a page came in and is going to be read."""
        self._unread[lease] = time.monotonic()

    def read(self, lease: int) -> None:
        """Note that the frontier has learned from a page."""
        self._unread.pop(lease, None)

    def suspended(self, lease: int) -> None:
        """Note that the callback of a page waits for something itself: it is not waited for."""
        if self._unread.pop(lease, None) is not None:
            self._wake()

    def seconds(self) -> float | None:
        """Seconds after which to ask again, None if nothing is to be waited for."""
        now = time.monotonic()
        return self._for_reading(now) or self._for_rerank(now)

    def _for_reading(self, now: float) -> float | None:
        for lease, since in list(self._unread.items()):
            if now - since < self._patience:
                return self._patience - (now - since)
            del self._unread[lease]
        return None

    def _for_rerank(self, now: float) -> float | None:
        if not self._rerank_overdue():
            self._overdue_since = None
            return None
        if self._overdue_since is None:
            self._overdue_since = now
        return _LOOK_AGAIN if now - self._overdue_since < self._patience else None


class Watched:
    """An asynchronous iterator that tells when it waits for something, and is not only at work."""

    def __init__(self, iterator: AsyncIterator[Any], waits: Callable[[], None]) -> None:
        self._iterator = iterator
        self._waits = waits

    def __aiter__(self) -> Watched:
        return self

    def __anext__(self) -> Awaitable[Any]:
        return _Step(self._iterator.__anext__(), self._waits)


class _Step:
    """One step: an awaitable that is its own iterator, and tells of all that is waited for."""

    def __init__(self, step: Awaitable[Any], waits: Callable[[], None]) -> None:
        self._step: Any = step.__await__()
        self._waits = waits
        self.throw, self.close = self._step.throw, self._step.close

    def __await__(self) -> Generator[Any, Any, Any]:
        return self  # type: ignore[return-value]  # has what `await` asks of a generator

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, answer: Any) -> Any:
        awaited = self._step.send(answer)
        self._waits()
        return awaited


class NextUrl:
    """Takes leases from Frontera's manager, one at a time; whoever asks for them commits."""

    def __init__(
        self, manager: Any, gate: HostGate, wakeup: EngineWakeup, config: CrawlConfig
    ) -> None:
        self._manager = manager
        self._gate = gate
        self._wakeup = wakeup
        self._slow = config.wait_for_best
        self._patience = Patience(config.wait_for_best)

    def take(self) -> HandedOut | None:
        """Lease a good URL; where none may be asked for and patience is over, the best that may."""
        handed = self._patience.take(self._lease_best, self._lease_ahead)
        if handed is None:
            self._wakeup.set(self._patience.seconds() or None)
            self._wakeup.set(self._gate.take_wait())
        return handed

    def _lease_ahead(self) -> HandedOut | None:
        """Lease what waits in the downloader for its host: nothing else may be asked for now."""
        if not self._gate.may_go_ahead or self._patience.share < 1:
            return None
        with self._gate.going_ahead():
            return self._lease_best(1.0)

    def _lease_best(self, share: float) -> HandedOut | None:
        slow = self._gate.overdue(self._slow) if share < 1 else ()
        batch = self._manager.get_next_requests(
            1, room=self._gate.room, share=share, slow=slow, commit=False
        )
        return batch[0] if batch else None
