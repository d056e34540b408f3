"""Politeness before the hand-out: which hosts may be asked for one more page now.

Scrapy's downloader keeps a slot a host. Left to itself it would fill up with requests of one slow
host while better pages of other hosts wait in the frontier. So a URL leaves the frontier only when
its host has room: fewer than `concurrency` requests of ours in flight, the delay since the last one
over, and nothing that `frontier.politeness` knows against it. What Scrapy or AutoThrottle changes
about a slot is read anew each time.

Places that would else be empty may be filled `ahead`: a host without a delay is then handed half as
many requests more than it may be asked at once, which wait in the downloader. Where only one
request is made at a time, the order is to repeat exactly, and must not hang on how long other pages
take while a host wants a pause: after a short one the page leaves all the same, and waits in
`NetworkGate`.

Invariant: `_active[slot]` is the number of requests handed out and not yet reported `done`.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from frontier.plugin.settings import value
from frontier.politeness import PolitenessPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scrapy.crawler import Crawler


_SHORT = 1.0
"""Seconds a page waits in `NetworkGate` at most: it keeps a place from others for no longer."""
_SHORT_ALONE = 5.0
"""The same where there is but one place. Longer pauses are too dear, and are waited for beside."""
_LOOK_AGAIN = 1.0
"""Seconds for which a slot that waits is not looked at; by then it may have to wait no longer."""
_NEVER = float("inf")
_FEW = 1000
"""Hosts whose delays are kept without looking whether they are over."""


_NOT_TEXT = "key "
"""How the names of slots begin whose keys are no strings; no host's name has a space."""


def slot_name(key: object) -> str:
    """Return what the frontier calls a slot whose key is whatever a project has chosen."""
    return key if isinstance(key, str) else f"{_NOT_TEXT}{key!r}"


