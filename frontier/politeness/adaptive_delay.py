"""How fast one host may be asked, learned from how it bears it.

Two signs slow a host down. Refusals (429, 503) double its delay, and each proper answer takes a
quarter of it away again: fast to obey, slow to forget, as TCP does it. And answers that take much
longer than this host's usual ones add the time they take beyond that, which vanishes by itself as
soon as they come quickly again. Usual is a slow average that follows a rise much more slowly than a
fall, so that a host that is being worn down does not come to count as a slow one.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.politeness.limits import Limits

_RECOVERY = 0.75
"""What is left of a delay after a proper answer: from a minute to a second in 15 answers."""
_NONE = 0.05
"""Seconds below which a delay is over."""
_RECENT = 0.3
_USUAL = 0.05
_USUAL_RISING = 0.002
"""Weights of a new latency in the recent average and in the usual one."""
_KNOWN = 5
"""Answers after which a host's usual latency is taken for known."""
_NOTICED = 0.5
"""Seconds; less than that above the usual is noise of any machine."""


@dataclass(slots=True)
class AdaptiveDelay:
    """The delay one host has earned; times in seconds."""

    refused: float = 0.0
    """Delay because of refusals."""
    recent: float = 0.0
    usual: float = 0.0
    answers: int = 0

    def refuse(self, limits: Limits) -> None:
        """Note that the host has had too much."""
        self.refused = min(max(limits.backoff, 2 * self.refused), limits.slowdown_cap)

    def answer(self, latency: float | None) -> None:
        """Note a proper answer, and how long it took; None where that says nothing."""
        self.refused *= _RECOVERY
        if self.refused < _NONE:
            self.refused = 0.0
        if latency is not None:
            self._learn(latency)

    def _learn(self, latency: float) -> None:
        self.answers += 1
        if self.answers <= _KNOWN:
            self.usual += (latency - self.usual) / self.answers
            self.recent = self.usual
            return
        weight = _USUAL if latency < self.usual else _USUAL_RISING
        self.usual += weight * (latency - self.usual)
        self.recent += _RECENT * (latency - self.recent)

    def delay(self, limits: Limits) -> float:
        """Seconds that have to lie between an answer and the next request."""
        return min(self.refused + self._risen(limits.latency_factor), limits.slowdown_cap)

    def _risen(self, factor: float) -> float:
        above = self.recent - self.usual
        if not factor or above < _NOTICED or self.recent < factor * self.usual:
            return 0.0
        return above
