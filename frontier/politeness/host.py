"""One host: what it has asked for, how it bears being asked, and the lanes that lead to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from frontier.politeness.adaptive_delay import AdaptiveDelay
from frontier.politeness.breaker import Breaker
from frontier.politeness.limits import Limits
from frontier.politeness.shared_limits import NEVER, SharedLimit


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
            self.lane.is_open(self.concurrency(allowed, limits))
            and self.domain.is_open(limits.in_domain(allowed))
            and (self.address is None or self.address.is_open(limits.at_address(allowed)))
        )

    def wait(self, limits: Limits, now: float) -> float:
        """Seconds until it may be asked, as far as time goes; 0 for now."""
        wait = max(self.until - now, self.lane.wait(self.delay(limits), now))
        if limits.domain_delay:
            wait = max(wait, self.domain.wait(limits.domain_delay, now))
        if limits.ip_delay and self.address is not None:
            wait = max(wait, self.address.wait(limits.ip_delay, now))
        return max(wait, 0.0)

    def move(self, name: str, address: SharedLimit) -> None:
        """Be found at an address; requests that are under way stay with the one they went to."""
        if self.address is not None:
            self.address.handed -= self.lane.handed
        address.handed += self.lane.handed
        self.address, self.address_name = address, name

    def rests(self, limits: Limits, now: float) -> bool:
        """Whether the host may be forgotten.

        How long it usually takes is learned again, and its Crawl-delay told again with robots.txt.
        """
        return (
            self.lane.idle
            and not self.breaker.failures
            and not self.breaker.refusals
            and not self.pace.refused
            and self.until <= now
            and self.lane.ended < now - max(limits.slowdown_cap, limits.crawl_delay_cap)
        )
