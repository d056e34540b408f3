"""Downloads that fail because this machine has run out of something, which no host is to blame for.

That is mostly file descriptors, of which each connection takes one. Such a download is neither an
error nor a retry: it waits until others have ended, and so keeps its place, so that no further
requests leave meanwhile. A few descriptors are left to the crawl's own files.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections import deque
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from frontier.plugin import compat

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

WAITED = "frontier/machine/waited"
"""Stat of the downloads that had to wait for descriptors and the like."""
_THREAD = "can't start new thread"
_FILES = "raise the limit of open files (ulimit -n)"
_ADVICE = {
    errno.EMFILE: _FILES,
    errno.ENFILE: "raise the limit of open files of the whole system (sysctl fs.file-max)",
    errno.EADDRNOTAVAIL: "free local ports (sysctl net.ipv4.ip_local_port_range)",
    errno.ENOBUFS: "free memory of the system",
    errno.ENOMEM: "free memory",
    errno.EAGAIN: "raise the limit of threads (ulimit -u)",
}
"""What is short, and what to do about it."""
_NO_ADDRESS = ("DNSLookupError", "CannotResolveHostError")
_SPARE = 16
"""Descriptors for files, of the crawl and of its project."""
_LOOK_AGAIN = 1.0
"""Seconds: others may give back what they have."""
_LET_OUT = 2
"""Downloads that go on when one has ended: it may have held several things."""
_TRIES, _TRIES_OF_PORTS = 20, 3
"""Failures of one request, which has let others pass each time, after which it is to blame itself.
That no local address fits may be its host's fault."""

_machines: WeakKeyDictionary[Crawler, Machine] = WeakKeyDictionary()


def machine_of(crawler: Crawler) -> Machine:
    """Return what is known of this machine in a crawl, made on first use."""
    if crawler not in _machines:
        _machines[crawler] = Machine(crawler)
    return _machines[crawler]


class Machine:
    """Lets downloads wait while this machine is short of something.

    Invariant: while any wait, others queue behind them, and a timer is set.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._stats: Any = crawler.stats
        self._waiting: deque[Deferred[None]] = deque()
        self._timer: Any = None
        self._told: set[int] = set()
        self._most_files = _most_files()
        self.when_short: list[Callable[[], None]] = []
        """Called when a download begins to wait: what may be given back, should be."""

    async def download(
        self,
        download: Callable[[Callable[[], Awaitable[Response]]], Awaitable[Response]],
        fetch: Callable[[], Awaitable[Response]],
        check: Callable[[], None],
    ) -> Response:
        """Download by way of `fetch`, again as long as this machine is to blame for a failure.

        `check` raises what is to be raised where it is not to be waited for any longer.
        """
        number, tries = errno.EMFILE, 0
        while tries < (_TRIES_OF_PORTS if number == errno.EADDRNOTAVAIL else _TRIES):
            if tries or self._waiting or self._is_short():
                check()
                await self._wait(number)
                check()
            try:
                return await download(lambda: self._guarded(fetch))
            except _ShortError as short:
                number, tries = short.number, tries + 1
        return await download(fetch)

    async def _guarded(self, fetch: Callable[[], Awaitable[Response]]) -> Response:
        try:
            return await fetch()
        except Exception as error:
            number = shortage_of(error)
            if number is None and type(error).__name__ in _NO_ADDRESS and self._is_short():
                number = errno.EMFILE  # a resolver does not say why it has found nothing
            if number is None:
                raise
            raise _ShortError(number) from None
        finally:
            self._let_out()

    def _is_short(self) -> bool:
        """Whether no more descriptors are left than should be; the system gives the lowest."""
        try:
            lowest = os.open(os.devnull, os.O_RDONLY)
        except OSError:
            return True
        os.close(lowest)
        return lowest >= self._most_files - min(_SPARE, self._most_files // 8)

    async def _wait(self, number: int) -> None:
        self._tell(number)
        self._stats.inc_value(WAITED)
        turn: Deferred[None] = Deferred()
        self._waiting.append(turn)
        for give_back in self.when_short:
            give_back()
        if self._timer is None:
            self._timer = compat.call_later(_LOOK_AGAIN, self._ring)
        await maybe_deferred_to_future(turn)

    def close(self) -> None:
        """The crawl closes: have all that wait look whether they still should."""
        while self._waiting:
            self._waiting.popleft().callback(None)

    def _ring(self) -> None:
        self._timer = None
        self._let_out()
        if self._waiting:
            self._timer = compat.call_later(_LOOK_AGAIN, self._ring)

    def _let_out(self) -> None:
        for _ in range(_LET_OUT):
            if self._waiting and not self._is_short():
                self._waiting.popleft().callback(None)

    def _tell(self, number: int) -> None:
        if number in self._told:
            return
        self._told.add(number)
        most = f": this process may have {self._most_files}" if number == errno.EMFILE else ""
        logger.error(
            "This machine has run out of what downloads need (%s%s). URLs wait until some is free, "
            "and no host is blamed; but the crawl is slow. To mend that, %s, or lower "
            "CONCURRENT_REQUESTS, which is %d.",
            *(os.strerror(number), most, _ADVICE[number]),
            self._crawler.settings.getint("CONCURRENT_REQUESTS"),
        )


class _ShortError(Exception):
    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def shortage_of(error: BaseException) -> int | None:
    """Return the `errno` of what this machine has run out of; None for another failure."""
    for cause in _causes(error, set()):
        # Twisted has the number as `osError`.
        number = getattr(cause, "errno", None) or getattr(cause, "osError", None)
        if number in _ADVICE and number != errno.EAGAIN:
            return int(number)
        if isinstance(cause, RuntimeError) and _THREAD in str(cause):
            return errno.EAGAIN
    return None


def _causes(error: BaseException | None, seen: set[int]) -> Iterator[BaseException]:
    """An exception and all that led to it."""
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    yield error
    for cause in (error.__cause__, error.__context__):
        yield from _causes(cause, seen)
    for failure in getattr(error, "reasons", None) or ():
        yield from _causes(getattr(failure, "value", None), seen)


def _most_files() -> int:
    """Return how many files this process may have open."""
    try:
        import resource
    except ImportError:  # Windows
        return sys.maxsize
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft
