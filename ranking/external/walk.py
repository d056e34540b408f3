"""PageRank with any restart vector over lists on disk.

    y = r + c Pᵀy        on the m rows, then one product for all others; π = y / Σ y

as in `ranking.pagerank`, by Gauss-Seidel sweeps in the order of the lists, with extrapolations.
What a sweep needs in memory are three vectors of the rows, and what an extrapolation does one for
each sweep since the last; nodes without links take 8 bytes, once, at the end.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.external import _lists
from ranking.external.checkpoint import Checkpoint
from ranking.external.lists import LinkLists
from ranking.pagerank.jumps import Jumps
from ranking.pagerank.pagerank import MAX_ITERATIONS, check_walk
from ranking.pagerank.sweeps import WINDOW, iterate
from ranking.result import WalkRanking

ROW, NODE = 36, 8
"""Bytes of memory a row and a node: y, what it hands on, its share, its residual and its id."""
COPIES = 2
"""Of y where there are extrapolations, beside one vector for each sweep of a window."""
FEWEST = 3  # sweeps of a window: fewer extrapolate badly


def pagerank(
    lists: LinkLists,
    restart: npt.ArrayLike | None = None,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iterations: int = MAX_ITERATIONS,
    window: int = WINDOW,
    checkpoint: Checkpoint | None = None,
) -> WalkRanking:
    """Scores of all n ids; see `ranking.pagerank.pagerank.pagerank`, whose equation it solves.

    Args:
        lists: the followed links.
        restart: (n,) finite numbers >= 0 with a positive sum, any scale; None: all 1.
        damping: in [0, 1).
        tol: bound > 0 on the L1 distance of the scores to the exact ones.
        max_iterations: sweeps before giving up.
        window: sweeps between extrapolations, FEWEST or more; fewer take less memory and more
            sweeps, 0 (no extrapolations) least memory and about twice the sweeps.
        checkpoint: is told each sweep's y (m,), and what a run before left is gone on with.

    Raises:
        RankingInputError: an argument of the wrong length or range.

    """
    check_walk(damping, tol, max_iterations)
    jumps = Jumps(restart, lists.n)
    walk = _Walk(lists, jumps, damping)
    made, y = checkpoint.load() if checkpoint else (0, None)
    first = walk.start() if y is None else y
    told = checkpoint.save if checkpoint else None
    made, converged = iterate(
        *(walk, first, jumps.total, damping, tol, max_iterations), made, window, told
    )
    return walk.ranking(made, converged=converged)


class _Walk:
    """See `ranking.pagerank.sweeps.Sweeper`: y (m,) by row, and what its rows hand to each link."""

    def __init__(self, lists: LinkLists, jumps: Jumps, damping: float) -> None:
        self._lists, self._jumps, self._damping = lists, jumps, damping
        totals = lists.totals
        linked = totals > 0
        self._share = np.divide(damping, totals, out=totals, where=linked)
        self._restart = None if jumps.weights is None else jumps.at(lists.pages)
        self.y, self._handed = np.empty(0), np.empty(0)

    def start(self) -> FloatArray:
        """Where nothing is known: the restart vector."""
        return self._jumps.at(self._lists.pages)

    def go_to(self, y: FloatArray) -> None:
        self.y, self._handed = y, y * self._share

    def linked(self) -> float:
        return float(self.y.sum(where=self._share > 0))

    def sweep(self, change: FloatArray) -> float:
        after = self._share, self.y, self._handed, change
        return sum(_lists.sweep(*part, self._restart, *after) for part in self._lists.inner())

    def ranking(self, made: int, *, converged: bool) -> WalkRanking:
        """The scores of all ids, by one more product."""
        lists, jumps, linked = self._lists, self._jumps, self.linked()
        self._share = np.empty(0)
        residual, total = self._owed()
        unit = jumps.total + self._damping * linked - total
        scores = jumps.copy()
        for part in lists.outer():
            _lists.collect(*part, self._handed, scores, lists.n_pages)
        scores[lists.pages] = self.y
        scores /= unit
        return WalkRanking(
            scores=scores,
            iterations=made,
            residual=residual / unit,
            converged=converged,
            jump=1 - self._damping * linked / unit,
        )

    def _owed(self) -> tuple[float, float]:
        """What rows are handed beyond their y: its norm with scores of sum 1, and its sum."""
        owed = self.start() - self.y
        for part in self._lists.inner():
            _lists.collect(*part, self._handed, owed, 0)
        total, own = float(owed.sum()), 1.0
        if self._restart is None:
            own = len(owed) / self._jumps.total
            owed -= total / self._jumps.total
        else:
            own = float(self._restart.sum()) / self._jumps.total
            owed -= self._restart * (total / self._jumps.total)
        np.abs(owed, out=owed)
        return float(owed.sum()) + max(1 - own, 0.0) * abs(total), total
