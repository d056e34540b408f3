"""Politeness: which host may be asked when, and what each answer changes about that.

Three moments of a request count. At its lease the URL leaves the frontier: URLs stay in the queue
while their host has no room. At its start it goes out to the network: whatever is sent waits for
its turn there, also robots.txt and the requests of a spider's callbacks. Its end teaches how the
host bears requests. A pause between two requests is counted from the end of the first, so it is
never shorter at the server, and a slow host is left alone for longer.

All of this is kept in one `Host` a slot. Scrapy, the network and the time of day are not known
here: `pace` gives the concurrency and the delay of a slot as they are now, `clock` the time.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontier.politeness.hosts import NEVER, Hosts
from frontier.politeness.limits import Limits
from frontier.records import HostPause
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.politeness.hosts import Host, Lane

REFUSALS = frozenset({429, 503})
"""Statuses of a server that is asked too much (RFC 6585, section 4; RFC 9110, section 15.6.4)."""
_UNKNOWN = float("inf")
_RECENT = 2.0
"""Seconds for which a new pause is news: after them its answer has been read and learned from."""
_MOST_RECENT = 1000
"""New pauses that are remembered; a crawl makes fewer requests in that time."""
_SHORT = 1.0
"""Seconds for which a leased page waits for its host at most: it keeps a place from others."""
_SHORT_ALONE = 5.0
"""The same where only one request is made at a time, whose order is to repeat exactly."""
_RECHECK_SECONDS = 1.0
"""Seconds for which the wait of a host is taken as it was found; it may be over sooner by then."""


@dataclass(frozen=True)
class HostAnswer:
    """What an HTTP answer says about its host.

    `retry_after` is the pause it asks for, in seconds; `address` is the IP address that answered,
    "" where it is not known or a proxy's.
    """

    status: int
    retry_after: float | None = None
    address: str = ""


class PolitenessPolicy:
    """The state of every host of a crawl, by slot, and the rules that follow from it."""

    def __init__(
        self,
        limits: Limits | None = None,
        pace: Callable[[str], tuple[int, float]] = lambda _: (1, 0.0),
        clock: Callable[[], float] = time.monotonic,
        domain_of: Callable[[str], str] = registered_domain,
        asked_by_others: Callable[[str], float] = lambda _: NEVER,
        keep: Callable[[HostPause], None] = lambda _: None,
        places: int = 16,
    ) -> None:
        """`pace` returns the requests at once and the seconds between two that a project allows
        for a slot, `asked_by_others` the time of `clock` until which other processes may have
        asked its host, domain or address. `keep` is called with each pause that changes. `places`
        is the number of requests at once in all.
        """
        self.limits = limits or Limits()
        self._pace = pace
        self.clock = clock
        self._asked_by_others = asked_by_others
        self._keep = keep
        self._waited_out = _SHORT_ALONE if places == 1 else 0.0
        self.max_wait_seconds = max(_SHORT, self._waited_out)
        """Seconds for which a leased page waits for its host; for longer it is queued again."""
        self._hosts = Hosts(self.limits, clock, domain_of)
        self._leased: dict[str, Host] = {}
        """Hosts with leased pages."""
        self._slowed: set[str] = set()
        self._given_up: dict[str, str] = {}
        self._recent: deque[tuple[float, float, str]] = deque(maxlen=_MOST_RECENT)
        self._next_ready = _UNKNOWN
        self._answers = self._proper = self._unanswered = self._postponed = 0

    # -- pages in the queue -----------------------------------------------------------------------

    def room(self, slot: str, *, ahead: bool = False, dead_leave: bool = True) -> int:
        """Return the number of pages of a slot that may be leased now.

        `ahead`: half as many more, which wait in the downloader, where the host has no delay.
        `dead_leave`: pages of hosts that were given up may be leased, to end as errors.
        """
        now, host = self.clock(), self._hosts.get(slot)
        if host is None:
            host = self._hosts.unknown(slot)
        elif now < host.recheck_at and now < host.waits_until:
            if host.waits_until < self._next_ready:
                self._next_ready = host.waits_until
            return 0
        is_dead = slot in self._given_up
        if is_dead and not dead_leave:
            return 0
        allowed, delay = self._pace(slot)
        if ahead and not delay:
            allowed += (allowed + 1) // 2
        room = min(allowed - host.leased, 1 if delay else allowed)
        if room > 0 and not is_dead:
            room = min(room, host.capacity(allowed))
        if room <= 0 or host.exempt:
            return max(0, room)
        others = self._asked_by_others(slot)
        ready = max(host.ready_at, host.held_until, others + delay)
        until = ready if is_dead else max(ready, host.pause_end(others))
        # The end of a long pause is no short pause.
        is_new = until > max(ready, now) and host.waits_until == NEVER
        if until <= now or (is_new and until - now <= self._waited_out):
            host.waits_until = NEVER
            return room
        host = self._hosts[slot]
        host.waits_until, host.recheck_at = until, now + _RECHECK_SECONDS
        self._next_ready = min(self._next_ready, until)
        return 0

    def wait(self, slot: str, *, page: bool = True) -> float:
        """Seconds for which no page of a slot leaves, its download delay aside.

        With `page=False`: seconds for which no request goes out.
        """
        host = self._hosts.get(slot) or self._hosts.unknown(slot)
        until = host.pause_end(self._asked_by_others(slot))
        if page:
            until = max(host.held_until, NEVER if slot in self._given_up else until)
        return max(0.0, until - self.clock())

    def take_wait(self) -> float | None:
        """Seconds until the first host found waiting since the last call is ready, or None."""
        ready, self._next_ready = self._next_ready, _UNKNOWN
        return None if ready == _UNKNOWN else max(0.0, ready - self.clock())

    def overdue(self, seconds: float) -> list[str]:
        """Slots with leased pages, the last of them so many seconds ago, and `recently_paused`."""
        limit = self.clock() - seconds
        late = [slot for slot, host in self._leased.items() if host.leased_at <= limit]
        return late + self.recently_paused()

    def recently_paused(self) -> list[str]:
        """Slots that were found to need a pause in the last two seconds, and still do."""
        now = self.clock()
        while self._recent and self._recent[0][0] < now - _RECENT:
            self._recent.popleft()
        return [slot for _, until, slot in self._recent if until > now]

    def given_up(self, slot: str) -> str | None:
        """Return why a slot is not asked any more in this run; None if it is."""
        return self._given_up.get(slot)

    def hold(self, slot: str, seconds: float) -> None:
        """Lease no page of a slot for so long, or until `release`; other requests go out."""
        self._hosts[slot].held_until = self.clock() + seconds

    def release(self, slot: str, *, to_end: bool = False) -> None:
        """End a `hold`. `to_end`: lease pages whatever pause there is, as they end on their way."""
        host = self._hosts[slot]
        host.held_until = host.waits_until = NEVER
        host.exempt = to_end

    # -- pages that are leased --------------------------------------------------------------------

    def lease(self, slot: str) -> None:
        """Note that a page of a slot leaves the frontier."""
        host = self._leased[slot] = self._hosts[slot]
        for lane in host.lanes:
            lane.leased += 1
        host.leased_at = self.clock()
        delay = self._pace(slot)[1]
        if delay:
            host.ready_at = host.leased_at + delay

    def take_back(self, slot: str, *, downloaded: bool = True) -> None:
        """Note that a page has come back; without a download no delay follows.

        Raises KeyError where no page of the slot is leased.
        """
        host = self._leased[slot]
        for lane in host.lanes:
            lane.leased -= 1
        if not host.leased:
            del self._leased[slot]
        if not downloaded:
            host.ready_at = host.waits_until = NEVER

    @property
    def leased(self) -> int:
        """Pages that are leased, over all slots."""
        return sum(host.leased for host in self._leased.values())

    # -- requests on the network ------------------------------------------------------------------

    def may_start(self, slot: str) -> bool:
        """Whether one more request may go out now."""
        if self.wait(slot, page=False):
            return False
        return self._hosts[slot].capacity(self._pace(slot)[0], on_network=True) > 0

    def start(self, slot: str) -> tuple[Lane, ...]:
        """Note that a request goes out; returns what `end` takes."""
        lanes = self._hosts[slot].lanes
        for lane in lanes:
            lane.under_way += 1
        return lanes

    def end(self, slot: str, lanes: tuple[Lane, ...]) -> None:
        """Note that a request is over."""
        host = self._hosts[slot]
        host.ended_at = self.clock()
        for lane in lanes:
            lane.under_way -= 1
        if host.delay:
            self._recent.append((host.ended_at, host.pause_end(), slot))

    # -- answers ----------------------------------------------------------------------------------

    def answered(self, slot: str, answer: HostAnswer) -> None:
        """Learn from an HTTP answer."""
        host = self._hosts[slot]
        delay_before = host.breaker.delay
        self._answers += 1
        self._hosts.note_address(host, answer.address)
        if answer.status in REFUSALS:
            host.breaker.refuse(answer.status, self._proper)
        else:
            self._proper += 1
            host.breaker.answer()
        if answer.retry_after and _is_heard(answer.status):
            seconds = min(answer.retry_after, self.limits.retry_after_cap)
            self._pause(host, seconds, f"Retry-After of HTTP {answer.status}")
        self._judge(host, delay_before)

    def failed(self, slot: str, reason: str) -> None:
        """Learn from a request without an answer."""
        host = self._hosts[slot]
        delay_before = host.breaker.delay
        self._unanswered += 1
        host.breaker.fail(reason, self.clock(), self._answers)
        self._pause(host, host.breaker.pause, f"no answer: {reason}")
        self._judge(host, delay_before)

    def _judge(self, host: Host, delay_before: float) -> None:
        delay = host.breaker.delay
        if delay != delay_before:
            self._keep_pause(host)
        (self._slowed.add if delay else self._slowed.discard)(host.slot)
        verdict = host.breaker.verdict(self.clock())
        if verdict is not None:
            self._given_up[host.slot] = verdict

    def set_crawl_delay(self, slot: str, seconds: float | None) -> None:
        """Set the Crawl-delay of robots.txt, capped; None or 0: it has none."""
        self._hosts[slot].crawl_delay = min(max(seconds or 0.0, 0.0), self.limits.crawl_delay_cap)

    def postpone(self, slot: str, seconds: float, note: str) -> None:
        """Note that a page is queued again, and leave its slot alone for so long.

        The crawl or a middleware of the project wants the pause, so no cap holds.
        """
        self._postponed += 1
        self.release(slot)
        self._pause(self._hosts[slot], seconds, note)

    def _pause(self, host: Host, seconds: float, note: str) -> None:
        now = self.clock()
        if seconds > 0 and now + seconds > host.paused_until:
            host.paused_until, host.note = now + seconds, note
            self._recent.append((now, host.paused_until, host.slot))
            self._keep_pause(host)

    def _keep_pause(self, host: Host) -> None:
        seconds = max(0.0, host.paused_until - self.clock())
        self._keep(HostPause(host.slot, seconds, host.breaker.delay, host.note))

    # -- other processes, and the next run --------------------------------------------------------

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Forget the state of slots that other processes are to ask from now on.

        Where such slots come back, forget them once more: requests that were in flight have changed
        their state since.
        """
        for host in self._hosts.values():
            if belongs(host.slot):
                host.forget()
        self._slowed = {slot for slot in self._slowed if not belongs(slot)}
        self._given_up = {slot: why for slot, why in self._given_up.items() if not belongs(slot)}
        left = [pause for pause in self._recent if not belongs(pause[-1])]
        self._recent = deque(left, maxlen=_MOST_RECENT)

    def restore(self, pause: HostPause) -> None:
        """Apply a pause of an earlier run or another process, within the caps of this run."""
        limits, host = self.limits, self._hosts[pause.slot]
        host.breaker.delay = min(max(pause.delay, 0.0), limits.slowdown_cap)
        seconds = min(pause.seconds, max(limits.retry_after_cap, limits.backoff_cap))
        self._pause(host, seconds, pause.note)

    def figures(self) -> dict[str, int]:
        """Counts of this run, and the numbers of hosts that are slowed down now or given up."""
        return {
            "refused": self._answers - self._proper,
            "unanswered": self._unanswered,
            "postponed": self._postponed,
            "slowed": len(self._slowed),
            "dead": len(self._given_up),
        }


def _is_heard(status: int) -> bool:
    """Whether a Retry-After has a meaning.

    On a 200 or a 404 it has none, and one careless page would stop its whole host. RFC 9110,
    sections 10.2.3 and 15.5.14; RFC 6585, section 4.
    """
    return status in (413, 429) or 300 <= status < 400 or status >= 500
