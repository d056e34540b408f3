"""The scores of one random surfer, kept current between re-ranks.

A page fetched since the last re-rank hands c · score · weight / Σ weight to each link: one step
of the equation. A URL discovered since starts with what jumps would give it. Before the first
re-rank a jump is worth 1, so scores are on a scale of their own until then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray
from ranking.evidence import Evidence
from ranking.orders.base import Lesson, State
from ranking.orders.restart import Restart
from ranking.pagerank import pagerank
from ranking.result import Ranking, WalkRanking
from ranking.view import GraphView


class Surfer:
    """PageRank for one restart policy.

    Invariant: an id that nobody links to scores `_jump` times its restart weight.
    """

    def __init__(self, restart: Restart, damping: float, tol: float) -> None:
        self._restart, self._damping, self._tol = restart, damping, tol
        self._scores = Column(np.float64)
        self._jump = 1.0  # score for each unit of restart weight
        self._known = 0  # ids in the last ranking
        self._restart_total = 1.0  # Σ of the restart weights of the job under way
        self.ranked = False

    @property
    def scores(self) -> FloatArray:
        """(n,) float64 >= 0, provisional for ids newer than the last ranking."""
        return self._scores.array

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known."""
        old = len(self.scores)
        if n > old:
            self._scores.resize(n)
            self.scores[old:] = self._jump * self._restart.newcomer

    def push(self, lesson: Lesson) -> None:
        """One step from a page that the last ranking saw without links."""
        page, ids, weights, evidence = lesson
        scores = self.scores
        scores[page] += self._jump * self._restart.gained(page, evidence, self._known)
        handed = self._damping * scores[page]
        if weights is None:
            if ids.size:
                scores[ids] += handed / ids.size
            return
        total = weights.sum(dtype=np.float64)
        if total > 0:
            scores[ids] += weights * (handed / total)

    def job(self, view: GraphView, evidence: Evidence) -> Callable[[], WalkRanking]:
        """A re-rank that starts from the scores as they are now."""
        restart = self._restart.vector(view, evidence)
        self._restart_total = float(restart.sum())
        start = self.scores[: view.n].copy()
        damping, tol = self._damping, self._tol
        return lambda: pagerank(view, restart, damping, tol, start)

    def install(self, ranking: Ranking) -> None:
        """Take over the scores of the last job."""
        assert isinstance(ranking, WalkRanking)
        self._known = len(ranking.scores)
        self._jump = ranking.jump / self._restart_total if self._known else 1.0
        self.scores[: self._known] = ranking.scores
        self.scores[self._known :] = self._jump * self._restart.newcomer
        self.ranked = self._known > 0

    def state(self, name: str) -> State:
        """The scores under `name`, the rest under `name`.walk."""
        rest = np.array([self._jump, float(self._known)])
        return {name: self.scores.copy(), f"{name}.walk": rest}

    def restore(self, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        scores, (jump, known) = arrays[name], arrays[f"{name}.walk"]
        self._scores = Column(np.float64)
        self._scores.extend(scores)
        self._jump, self._known = float(jump), int(known)
        self.ranked = self._known > 0
