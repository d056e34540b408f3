"""Several random surfers that walk together: told, re-ranked, saved and restored as one.

Orders differ in which surfers they ask and in what they make of the answers, not in how surfers are
kept current.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.base import Job, State
from ranking.orders.link_order import Lesson, LinkOrder
from ranking.orders.surfer import Surfer
from ranking.result import Ranking


class Surfers(dict[str, Surfer]):
    """Surfers by the names under which their scores are known and saved."""

    @property
    def scores(self) -> dict[str, FloatArray]:
        """Arrays (n,) >= 0 by name, valid until the next `grow`."""
        return {name: surfer.scores for name, surfer in self.items()}

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known."""
        for surfer in self.values():
            surfer.grow(n)

    def push(self, lesson: Lesson) -> None:
        """One step of each from a page that their last rankings saw without links."""
        written = np.empty(len(lesson.targets) + 1, np.int32)
        written[0], written[1:] = lesson.page, lesson.targets
        for surfer in self.values():
            surfer.push(lesson, written)

    def jobs(self, view: GraphView, evidence: Evidence) -> dict[str, Callable[[], Ranking]]:
        """The parts of a re-rank by name."""
        return {name: surfer.job(view, evidence) for name, surfer in self.items()}

    def install(self, rankings: Mapping[str, Ranking]) -> None:
        """Take over the results of the last jobs."""
        for name, surfer in self.items():
            surfer.install(rankings[name])

    def state(self) -> State:
        """The last rankings: what `restore` needs."""
        return {key: array for name in self for key, array in self[name].state(name).items()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        for name, surfer in self.items():
            surfer.restore(name, arrays)


class SurferOrder(LinkOrder):
    """An order whose scores are those of its surfers."""

    saves_ranking = True
    _surfers: Surfers

    @property
    def scores(self) -> dict[str, FloatArray]:
        return self._surfers.scores

    def grow(self, n: int) -> None:
        self._surfers.grow(n)

    def _push(self, lesson: Lesson) -> None:
        self._surfers.push(lesson)

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        jobs = self._surfers.jobs(view, evidence)
        return lambda: {name: rank() for name, rank in jobs.items()}

    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        self._surfers.install(rankings)

    @property
    def by_id(self) -> frozenset[str]:
        return frozenset(self._surfers)

    def _state(self) -> State:
        return self._surfers.state()

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._surfers.restore(arrays)
