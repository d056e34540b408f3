"""Downloads for which this machine lacks resources: they are tried again later.

A download can fail before anything leaves the machine, for want of file descriptors, memory,
buffers or local ports. Such a failure says nothing about the host: it is no failure to politeness
and robots.txt, and no retry. So every download (of pages, robots.txt and callbacks) is made within
`LocalRoom.download`, which raises only failures of the host.

A failed name look-up gives no cause, and the resolver itself needs descriptors. The look-up is
repeated where descriptors were short while it ran. Some descriptors are always left free for
resolvers, the store and the project's files.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import time
from typing import TYPE_CHECKING, Final

from twisted.internet.error import DNSLookupError
from twisted.python.failure import Failure

from frontier.errors import described
from frontier.plugin.crawl.gate import NotYet, slot_for
from frontier.plugin.waiting import Waiters

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from scrapy import Request
    from scrapy.http import Response

logger = logging.getLogger(__name__)

STAT: Final = "frontier/no_room"
SPARE: Final = 8
"""Descriptors that have to be free before a download begins."""
EACH: Final = 4
"""Downloads from one check of the descriptors to the next: a download takes one of them."""
PAUSE: Final = 0.5
"""Seconds after which a waiting download tries again, if no other download ends before."""
TRIES: Final = 8
"""Tries of a download without a local port: an address that nothing can connect to fails alike."""
_OF_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE})
_OF_MEMORY: Final = frozenset({errno.ENOMEM, errno.ENOBUFS})
_OF_PORTS: Final = frozenset({errno.EADDRNOTAVAIL})
_REMEDIES: Final = (
    (_OF_FILES, "allow more open files (ulimit -n)"),
    (_OF_MEMORY, "free memory"),
    (_OF_PORTS, "allow more local ports (net.ipv4.ip_local_port_range)"),
)


def local_failure(error: BaseException) -> int | None:
    """Return the errno of a failure of this machine in an error or its causes; None without."""
    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):  # has numbers of its own
            if cause.errno == socket.EAI_MEMORY:
                return errno.ENOMEM
            continue
        for number in (getattr(cause, "errno", None), getattr(cause, "osError", None)):
            if number in _OF_FILES | _OF_MEMORY | _OF_PORTS:
                return int(number)
    return None


def _is_lookup(error: BaseException) -> bool:
    kinds = DNSLookupError, socket.gaierror
    return any(
        isinstance(cause, kinds) or type(cause).__name__ == "CannotResolveHostError"
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, as Python, Twisted and aiohttp keep them."""
    waiting, seen = [error], set[int]()
    while waiting:
        cause = waiting.pop()
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        more = [cause.__cause__, cause.__context__, getattr(cause, "os_error", None)]
        for name in ("reasons", "exceptions"):
            more += getattr(cause, name, None) or ()
        values = (part.value if isinstance(part, Failure) else part for part in more)
        waiting += [part for part in values if isinstance(part, BaseException)]


def shortage(spare: int = SPARE) -> int | None:
    """Return the errno for which `spare` descriptors cannot be opened now; None where they can."""
    opened: list[int] = []
    try:
        opened += [os.open(os.devnull, os.O_RDONLY)]
        while len(opened) < spare:
            opened.append(os.dup(opened[0]))
    except OSError as error:
        return error.errno if error.errno in _OF_FILES | _OF_MEMORY else None
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return None


class LocalRoom:
    """Makes the downloads of a crawl, each when this machine has the resources for it."""

    def __init__(
        self,
        count: Callable[[str], None],
        free_idle: Callable[[], None],
        is_closing: Callable[[], bool],
    ) -> None:
        """`count` is called with the stat of each failure, `free_idle` closes idle connections."""
        self._count = count
        self._free_idle = free_idle
        self._is_closing = is_closing
        self._waiters = Waiters()
        self._short_at = float("-inf")
        self._unchecked = EACH
        self._logged: set[int] = set()

    async def download(
        self, request: Request, fetch: Callable[[], Awaitable[Response]]
    ) -> Response:
        """Fetch, again after failures of this machine. Raises what `fetch` raises for the host, and
        NotYet where the crawl closes in the meantime.
        """
        tries = 0
        while True:
            await self._descriptors(request)
            began = time.monotonic()
            try:
                return await fetch()
            except Exception as error:
                number = local_failure(error)
                if number is None and _is_lookup(error):
                    number = self._short_since(began)
                tries += number in _OF_PORTS
                if number is None or tries >= TRIES:
                    raise
                self._note(number, described(error))
            finally:
                self._waiters.wake(1)
            await self._wait(request)

    async def _descriptors(self, request: Request) -> None:
        """Wait until some descriptors are free."""
        self._unchecked += 1
        if self._unchecked < EACH:
            return
        while (number := shortage()) is not None:
            self._note(number, os.strerror(number))
            await self._wait(request)
        self._unchecked = 0

    def _short_since(self, began: float) -> int | None:
        number = shortage()
        return errno.EMFILE if number is None and self._short_at >= began else number

    def _note(self, number: int, text: str) -> None:
        self._short_at = time.monotonic()
        self._count(STAT)
        self._free_idle()
        if number not in self._logged:
            self._logged.add(number)
            remedy = next(words for numbers, words in _REMEDIES if number in numbers)
            logger.warning(
                "This machine has no room for more downloads (%s). Downloads wait until others "
                "end, which makes the crawl slower: %s, or lower CONCURRENT_REQUESTS. Further "
                "cases are not logged; the stat %s counts them",
                *(text, remedy, STAT),
            )

    async def _wait(self, request: Request) -> None:
        """Wait until a download ends, or PAUSE seconds. Raises NotYet where the crawl closes."""
        await self._waiters.wait(PAUSE)
        if self._is_closing():
            raise NotYet(slot_for(request), 0.0, "the crawl closes")
