"""The scores of one random surfer, kept current between re-ranks.

A page fetched since the last re-rank hands c · score · weight / Σ weight to each link: one step
of the equation. A URL discovered since starts with what jumps would give it. Before the first
re-rank a jump is worth 1, so scores are on a scale of their own until then.

A re-rank continues the ranking before it, so that it costs what the crawl has changed. That
ranking is therefore what is saved; the steps since are taken again on resume.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.base import Lesson, State
from ranking.orders.restart import Restart
from ranking.pagerank.live import LiveScores
from ranking.pagerank.pagerank import pagerank
from ranking.result import Ranking, WalkMemory, WalkRanking

NO_CHECKSUM = -1.0  # that of no pages: the ranking lends its scores and is not continued


class Surfer:
    """PageRank for one restart policy."""

    def __init__(self, restart: Restart, damping: float, tol: float) -> None:
        self._restart, self._damping, self._tol = restart, damping, tol
        self._live = LiveScores(damping)
        self._ranking: WalkRanking | None = None
        self._job_pages = self._ranked_pages = np.empty(0, np.int32)
        self._saved_pages: float | None = None  # checksum of the pages of a restored ranking

    @property
    def scores(self) -> FloatArray:
        """(n,) float64 >= 0, provisional for ids newer than the last ranking."""
        return self._live.scores

    @property
    def ranked(self) -> bool:
        """Whether there was a re-rank."""
        return self._ranking is not None

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known."""
        self._live.grow(n, self._restart.newcomer)

    def push(self, lesson: Lesson) -> None:
        """One step from a page that the last ranking saw without links."""
        page, ids, weights, evidence = lesson
        self._live.gain(page, self._restart.gained(page, evidence, self._known))
        self._live.hand_on(page, ids, weights)

    def job(self, view: GraphView, evidence: Evidence) -> Callable[[], WalkRanking]:
        """A re-rank that continues the last one, or starts from the scores as they are now."""
        self._job_pages = view.pages
        self._recognise(view, evidence)
        restart = self._restart.vector(view, evidence)
        start = self.scores[: view.n].copy() if self._ranking is None else self._ranking
        damping, tol = self._damping, self._tol
        return lambda: pagerank(view, restart, damping, tol, start)

    def install(self, ranking: Ranking) -> None:
        """Take over the scores of the last job."""
        assert isinstance(ranking, WalkRanking)
        if ranking.memory is None:
            return  # of a graph without ids
        self._ranking, self._ranked_pages = ranking, self._job_pages
        self._live.take(ranking, self._restart.newcomer)

    def state(self, name: str) -> State:
        """The last ranking: scores under `name`, the rest under `name`.owed and `name`.walk."""
        if self._ranking is None or self._ranking.memory is None:
            return {name: np.empty(0), f"{name}.owed": np.empty(0), f"{name}.walk": np.empty(0)}
        memory = self._ranking.memory
        checksum = _checksum(self._ranked_pages)
        rest = [memory.unit, memory.restart_total, checksum, memory.withdrawn]
        # Copies are not needed: a ranking does not change.
        return {
            name: self._ranking.scores,
            f"{name}.owed": memory.owed,
            f"{name}.walk": np.array(rest),
        }

    def restore(self, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        scores, rest = arrays[name], arrays[f"{name}.walk"]
        owed = arrays.get(f"{name}.owed")
        if owed is None:  # of a crawl stored before rankings were continued: jump, number of ids
            owed, rest = np.empty(0), np.array([1 / rest[0], 1.0, NO_CHECKSUM, 0.0])
        self._live, self._ranking = LiveScores(self._damping), None
        if not scores.size:
            return
        unit, total, self._saved_pages, withdrawn = rest.tolist()
        memory = WalkMemory(None, self._damping, None, total, unit, owed, withdrawn)
        self._ranking = WalkRanking(scores, 0, 0.0, True, total / unit, memory=memory)
        self._live.take(self._ranking, self._restart.newcomer)

    @property
    def _known(self) -> int:
        """Number of ids in the last ranking."""
        return 0 if self._ranking is None else len(self._ranking.scores)

    def _recognise(self, view: GraphView, evidence: Evidence) -> None:
        """Tie a restored ranking to the log it was made of, if this is still that log."""
        ranking, saved = self._ranking, self._saved_pages
        if ranking is None or ranking.memory is None or saved is None:
            return
        self._saved_pages = None
        self._ranking = replace(ranking, memory=self._tied(ranking.memory, saved, view, evidence))

    def _tied(
        self, memory: WalkMemory, saved: float, view: GraphView, evidence: Evidence
    ) -> WalkMemory | None:
        pages = view.pages[: len(memory.owed)]
        if len(pages) < len(memory.owed) or saved != _checksum(pages):
            return None  # a page was fetched again: its row moved
        then = GraphView(self._known, pages, np.zeros(1, np.int64), pages[:0])
        restart = self._restart.vector(then, evidence)
        total = self._known if restart is None else restart.sum(dtype=np.float64)
        if total != memory.restart_total:
            return None  # seeds were added to what was known
        return replace(memory, log=view.log, restart=restart)


def _checksum(pages: IntArray) -> float:
    return float(zlib.crc32(np.ascontiguousarray(pages).data))
