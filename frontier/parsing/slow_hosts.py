"""Hosts within bounds: how many a page may name, and how much time one may cost.

One page costs a bounded time, but a host may have a million of them, and the crawl waits for each.
So of a host that has cost too much no difficult pages are read any more.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from frontier.errors import PageError
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from frontier.parsing.content import Link

__all__ = ["HostPatience", "of_few_hosts"]

_MOST_LATE = 5
"""Late pages of a host, less those that were in time: 10 s of the crawl's time."""
_MOST_HOSTS = 10_000
"""Hosts that are remembered; then all is forgiven, which costs 10 s a host once more."""


class HostPatience:
    """Counts late pages by host. A page is late that takes longer than `seconds`, or fails."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._late: dict[str, int] = {}

    @contextmanager
    def with_host(self, host: str) -> Iterator[None]:
        """Read a page of a host; raises PageError where enough of them were late."""
        late = self._late.get(host, 0)
        if late >= _MOST_LATE:
            raise PageError(f"{late} pages of its host took too long to parse: no more are parsed")
        start, done = time.monotonic(), False
        try:
            yield
            done = True
        finally:
            in_time = done and time.monotonic() - start < self._seconds
            self._note(host, max(0, late - 1) if in_time else late + 1)

    def _note(self, host: str, late: int) -> None:
        if late:
            if len(self._late) >= _MOST_HOSTS:
                self._late.clear()
            self._late[host] = late
        else:
            self._late.pop(host, None)


def of_few_hosts(
    links: Iterable[Link], most: int, refuse: Callable[[str], object] | None = None
) -> list[Link]:
    """Links to at most so many hosts; `refuse` is told the URLs of the others."""
    hosts: set[str] = set()
    kept = []
    for link in links:
        host = slot_of(link.url)
        if host in hosts or len(hosts) < most:
            hosts.add(host)
            kept.append(link)
        elif refuse is not None:
            refuse(link.url)
    return kept
