"""What shares a way to the web: a host, a registered domain, an address.

A request passes three lanes, its host's, its domain's and its address's, and each may be too narrow
for it. Ten thousand hosts of one domain are thus one domain, however many names it mints.
"""

from __future__ import annotations

from dataclasses import dataclass

NEVER = float("-inf")
MANY = 2**31
"""More requests than there can be: no limit."""


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

    @property
    def idle(self) -> bool:
        """Whether nothing is on it or coming."""
        return not self.handed and not self.under_way

    def room(self, limit: int) -> int:
        """How many more hand-outs fit."""
        return max(0, limit - max(self.handed, self.under_way))

    def is_open(self, limit: int) -> bool:
        """Whether another request may be under way."""
        return self.under_way < limit

    def wait(self, delay: float, now: float) -> float:
        """Seconds until the delay since the last request is over, not above 0 if it is."""
        return self.ended + delay - now if delay else 0.0
