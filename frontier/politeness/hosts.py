"""Hosts: what is in flight to each, when it may be asked again, and why not before.

A request takes a place at its host, at the host's registered domain and at its IP address. Ten
thousand names of one domain are thus one domain. A long crawl meets more hosts than memory should
hold: idle hosts for which no pause holds are forgotten once there are many.

Invariant: hosts of one registered domain, or at one address, share one `Lane` object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

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

    def room(self, most: int, *, on_network: bool) -> int:
        """How many more of `most` requests fit."""
        return most - (self.under_way if on_network else max(self.leased, self.under_way))


@dataclass(eq=False)
class Host(Lane):
    """State of one slot, which is the lane of its own requests; times in seconds."""

    slot: str = field(kw_only=True)
    domain: Lane = field(kw_only=True)
    breaker: Breaker = field(kw_only=True)
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

    def capacity(self, allowed: int, *, on_network: bool = False) -> int:
        """How many more requests fit, leased or `on_network`; not above 0: none.

        `allowed` is the number of requests at once that the project allows for a host. A host that
        needs a pause between two requests is asked one by one.
        """
        limits = self.breaker.limits
        room = self.room(1 if self.delay else allowed, on_network=on_network)
        if room > 0:
            room = min(room, self.domain.room(limits.in_domain(allowed), on_network=on_network))
        if room > 0 and self.address is not None:
            room = min(room, self.address.room(limits.at_address(allowed), on_network=on_network))
        return room

    @property
    def delay(self) -> float:
        """Seconds between an answer and the next request."""
        return max(self.crawl_delay, self.breaker.delay)

    def pause_end(self, asked_by_others: float = NEVER) -> float:
        """When the next request may go out, as far as time goes."""
        return max(self.paused_until, max(self.ended_at, asked_by_others) + self.delay)

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


class Hosts(dict[str, Host]):
    """Hosts by slot; `hosts[slot]` makes an unknown one."""

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float],
        domain_of: Callable[[str], str],
        kept: int = KEPT,
    ) -> None:
        super().__init__()
        self._limits = limits
        self._clock = clock
        self._domain_of = domain_of
        self._kept = self._most = kept
        self._domains: dict[str, Lane] = {}
        self._addresses: dict[str, Lane] = {}
        self._empty = Lane()
        self._unknown = Host(slot="", domain=self._empty, breaker=Breaker(limits))

    def __missing__(self, slot: str) -> Host:
        if len(self) >= self._most:
            self._forget_idle()
        domain = self._domains.setdefault(self._domain_of(slot), Lane())
        host = self[slot] = Host(slot=slot, domain=domain, breaker=Breaker(self._limits))
        return host

    def unknown(self, slot: str) -> Host:
        """Return an unknown host to read until the next call, without making it known."""
        self._unknown.domain = self._domains.get(self._domain_of(slot), self._empty)
        return self._unknown

    def note_address(self, host: Host, address: str) -> None:
        """Note the IP address at which a host was reached; "" where it is not known."""
        if address and address != host.address_name:
            host.move(address, self._addresses.setdefault(address, Lane()))

    def _forget_idle(self) -> None:
        now = self._clock()
        for host in [host for host in self.values() if host.is_idle(now)]:
            del self[host.slot]
        self._most = max(2 * len(self), self._kept)
        self._domains = {self._domain_of(slot): host.domain for slot, host in self.items()}
        addresses = ((host.address_name, host.address) for host in self.values())
        self._addresses = {name: lane for name, lane in addresses if lane is not None}
