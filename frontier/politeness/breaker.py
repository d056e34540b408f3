"""Hosts that refuse or do not answer: asked ever less often, and given up in the end.

Refusals (429, 503) and failures double the delay of a host, and each proper answer takes a quarter
of it away: fast to obey, slow to forget, as in TCP. Rising latency is left to AutoThrottle.

Without a limit, a dead host with a hundred thousand URLs costs three attempts and three timeouts
for each URL. Here it costs a bounded number of attempts in all. Two rules keep a host from being
given up too early: a host that has answered before is tried for much longer, and a failure counts
half while no other host answers either, because the crawler's own network may be down.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.politeness.limits import Limits

_RECOVERY = 0.75
"""Share of a delay that is left after a proper answer: half a minute is a second after 12."""
_NEGLIGIBLE = 0.05
"""Seconds below which a delay is dropped."""
_UNWITNESSED = 2
"""Factor on the failures that are needed while no other host has answered since the first."""
_REFUSALS = 2
"""Factor on the refusals that are needed while other hosts answer: there is other work, and the
host may change its mind. Where only refusing hosts are left, the crawl should end."""
_MOST_DOUBLINGS = 60


@dataclass(slots=True)
class Breaker:
    """Consecutive failures and refusals of one host, and the delay it has earned by them."""

    limits: Limits
    delay: float = 0.0
    """Seconds between an answer and the next request."""
    failures: int = 0
    """Consecutive requests without an answer."""
    refusals: int = 0
    """Consecutive answers 429 and 503."""
    proven: bool = False
    """Whether the host has ever answered."""
    since: float = 0.0
    """Time of the first of these failures."""
    reason: str = ""
    """The last failure or refusal in words."""
    witnessed: bool = False
    """Whether other hosts have answered since the first failure or refusal."""
    _answers: int = 0

    def answer(self) -> None:
        """Note a proper answer of the host."""
        self.proven = True
        self.failures = self.refusals = 0
        self.delay *= _RECOVERY
        if self.delay < _NEGLIGIBLE:
            self.delay = 0.0

    def refuse(self, status: int, answers: int) -> None:
        """Note an answer 429 or 503; `answers` counts the proper answers of all hosts so far."""
        self.proven = True
        self.failures = 0
        if not self.refusals:
            self._answers = answers
        self.refusals += 1
        self.witnessed = answers > self._answers
        self.reason = f"HTTP {status}"
        # A single 503 is the trouble of its page, which is held back; its Retry-After says for how
        # long the host wants a pause.
        if status == 429 or self.refusals > 1:
            self._slow_down()

    def fail(self, reason: str, now: float, answers: int) -> None:
        """Note a request without an answer; `answers` counts the answers of all hosts so far."""
        if not self.failures:
            self.since, self._answers = now, answers
        self.failures += 1
        self.witnessed = answers > self._answers
        self.reason = reason
        self._slow_down()

    def _slow_down(self) -> None:
        self.delay = min(max(self.limits.backoff, 2 * self.delay), self.limits.slowdown_cap)

    @property
    def pause(self) -> float:
        """Seconds for which the host is left alone after its last failure."""
        if not self.failures:
            return 0.0
        doublings = min(self.failures - 1, _MOST_DOUBLINGS)
        return min(self.limits.backoff * 2.0**doublings, self.limits.backoff_cap)

    def verdict(self, now: float) -> str | None:
        """Return why the host is given up; None while it is not."""
        most = self.limits.dead_after
        if not most:
            return None
        if self.refusals >= (_REFUSALS if self.witnessed else 1) * most:
            return f"host refused {self.refusals} requests in a row ({self.reason})"
        if self.failures < (1 if self.witnessed else _UNWITNESSED) * most:
            return None
        if self.proven and now - self.since < self.limits.dead_seconds:
            return None
        return f"host did not answer {self.failures} requests in a row ({self.reason})"
