"""Scores kept current between two rankings, one push for each page.

A page that is fetched hands c · score · weight / Σ weight to each of its links: one step of the
surfer's equation, O(links). What its targets hand on in turn is left to the next ranking; on a
crawl that grew by 1 % this leaves an L1 error of about 0.003.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, IntArray, SingleArray
from ranking.errors import RankingInputError
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

    def hand_out(
        self,
        written: IntArray,
        weights: SingleArray | None,
        total: float,
        gained: float = 0.0,
    ) -> npt.NDArray[Any]:
        """A page was fetched: push once to its links.

        Args:
            written: (k + 1,) different ids below n: the page, then its targets.
            weights: (k,) of the links; None: all 1.
            total: what they weigh together; 0: nothing is pushed.
            gained: restart weight that the page gains before.

        Returns:
            (k + 1,) what scores the page and its targets had.

        """
        scores, page, targets = self._scores.array, written[0], written[1:]
        before = scores[written]
        scores[page] += self.jump * gained
        if total:
            each = self._damping * float(scores[page]) / total
            scores[targets] += each if weights is None else each * weights.astype(np.float64)
        return before
