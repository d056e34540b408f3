"""How hosts are asked: which may be asked now, and what each answer changes about that.

Three moments of a request are seen: its hand-out by the frontier, when it goes out on the wire, and
its answer. The first keeps URLs in the queue while their hosts cannot take them; the second holds
whatever comes that way, robots.txt and the requests of a spider's callbacks too; the third learns.
A pause between two requests is counted from the end of the first: so it is never shorter at the
server, and a host that needs long is left alone for longer.

Nothing here knows Scrapy, the network or the time of day: the clock is handed in.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontier.politeness.hosts import Hosts
from frontier.politeness.limits import Limits
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.politeness.hosts import Host, SharedLimit

REFUSALS = frozenset({429, 503})
"""Statuses by which a server says that it is asked too much (RFC 6585, section 4; RFC 9110, section
15.6.4)."""
_LATELY = 2.0
"""Seconds: an answer has been read, and all has been learned from it, by then."""
_MOST_AT_REST = 1000
"""Of these that are told; a crawl makes fewer requests in that time."""


@dataclass(frozen=True)
class HostAnswer:
    """What an HTTP answer says about its host.

    `retry_after` is the seconds for which it asks to be left alone, if it does; `address` was
    connected to, empty where it is not known, or a proxy's.
    """

    status: int
    retry_after: float | None = None
    address: str = ""


@dataclass(frozen=True)
class HostWish:
    """What is to survive a restart: a slot is to be left alone for `seconds`, for this reason.

    `delay` is what refusals have made of the pause between two requests.
    """

    slot: str
    seconds: float
    delay: float
    note: str


class PolitenessPolicy:
    """What is known of every host of a crawl, by download slot."""

    def __init__(
        self,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        domain_of: Callable[[str], str] = registered_domain,
        asked_by_others: Callable[[str], float] | None = None,
    ) -> None:
        """`asked_by_others` says of a slot up to which time of `clock` other processes may have
        asked its host, its domain or its address (minus infinity: never); None: there are none.
        """
        self.limits = limits or Limits()
        self.asked_by_others = asked_by_others
        self._clock = clock
        self._hosts = Hosts(domain_of)
        self._answers = self._served = 0  # of all hosts; the latter without refusals
        self._changed: set[str] = set()
        self._slowed: set[str] = set()
        self._resting: deque[tuple[float, float, str]] = deque(maxlen=_MOST_AT_REST)
        self._given_up: dict[str, str] = {}
        self.lets_dead_leave = True
        """Whether URLs of hosts that were given up may leave the queue, to end as errors."""
        self._refused = self._unanswered = self._postponed = 0

    # -- the hand-out -----------------------------------------------------------------------------

    def room(self, slot: str, allowed: int) -> int:
        """How many requests may be handed out to a slot, as far as others under way allow it.

        `allowed` is how many at once its project allows.
        """
        host = self._hosts.find(slot)
        if host is None:
            domain = self._hosts.domain(slot)
            most = self.limits.in_domain(allowed)
            return allowed if domain is None else min(allowed, domain.room(most))
        if slot in self._given_up:
            return allowed if self.lets_dead_leave else 0
        return max(0, min(allowed, host.room(allowed, self.limits)))

    def wait(self, slot: str) -> float:
        """Seconds until a slot may be asked, as far as time goes; 0 for now."""
        if slot in self._given_up:
            return 0.0
        return self._pause(slot, self._hosts.find(slot))

    def _pause(self, slot: str, host: Host | None) -> float:
        wait = 0.0 if host is None else host.wait(self.limits, self._clock())
        if self.asked_by_others is None:
            return wait
        delay = 0.0 if host is None else host.delay(self.limits)
        return max(wait, self.asked_by_others(slot) + delay - self._clock())

    def hand_out(self, slot: str) -> None:
        """Note that a request to a slot left the frontier."""
        for lane in self._hosts.of(slot).lanes:
            lane.handed += 1

    def take_back(self, slot: str) -> None:
        """Note that a request to a slot has come back, whatever came of it."""
        for lane in self._hosts.of(slot).lanes:
            lane.handed -= 1
            assert lane.handed >= 0, f"more requests to {slot!r} came back than were handed out"

    def put_to_rest(self) -> list[str]:
        """Slots that were found of late to want a pause, which is not over yet."""
        now = self._clock()
        while self._resting and self._resting[0][0] < now - _LATELY:
            self._resting.popleft()
        return [slot for _, until, slot in self._resting if until > now]

    def given_up(self, slot: str) -> str | None:
        """Return why a slot is not asked any more in this run, None if it is."""
        return self._given_up.get(slot)

    # -- downloads --------------------------------------------------------------------------------

    def may_start(self, slot: str, allowed: int) -> bool:
        """Whether one more request may go out now; `allowed` as in `room`."""
        host = self._hosts.of(slot)
        return not self._pause(slot, host) and host.is_open(allowed, self.limits)

    def start(self, slot: str) -> tuple[SharedLimit, ...]:
        """Note that a request goes out; returns what to give to `end`."""
        lanes = self._hosts.of(slot).lanes
        for lane in lanes:
            lane.under_way += 1
        return lanes

    def end(self, slot: str, lanes: tuple[SharedLimit, ...]) -> None:
        """Note that a request is over."""
        now = self._clock()
        for lane in lanes:
            lane.under_way -= 1
            lane.ended = now
        delay = self._hosts.of(slot).delay(self.limits)
        if delay:
            self._resting.append((now, now + delay, slot))
        self._hosts.tidy(self.limits, now)

    # -- the answer -------------------------------------------------------------------------------

    def answered(self, slot: str, answer: HostAnswer) -> None:
        """Learn from an HTTP answer."""
        host = self._hosts.of(slot)
        self._answers += 1
        self._hosts.note_address(host, answer.address)
        before = host.pace.refused
        if answer.status in REFUSALS:
            self._refused += 1
            host.breaker.refuse(f"HTTP {answer.status}", self._served)
            # One 503 among answers is the page's trouble, and the page is held back as it is; for
            # how long the host wants to be left alone, its Retry-After says.
            if answer.status == 429 or host.breaker.refusals > 1:
                host.pace.refuse(self.limits)
        else:
            self._served += 1
            host.breaker.answer()
            host.pace.answer()
        if answer.retry_after and _is_heard(answer.status):
            self.pause(slot, answer.retry_after, f"Retry-After of HTTP {answer.status}")
        self._judge(slot, host, before)

    def failed(self, slot: str, reason: str) -> None:
        """Learn from a request that had no answer."""
        host = self._hosts.of(slot)
        self._unanswered += 1
        before = host.pace.refused
        host.breaker.fail(reason, self._clock(), self._answers)
        host.pace.refuse(self.limits)
        self._leave_alone(slot, host, host.breaker.pause(self.limits), f"no answer: {reason}")
        self._judge(slot, host, before)

    def _judge(self, slot: str, host: Host, refused_before: float) -> None:
        if host.pace.refused != refused_before:
            self._changed.add(slot)
        if host.pace.delay(self.limits):
            self._slowed.add(slot)
        else:
            self._slowed.discard(slot)
        verdict = host.breaker.verdict(self.limits, self._clock())
        if verdict is not None:
            self._given_up[slot] = verdict

    # -- what is asked for ------------------------------------------------------------------------

    def set_crawl_delay(self, slot: str, seconds: float | None) -> None:
        """Heed a robots.txt: `seconds` between two requests, capped; None or 0 for no such wish."""
        wanted = min(max(seconds or 0.0, 0.0), self.limits.crawl_delay_cap)
        if wanted or self._hosts.find(slot) is not None:
            self._hosts.of(slot).crawl_delay = wanted

    def pause(self, slot: str, seconds: float, note: str) -> None:
        """Leave a slot alone for that long, capped, unless it is left alone for longer already."""
        longest = self.limits.retry_after_cap
        self._leave_alone(slot, self._hosts.of(slot), min(seconds, longest), note)

    def postpone(self, slot: str, seconds: float, note: str) -> None:
        """Note that a request was taken back, and leave its slot alone for that long.

        It is the crawl's own doing, or that of a project's middleware, so no cap holds.
        """
        self._postponed += 1
        self._leave_alone(slot, self._hosts.of(slot), seconds, note)

    def _leave_alone(self, slot: str, host: Host, seconds: float, note: str) -> None:
        until = self._clock() + seconds
        if seconds > 0 and until > host.until:
            host.until, host.note = until, note
            self._resting.append((self._clock(), until, slot))
            self._changed.add(slot)

    # -- hosts that change hands ------------------------------------------------------------------

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Forget the slots that are another process's to ask; requests under way go on to count.

        What is to be told of them is told by `take_changed` before. Where such slots are taken
        over again, forget them once more: requests that were under way have taught something.
        """
        self._hosts.forget(belongs)
        self._changed = {slot for slot in self._changed if not belongs(slot)}
        self._slowed = {slot for slot in self._slowed if not belongs(slot)}
        self._given_up = {slot: why for slot, why in self._given_up.items() if not belongs(slot)}
        left = [one for one in self._resting if not belongs(one[-1])]
        self._resting = deque(left, maxlen=_MOST_AT_REST)

    # -- over a restart ---------------------------------------------------------------------------

    def restore(self, wish: HostWish) -> None:
        """Take up what an earlier run has noted, within the caps of this one."""
        limits, host = self.limits, self._hosts.of(wish.slot)
        host.pace.refused = min(max(wish.delay, 0.0), limits.slowdown_cap)
        seconds = min(wish.seconds, max(limits.retry_after_cap, limits.backoff_cap))
        self._leave_alone(wish.slot, host, seconds, wish.note)

    def take_changed(self) -> list[HostWish]:
        """Return the wishes that changed since the last call; without seconds and delay: none."""
        now = self._clock()
        changed, self._changed = self._changed, set()
        hosts = ((slot, self._hosts.of(slot)) for slot in sorted(changed))
        return [
            HostWish(slot, max(0.0, host.until - now), host.pace.refused, host.note)
            for slot, host in hosts
        ]

    # -- figures ----------------------------------------------------------------------------------

    def figures(self) -> dict[str, int]:
        """Counts of this run, and how many hosts are slowed down now, or were given up."""
        return {
            "refused": self._refused,
            "unanswered": self._unanswered,
            "postponed": self._postponed,
            "slowed": len(self._slowed),
            "dead": len(self._given_up),
        }


def _is_heard(status: int) -> bool:
    """Whether a Retry-After means anything.

    On a 200 or a 404 it does not, and one careless page would stop its whole host. RFC 9110,
    sections 10.2.3 and 15.5.14; RFC 6585, section 4.
    """
    return status in (413, 429) or 300 <= status < 400 or status >= 500
