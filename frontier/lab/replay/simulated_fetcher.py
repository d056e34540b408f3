"""A downloader without a network: who may be asked when, on a virtual clock.

It keeps the rules of Scrapy's downloader: at most `concurrency` requests at once, at most
`per_host` of them to one host, `delay` seconds between the starts of two requests to one host. A
hand-out whose host has no room waits in the downloader and counts as one of the requests at once.
The clock jumps from one event to the next; equal times are taken in the order they were set in.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from frontier.errors import SettingsError

if TYPE_CHECKING:
    from frontier.lab.replay.interface import Handout


_SHORTEST = 0.001
"""Seconds; a wait that rounding makes 0 would never end."""


@dataclass(frozen=True)
class Politeness:
    """How the simulated crawl fetches; the default is the ideal order, one request at a time.

    Attributes:
        concurrency: requests at once, 1 or more.
        per_host: of them to one host, 1 or more.
        delay: seconds between two requests to one host.
        latency: seconds from a request to its answer, above 0.

    """

    concurrency: int = 1
    per_host: int = 1
    delay: float = 0.0
    latency: float = 0.2

    def __post_init__(self) -> None:
        least = {"concurrency": 1, "per_host": 1, "delay": 0, "latency": 0.001}
        for name, bound in least.items():
            value = getattr(self, name)
            if not bound <= value < float("inf"):
                option = name.replace("_", "-")
                raise SettingsError(f"expected --{option} from {bound:g} on, found {value:g}")


@dataclass(frozen=True)
class Retries:
    """Which failures are asked for again, as Scrapy's RETRY settings have it.

    Attributes:
        times: how often a URL is, at most.
        statuses: those that may pass, beside no answer at all.

    """

    times: int = 2
    statuses: tuple[int, ...] = (408, 429, 500, 502, 503, 504, 522, 524)

    def may(self, status: int, failures: int) -> bool:
        """Whether a URL that failed so often is asked for once more; 0: there was no answer."""
        return (not status or status in self.statuses) and failures <= self.times


@dataclass(slots=True)
class _Slot:
    """One host: what is under way, what waits, and when the next request may start."""

    active: int = 0
    ready_at: float = 0.0
    waiting: deque[Handout] = field(default_factory=deque)


class Fetcher:
    """Takes hand-outs and gives them back when they are answered.

    Invariant: `busy` counts the hand-outs that are under way or wait, which is never more than
    `concurrency`.
    """

    def __init__(self, politeness: Politeness) -> None:
        self._politeness = politeness
        self.now = 0.0
        self.busy = 0
        self._slots: dict[str, _Slot] = {}
        self._events: list[tuple[float, int, str, Handout | None]] = []
        self._order = count()
        self._wakeup: float | None = None

    @property
    def has_room(self) -> bool:
        """Whether another hand-out can be taken."""
        return self.busy < self._politeness.concurrency

    def room(self, host: str) -> int:
        """How many requests a host may get now."""
        slot = self._slots.get(host)
        politeness = self._politeness
        if slot is None:
            return 1 if politeness.delay else politeness.per_host
        if slot.ready_at > self.now:
            return 0
        free = max(politeness.per_host - slot.active - len(slot.waiting), 0)
        return min(free, 1) if politeness.delay else free

    def start(self, handout: Handout) -> None:
        """Ask for it now, or as soon as its host has room."""
        assert self.has_room, "the caller looks whether there is room"
        self.busy += 1
        slot = self._slots.setdefault(handout.host, _Slot())
        slot.waiting.append(handout)
        self._pump(handout.host, slot)

    def _pump(self, host: str, slot: _Slot) -> None:
        politeness = self._politeness
        while slot.waiting and slot.active < politeness.per_host and slot.ready_at <= self.now:
            handout = slot.waiting.popleft()
            slot.active += 1
            self._at(self.now + politeness.latency, host, handout)
            if politeness.delay:
                slot.ready_at = self.now + politeness.delay
                self._at(slot.ready_at, host, None)

    def wake_after(self, seconds: float | None) -> None:
        """Let `step` return after some time also if nothing happens until then."""
        if seconds is not None and (self._wakeup is None or self._wakeup <= self.now):
            self._wakeup = self.now + max(seconds, _SHORTEST)
            self._at(self._wakeup, "", None)

    def _at(self, when: float, host: str, handout: Handout | None) -> None:
        heappush(self._events, (when, next(self._order), host, handout))

    def step(self) -> tuple[bool, Handout | None]:
        """Let time pass until something happens.

        Returns whether anything did, and the hand-out that was answered, if that is what it was.
        """
        if not self._events:
            return False, None
        self.now, _, host, handout = heappop(self._events)
        slot = self._slots.get(host)
        if handout is not None and slot is not None:
            slot.active -= 1
            self.busy -= 1
        if slot is not None:
            self._pump(host, slot)
        return True, handout
