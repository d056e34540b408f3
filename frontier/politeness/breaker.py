"""Hosts that refuse or do not answer: asked ever more seldom, and given up in the end.

Refusals (429, 503) and failures double a host's delay, and each proper answer takes a quarter of it
away again: fast to obey, slow to forget, as TCP does it. Rising latency is AutoThrottle's matter.

A dead host with a hundred thousand URLs would else cost three attempts and three timeouts for each
of them. Here it costs a bounded number of attempts in all. Two things are held against giving up
too early: a host that has answered before is only in trouble, and is tried for much longer; and a
failure says little while nobody else answers either, for then it may be our own network that is
down.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.politeness.limits import Limits

_RECOVERY = 0.75
"""What is left of a delay after a proper answer: from half a minute to a second in 12 answers."""
_NONE = 0.05
"""Seconds below which a delay is over."""
_UNWITNESSED = 2
"""Times as many failures are needed while no other host has answered since the first of them."""
_REFUSALS = 2
"""Times as many refusals, while others answer: there is work meanwhile, and it may change its mind.
Where nobody else does, hosts that refuse are all that is left, and the crawl should end."""
_MOST_DOUBLINGS = 60


@dataclass(slots=True)
class Breaker:
    """Failures and refusals in a row of one host."""

    failures: int = 0
    """In a row, without any answer."""
    refusals: int = 0
    """In a row, of 429 and 503."""
    proven: bool = False
    """Whether the host has ever answered."""
    since: float = 0.0
    """When the present row of failures began."""
    reason: str = ""
    """What the last failure was."""
    witnessed: bool = False
    """Whether others were seen to answer since."""
    _answers: int = 0

    def answer(self) -> None:
        """Note a proper answer of the host."""
        self.proven = True
        self.failures = self.refusals = 0

    def refuse(self, reason: str, answers: int) -> None:
        """Note that the host answers, but does not want to be asked.

        `answers` counts those of all hosts so far that were no refusals.
        """
        self.proven = True
        self.failures = 0
        if not self.refusals:
            self._answers = answers
        self.refusals += 1
        self.witnessed = answers > self._answers
        self.reason = reason

    def fail(self, reason: str, now: float, answers: int) -> None:
        """Note a failure; `answers` counts those of all hosts so far."""
        if not self.failures:
            self.since, self._answers = now, answers
        self.failures += 1
        self.witnessed = answers > self._answers
        self.reason = reason

    def pause(self, limits: Limits) -> float:
        """Seconds for which to leave the host alone after its last failure."""
        if not self.failures:
            return 0.0
        doublings = min(self.failures - 1, _MOST_DOUBLINGS)
        return min(limits.backoff * 2.0**doublings, limits.backoff_cap)

    def verdict(self, limits: Limits, now: float) -> str | None:
        """Return why the host is given up, None while it is not."""
        if not limits.dead_after:
            return None
        if self.refusals >= (_REFUSALS if self.witnessed else 1) * limits.dead_after:
            return f"host refused {self.refusals} requests in a row ({self.reason})"
        if self.failures < (1 if self.witnessed else _UNWITNESSED) * limits.dead_after:
            return None
        if self.proven and now - self.since < limits.dead_patience:
            return None
        return f"host did not answer {self.failures} requests in a row ({self.reason})"


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
