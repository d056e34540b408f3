"""Scores kept current between two rankings, one push for each page.

A page that is fetched hands c · score · weight / Σ weight to each of its links: one step of the
surfer's equation, O(links), about a microsecond. What its targets hand on in turn is left to the
next ranking; on a crawl that grew by 1 % this leaves an L1 error of about 0.003
(`pagerank.provisional` gives the same scores for a whole graph, with a bound of the error).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, IntArray, SingleArray
from ranking.errors import RankingInputError
from ranking.graph.view import GraphView
from ranking.pagerank import _walk
from ranking.result import WalkRanking


class LiveScores:
    """Provisional scores (n,) on the scale of the last ranking: only that one's sum to 1.

    They are float64, or float32 for half the memory.

    Invariant: an id that nobody links to has `jump` times its restart weight.
    """

    def __init__(self, damping: float = 0.85, dtype: type[np.floating[Any]] = np.float64) -> None:
        self._damping = damping
        self._scores: Column[Any] = Column(dtype)
        self.jump = 1.0
        """Score for each unit of restart weight; 1 before the first ranking."""

    @property
    def scores(self) -> npt.NDArray[Any]:
        """(n,) >= 0; a view, valid until `grow`."""
        return self._scores.array

    def grow(self, n: int, weight: float) -> None:
        """Make ids up to n - 1 known; new ones have this restart weight."""
        old = len(self.scores)
        if n > old:
            self._scores.resize(n)
            self.scores[old:] = self.jump * weight

    def take(self, ranking: WalkRanking, weight: float) -> None:
        """Start from a ranking; ids that it does not know have this restart weight.

        Raises RankingInputError for a ranking of no ids.
        """
        if ranking.memory is None:
            raise RankingInputError("the ranking must be one that pagerank() made of some ids")
        known = len(ranking.scores)
        self._scores.resize(known)
        self.jump = 1 / ranking.memory.unit
        self.scores[:known] = ranking.scores
        self.scores[known:] = self.jump * weight

    def gain(self, ids: int | IntArray, weights: float | FloatArray) -> None:
        """Add restart weight to an id, or to different ids (k,) each its own."""
        self.scores[ids] += self.jump * weights

    def hand_on(self, page: int, targets: IntArray, weights: SingleArray | None) -> None:
        """A page was fetched: push once to its links (merged, below n)."""
        total = len(targets) if weights is None else float(weights.sum(dtype=np.float64))
        self.hand_out(page, targets, weights, total)

    def hand_out(
        self,
        page: int,
        targets: IntArray,
        weights: SingleArray | None,
        total: float,
        gained: float = 0.0,
    ) -> npt.NDArray[Any]:
        """The same where it is known what the links weigh together.

        The page gains restart weight before. Returns what scores it and its targets had, (k + 1,).
        """
        scores = self._scores.array
        before = np.empty(len(targets) + 1, scores.dtype)
        gains = self.jump * gained
        _walk.hand_on(page, targets, weights, total, gains, self._damping, scores, before)
        return before

    def catch_up(self, view: GraphView, first: int) -> None:
        """The same for all pages of a view from row `first` on, in crawl order."""
        if view.n > len(self.scores):
            raise RankingInputError(
                f"the view has {view.n} ids, {len(self.scores)} are known; call grow() first"
            )
        links = view.indptr, view.targets, *view.coded_weights
        _walk.hand_on_rows(*links, view.pages, view.totals, self._damping, first, self.scores)
