"""Orders as a user writes them: one that works, and one for each way not to."""

from __future__ import annotations

from typing import Any

import numpy as np
from frontera.worker.strategies import BaseCrawlingStrategy

from ranking import Evidence, Order


class Deepest(Order):
    """Far from the seeds first.

    More words.
    """

    def value(self, ids: Any, evidence: Evidence) -> Any:
        return evidence.depth[ids]


class Deeper(Deepest):
    """A variant."""


class NotANumber(Deepest):
    def value(self, ids: Any, evidence: Evidence) -> Any:
        return np.full(len(ids), np.nan)


class OneForAll(Deepest):
    def value(self, ids: Any, evidence: Evidence) -> Any:
        return 1.0


class Unfinished(Order):
    pass


class TakesNothing(Deepest):
    def __init__(self) -> None:
        super().__init__()


class LeavesOut(Deepest):
    def __init__(self, damping: float, tol: float) -> None:
        pass


class Named(Deepest):
    name = "bfs"


class OfFrontera(BaseCrawlingStrategy):  # type: ignore[misc]
    pass


no_class = Deepest()
