"""How fast one host may be asked, learned from how it bears it.

Refusals (429, 503) and failures double a host's delay, and each proper answer takes a quarter of it
away again: fast to obey, slow to forget, as TCP does it. Rising latency is AutoThrottle's matter.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.politeness.limits import Limits

_RECOVERY = 0.75
"""What is left of a delay after a proper answer: from half a minute to a second in 12 answers."""
_NONE = 0.05
"""Seconds below which a delay is over."""


@dataclass(slots=True)
class AdaptiveDelay:
    """The delay one host has earned; in seconds."""

    refused: float = 0.0
    """Delay because of refusals."""

    def refuse(self, limits: Limits) -> None:
        """Note that the host has had too much."""
        self.refused = min(max(limits.backoff, 2 * self.refused), limits.slowdown_cap)

    def answer(self) -> None:
        """Note a proper answer."""
        self.refused *= _RECOVERY
        if self.refused < _NONE:
            self.refused = 0.0

    def delay(self, limits: Limits) -> float:
        """Seconds that have to lie between an answer and the next request."""
        return min(self.refused, limits.slowdown_cap)
