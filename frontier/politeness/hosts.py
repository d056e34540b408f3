"""Hosts: what each has asked for and how it bears being asked, and the lanes that lead to it.

A request passes three lanes, its host's, its registered domain's and its address's, and each may be
too narrow for it. Ten thousand hosts of one domain are thus one domain, however many names it
mints. A long crawl meets more hosts than memory should hold: those that have asked for nothing, and
were not asked for a while, are forgotten once there are many.

Invariant: hosts of one registered domain, or on one address, hold the same lane object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from frontier.politeness.breaker import AdaptiveDelay, Breaker
from frontier.politeness.limits import Limits

NEVER = float("-inf")
KEPT = 10_000
"""Hosts that are remembered before any is forgotten; some 10 MB."""


@dataclass(slots=True)
class SharedLimit:
    """Requests of one host, domain or address; times in seconds.

    `handed` counts requests that the frontier has handed out for it, and `under_way` those that are
    being answered: most are both, but robots.txt is nobody's hand-out, and a hand-out may still be
    waiting for it.
    """

    handed: int = 0
    under_way: int = 0
    ended: float = NEVER

    def room(self, limit: int) -> int:
        """How many more hand-outs fit."""
        return max(0, limit - max(self.handed, self.under_way))

    def wait(self, delay: float, now: float) -> float:
        """Seconds until the delay since the last request is over, not above 0 if it is."""
        return self.ended + delay - now if delay else 0.0


@dataclass(slots=True)
class Host:
    """State of one slot; times in seconds on the clock of its owner."""

    domain: SharedLimit
    lane: SharedLimit = field(default_factory=SharedLimit)
    address: SharedLimit | None = None
    address_name: str = ""
    crawl_delay: float = 0.0
    until: float = NEVER
    """Not to be asked before."""
    note: str = ""
    """Why not."""
    pace: AdaptiveDelay = field(default_factory=AdaptiveDelay)
    breaker: Breaker = field(default_factory=Breaker)

    @property
    def lanes(self) -> tuple[SharedLimit, ...]:
        """All that a request to the host passes."""
        if self.address is None:
            return self.lane, self.domain
        return self.lane, self.domain, self.address

    def delay(self, limits: Limits) -> float:
        """Seconds between an answer and the next request."""
        return max(self.crawl_delay, self.pace.delay(limits))

    def concurrency(self, allowed: int, limits: Limits) -> int:
        """Requests at once: one where a pause has to lie between two, or comes after failures."""
        return 1 if self.delay(limits) or self.breaker.pause(limits) else allowed

    def room(self, allowed: int, limits: Limits) -> int:
        """How many more hand-outs its lanes take."""
        room = self.lane.room(self.concurrency(allowed, limits))
        room = min(room, self.domain.room(limits.in_domain(allowed)))
        if self.address is None:
            return room
        return min(room, self.address.room(limits.at_address(allowed)))

    def is_open(self, allowed: int, limits: Limits) -> bool:
        """Whether its lanes let another request go out."""
        return (
            self.lane.under_way < self.concurrency(allowed, limits)
            and self.domain.under_way < limits.in_domain(allowed)
            and (self.address is None or self.address.under_way < limits.at_address(allowed))
        )

    def wait(self, limits: Limits, now: float) -> float:
        """Seconds until it may be asked, as far as time goes; 0 for now."""
        return max(self.until - now, self.lane.wait(self.delay(limits), now), 0.0)

    def move(self, name: str, address: SharedLimit) -> None:
        """Be found at an address; requests that are under way stay with the one they went to."""
        if self.address is not None:
            self.address.handed -= self.lane.handed
        address.handed += self.lane.handed
        self.address, self.address_name = address, name

    @property
    def is_busy(self) -> bool:
        """Whether requests to it are handed out or under way."""
        return self.lane.handed > 0 or self.lane.under_way > 0

    def forget(self) -> None:
        """Forget how it bears being asked, and for what rest it asked; requests go on to count.

        Its Crawl-delay stays: it holds whoever asks, and is told once, with robots.txt.
        """
        self.until, self.note = NEVER, ""
        self.pace, self.breaker = AdaptiveDelay(), Breaker()

    def rests(self, limits: Limits, now: float) -> bool:
        """Whether the host may be forgotten.

        How long it usually takes is learned again, and its Crawl-delay told again with robots.txt.
        """
        return (
            not self.is_busy
            and not self.breaker.failures
            and not self.breaker.refusals
            and not self.pace.refused
            and self.until <= now
            and self.lane.ended < now - max(limits.slowdown_cap, limits.crawl_delay_cap)
        )


class Hosts:
    """Hosts by download slot."""

    def __init__(self, domain_of: Callable[[str], str], kept: int = KEPT) -> None:
        self._domain_of = domain_of
        self._kept = self._most = kept
        self._hosts: dict[str, Host] = {}
        self._domains: dict[str, SharedLimit] = {}
        self._addresses: dict[str, SharedLimit] = {}

    def __len__(self) -> int:
        return len(self._hosts)

    def find(self, slot: str) -> Host | None:
        """Return a host if it is remembered."""
        return self._hosts.get(slot)

    def of(self, slot: str) -> Host:
        """Return a host, new if it is not remembered."""
        host = self._hosts.get(slot)
        if host is None:
            domain = self._domains.setdefault(self._domain_of(slot), SharedLimit())
            host = self._hosts[slot] = Host(domain)
        return host

    def domain(self, slot: str) -> SharedLimit | None:
        """Return the lane of the domain to which a slot belongs, if it has one."""
        return self._domains.get(self._domain_of(slot))

    def note_address(self, host: Host, address: str) -> None:
        """Let a host share the lane of the address at which it was reached."""
        if address and address != host.address_name:
            host.move(address, self._addresses.setdefault(address, SharedLimit()))

    def tidy(self, limits: Limits, now: float) -> None:
        """Forget hosts at rest, if there are many."""
        if len(self._hosts) < self._most:
            return
        self._keep({s: host for s, host in self._hosts.items() if not host.rests(limits, now)})
        self._most = max(2 * len(self._hosts), self._kept)

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Forget hosts by their slots; of those that are busy only what they are like.

        Those with a Crawl-delay stay, with nothing else.
        """
        forgotten = {slot: host for slot, host in self._hosts.items() if belongs(slot)}
        for host in forgotten.values():
            host.forget()
        stays = {s for s, h in self._hosts.items() if h.is_busy or h.crawl_delay}
        self._keep({s: h for s, h in self._hosts.items() if s in stays or s not in forgotten})

    def _keep(self, hosts: dict[str, Host]) -> None:
        self._hosts = hosts
        self._domains = {self._domain_of(slot): host.domain for slot, host in self._hosts.items()}
        self._addresses = {
            host.address_name: host.address
            for host in self._hosts.values()
            if host.address is not None
        }
