"""URLs that were handed out and cannot be fetched before something else is known.

That is the robots.txt of their origin. They would wait in the downloader, where they take the
places of others; so they are taken back: queued in the store, but in no queue of this process until
they are released. A crash therefore costs nothing, and other origins of the same host, or other
hosts, are not held up.

Invariant: a URL that is parked is QUEUED in the ledger and not in the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.backend.backend import LinkRankBackend
    from frontier.plugin.crawl.leases import Lease


class ParkedUrls:
    """The parked URLs by origin."""

    def __init__(self, backend: LinkRankBackend) -> None:
        self._backend = backend
        self.asked: Callable[[], int] = lambda: 0
        """How many robots.txt are under way that keep nobody's place."""
        self.is_awaited: Callable[[str], bool] = lambda _: False
        """Whether somebody will release an origin."""
        self._bound: dict[int, str] = {}
        self._parked: dict[str, list[int]] = {}
        self.when_idle: Callable[[], None] = lambda: None
        """Called while nothing but parked URLs is left to do."""

    def __contains__(self, origin: str) -> bool:
        return origin in self._parked

    @property
    def origins(self) -> list[str]:
        """Origins that have parked URLs."""
        return list(self._parked)

    def bind(self, lease: Lease, origin: str) -> None:
        """Have a lease parked when it is put back."""
        lease.postponed = True
        self._bound[lease.number] = origin

    def put_back(self, lease: Lease) -> None:
        """Take back a lease that was postponed: into the queue, or out of it where it is bound."""
        origin = self._bound.pop(lease.number, None)
        handed = lease.handed
        if origin is None:
            self._backend.retry(handed, handed, hold=0)
        else:
            self._parked.setdefault(origin, []).append(self._backend.set_aside(handed, handed))
            if not self.is_awaited(origin):
                # What was waited for came while the request was on its way back.
                self.release(origin)

    def release(self, origin: str) -> None:
        """Queue the URLs of an origin."""
        parked = self._parked.pop(origin, None)
        if parked:
            self._backend.queue_again(parked)

    def end(self, origin: str, state: State, reason: str) -> None:
        """Give the URLs of an origin a final state, without a hand-out."""
        self._backend.give_up(self._parked.pop(origin, ()), reason, state)

    def keeps_open(self) -> bool:
        """Whether the crawl goes on for the sake of parked URLs, once nothing else is queued."""
        if self._parked:
            self.when_idle()
        return bool(self._parked) or self._backend.queued > 0