class HostGate:
    """Counts what each host has in flight and when it may be asked again (seconds)."""

    def __init__(
        self,
        concurrency: int,
        delay: float,
        slots: Mapping[Any, Any],
        slot_settings: Mapping[Any, Mapping[str, Any]],
        clock: Callable[[], float] = time.monotonic,
        politeness: PolitenessPolicy | None = None,
        places: int = 16,
        *,
        may_go_ahead: bool = False,
    ) -> None:
        """`places` is how many requests are made at once in all; 0: any number."""
        self.may_go_ahead = may_go_ahead
        self._ahead = False
        self._concurrency = concurrency
        self._delay = delay
        self._slots = slots
        self._slot_settings = {slot_name(key): one for key, one in slot_settings.items()}
        self._clock = clock
        self._politeness = politeness or PolitenessPolicy(clock=clock)
        # Seconds of a pause that a page leaves the frontier in spite of.
        self._waited_out = _SHORT_ALONE if places == 1 else 0.0
        self._active: dict[str, int] = {}
        self._since: dict[str, float] = {}
        self._ready_at: dict[str, float] = {}
        self._waiting = _FEW
        self._wait = _NEVER
        self._closed: dict[str, tuple[float, float]] = {}
        self._most_closed = _FEW

    @classmethod
    def from_crawler(cls, crawler: Crawler, politeness: PolitenessPolicy) -> HostGate:
        settings = crawler.settings
        return cls(
            settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or 1,
            settings.getfloat("DOWNLOAD_DELAY"),
            crawler.engine.downloader.slots,
            settings.getdict("DOWNLOAD_SLOTS"),
            politeness=politeness,
            places=settings.getint("CONCURRENT_REQUESTS"),
            may_go_ahead=value(settings, "FRONTIER_WAIT_FOR_BEST") == 0,
        )

    @contextmanager
    def going_ahead(self) -> Iterator[None]:
        """Let hosts take, within the block, what waits for them in the downloader."""
        self._ahead = True
        try:
            yield
        finally:
            self._ahead = False

    def room(self, slot: str) -> int:
        """How many requests the slot may take now."""
        now = self._clock()
        closed = self._closed.get(slot)
        if closed is not None and closed[0] > now:
            self._wait = min(self._wait, closed[1] - now)
            return 0
        free = self._free(slot)
        if free <= 0:
            return 0
        ready = max(0.0, self._ready(slot, now) - now)
        wait = max(self._politeness.wait(slot), ready)
        if wait <= 0 or (wait > ready and closed is None and wait <= self._waited_out):
            self._closed.pop(slot, None)
            return free
        self._wait = min(self._wait, wait)
        self._close(slot, now, wait)
        return 0

    def _ready(self, slot: str, now: float) -> float:
        """When the slot's own delay is over, also since other processes may have asked its host."""
        ready = self._ready_at.get(slot, now)
        others = self._politeness.asked_by_others
        return ready if others is None else max(ready, others(slot) + self._limits(slot)[1])

    def _free(self, slot: str) -> int:
        """How many more requests the slot may take as far as places go, not time."""
        concurrency, delay = self._limits(slot)
        if self._ahead and not delay:
            concurrency += (concurrency + 1) // 2
        free = min(concurrency - self._active.get(slot, 0), 1 if delay else concurrency)
        return min(free, self._politeness.room(slot, concurrency))

    def _close(self, slot: str, now: float, wait: float) -> None:
        """Do not look at a slot that waits for some time: there may be thousands of them."""
        if len(self._closed) > self._most_closed:
            self._closed = {one: times for one, times in self._closed.items() if times[0] > now}
            self._most_closed = max(2 * len(self._closed), _FEW)
        self._closed[slot] = now + min(wait, _LOOK_AGAIN), now + wait

    @property
    def patience(self) -> float:
        """Seconds that a page which has left may wait for its host."""
        return max(_SHORT, self._waited_out)

    def allowed(self, slot: str) -> int:
        """Requests at once that the project's settings allow a slot."""
        return self._limits(slot)[0]

    def leave(self, slot: str) -> None:
        """Note that a request to the slot has been handed out."""
        self._politeness.hand_out(slot)
        self._active[slot] = self._active.get(slot, 0) + 1
        self._since[slot] = self._clock()
        delay = self._limits(slot)[1]
        if delay:
            self._ready_at[slot] = self._clock() + delay
            if len(self._ready_at) > 2 * self._waiting:
                self._forget_ready()

    def _forget_ready(self) -> None:
        """Drop the hosts whose delay is over: a long crawl meets more than memory should hold."""
        now = self._clock()
        self._ready_at = {slot: at for slot, at in self._ready_at.items() if at > now}
        self._waiting = max(len(self._ready_at), _FEW)

    def done(self, slot: str) -> None:
        """Note that a request to the slot has come back, whatever came of it."""
        active = self._active[slot] - 1
        assert active >= 0, f"slot {slot!r} answered more often than it was asked"
        self._politeness.take_back(slot)
        if active:
            self._active[slot] = active
        else:
            del self._active[slot], self._since[slot]
        if self._ready_at.get(slot, 0.0) <= self._clock():
            self._ready_at.pop(slot, None)

    def spare(self, slot: str) -> None:
        """Note that the last request to the slot cost its host nothing: no delay follows."""
        self._ready_at.pop(slot, None)
        self._closed.pop(slot, None)

    def overdue(self, seconds: float) -> list[str]:
        """Slots that will not answer soon.

        They were asked at least so long ago and have not answered since, or want to be left alone.
        """
        limit = self._clock() - seconds
        late = [slot for slot, since in self._since.items() if since <= limit]
        return late + self._politeness.put_to_rest()

    def take_wait(self) -> float | None:
        """Seconds until the first host found waiting since the last call is ready, or None."""
        wait, self._wait = self._wait, _NEVER
        return None if wait == _NEVER else wait

    @property
    def active(self) -> int:
        """Requests in flight, over all slots."""
        return sum(self._active.values())

    def _limits(self, slot: str) -> tuple[int, float]:
        live = self._slots.get(slot)
        if slot.startswith(_NOT_TEXT):
            live = next((one for key, one in self._slots.items() if slot_name(key) == slot), None)
        if live is not None:
            return live.concurrency or 1, live.delay
        settings = self._slot_settings.get(slot, {})
        return (settings.get("concurrency", self._concurrency), settings.get("delay", self._delay))
