"""Coroutines that wait for an event, or for some seconds."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from frontier.plugin import compat

if TYPE_CHECKING:
    from collections.abc import Awaitable


class Waiters:
    """Coroutines that wait for one event, in the order in which they began to."""

    def __init__(self) -> None:
        self._timers: dict[Deferred[None], Any] = {}

    def wait(self, seconds: float | None = None) -> Awaitable[None]:
        """Return what to await: it ends with `wake`, or after so many seconds."""
        waiter: Deferred[None] = Deferred()
        self._timers[waiter] = None
        if seconds is not None:
            self._timers[waiter] = compat.call_later(seconds, lambda: self._ring(waiter))
        return maybe_deferred_to_future(waiter)

    def _ring(self, waiter: Deferred[None]) -> None:
        del self._timers[waiter]
        waiter.callback(None)

    def wake(self, most: int | None = None) -> None:
        """Let those go on that have waited longest, all by default."""
        woken = {waiter: self._timers.pop(waiter) for waiter in [*islice(self._timers, most)]}
        for timer in filter(None, woken.values()):
            timer.cancel()
        for waiter in woken:
            waiter.callback(None)
