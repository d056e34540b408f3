"""Hosts: what is in flight to each, when it may be asked again, and why not before.

A request takes a place at its host, at the host's registered domain and at its IP address. Ten
thousand names of one domain are thus one domain. A long crawl meets more hosts than memory should
hold: idle hosts for which no pause holds are forgotten once there are many.

Invariant: hosts of one registered domain, or at one address, share one `Lane` object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from frontier.politeness.breaker import Breaker
from frontier.politeness.limits import Limits

NEVER = float("-inf")
KEPT = 10_000
"""Hosts in memory before any is forgotten; some 10 MB."""


@dataclass(eq=False)
class Lane:
    """Requests in flight to one host, domain or address.

    `leased` counts pages that have left the frontier, `under_way` requests on the network. Most
    requests are both, but robots.txt is never leased, and a leased page may have to wait for it.
    """

    leased: int = 0
    under_way: int = 0

    def places(self, most: int) -> int:
        """How many more pages of `most` may be leased."""
        return most - max(self.leased, self.under_way)


@dataclass(eq=False)
class Host(Lane):
    """State of one slot, which is the lane of its own requests; times in seconds."""

    breaker: Breaker = field(kw_only=True)
    domain: Lane = field(kw_only=True)
    address: Lane | None = None
    address_name: str = ""
    crawl_delay: float = 0.0
    paused_until: float = NEVER
    """No request goes out before."""
    note: str = ""
    """The reason for that pause."""
    held_until: float = NEVER
    """No page is leased before; other requests go out."""
    exempt: bool = False
    """Whether pages are leased at any time: they end before they reach the host."""
    leased_at: float = NEVER
    """Time of the last lease."""
    ready_at: float = NEVER
    """When the download delay after the last lease is over."""
    ended_at: float = NEVER
    """End of the last request."""
    waits_until: float = NEVER
    """End of the wait that was found when a page was to be leased; NEVER where there was none."""
    recheck_at: float = NEVER
    """Until then that wait is not worked out again."""

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """Everything at which a request takes a place."""
        if self.address is None:
            return self, self.domain
        return self, self.domain, self.address

    def room(self, allowed: int) -> int:
        """How many more pages may be leased, as far as places go, not time; not above 0 for none.

        `allowed` is the number of requests at once that the project allows for a host. A host that
        needs a pause between two requests is asked one by one.
        """
        limits = self.breaker.limits
        room = self.places(1 if self.delay else allowed)
        if room > 0:
            room = min(room, self.domain.places(limits.in_domain(allowed)))
        if room > 0 and self.address is not None:
            room = min(room, self.address.places(limits.at_address(allowed)))
        return room

    def is_open(self, allowed: int) -> bool:
        """Whether one more request may be on the network, as far as places go."""
        limits = self.breaker.limits
        return (
            self.under_way < (1 if self.delay else allowed)
            and self.domain.under_way < limits.in_domain(allowed)
            and (self.address is None or self.address.under_way < limits.at_address(allowed))
        )

    @property
    def delay(self) -> float:
        """Seconds between an answer and the next request."""
        return max(self.crawl_delay, self.breaker.delay)

    @property
    def pause_end(self) -> float:
        """When the next request may go out, as far as time goes."""
        delay = self.delay
        return max(self.paused_until, self.ended_at + delay) if delay else self.paused_until

    def move(self, name: str, address: Lane) -> None:
        """Set the address; requests on the network stay with the address they went to."""
        if self.address is not None:
            self.address.leased -= self.leased
        address.leased += self.leased
        self.address, self.address_name = address, name

    def forget(self) -> None:
        """Forget pauses and failures; requests in flight go on to count.

        The Crawl-delay stays: it holds for every crawler, and comes only with robots.txt.
        """
        self.paused_until, self.note = NEVER, ""
        self.breaker = Breaker(self.breaker.limits)

    def is_idle(self, now: float) -> bool:
        """Whether the host may be forgotten: nothing is in flight, and nothing holds for it.

        Its Crawl-delay comes again with robots.txt.
        """
        limits, breaker = self.breaker.limits, self.breaker
        longest = max(limits.slowdown_cap, limits.crawl_delay_cap)
        return not (
            self.leased
            or self.under_way
            or self.exempt
            or breaker.failures
            or breaker.refusals
            or breaker.delay
            or max(self.paused_until, self.held_until, self.ready_at, self.ended_at + longest) > now
        )


class Hosts:
    """Hosts by slot. Reading the state of an unknown host does not make it a known one."""

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float],
        domain_of: Callable[[str], str],
        kept: int = KEPT,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._domain_of = domain_of
        self._kept = self._most = kept
        self._hosts: dict[str, Host] = {}
        self._domains: WeakValueDictionary[str, Lane] = WeakValueDictionary()
        self._addresses: WeakValueDictionary[str, Lane] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._hosts)

    def __iter__(self) -> Iterator[tuple[str, Host]]:
        return iter(self._hosts.items())

    def __getitem__(self, slot: str) -> Host:
        if slot not in self._hosts:
            if len(self._hosts) >= self._most:
                self._forget_idle()
            self._hosts[slot] = self.peek(slot)
        return self._hosts[slot]

    def peek(self, slot: str) -> Host:
        """Return a host for reading only: nothing that is written to an unknown one is kept."""
        host = self._hosts.get(slot)
        if host is None:
            domain = self._domains.setdefault(self._domain_of(slot), Lane())
            host = Host(breaker=Breaker(self._limits), domain=domain)
        return host

    def note_address(self, host: Host, address: str) -> None:
        """Note the IP address at which a host was reached; "" where it is not known."""
        if address and address != host.address_name:
            host.move(address, self._addresses.setdefault(address, Lane()))

    def _forget_idle(self) -> None:
        now = self._clock()
        self._hosts = {slot: host for slot, host in self if not host.is_idle(now)}
        self._most = max(2 * len(self._hosts), self._kept)
