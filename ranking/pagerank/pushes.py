"""Re-ranking at the cost of what changed: residual pushes over the log.

For the equation y = r + c Pᵀy, an approximate y leaves the residual ρ = r + c Pᵀy − y, and its
error is at most ‖ρ‖ / (1 − c). When the graph grows, the old y stays and the residual gains what
the new pages owe to their links. A push moves the residual of one page into its y and c times
that on to its links (Jeh and Widom 2003; Andersen, Chung, Lang 2006): O(links of the page).
Pages that are owed most are pushed first, in rounds with a falling threshold.

Only fetched pages hold a residual: what an unfetched URL is owed goes into its y at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.arrays import FloatArray
from ranking.graph.view import GraphView
from ranking.pagerank import _walk
from ranking.pagerank.steps import Jumps
from ranking.pagerank.sweeps import ROUNDING, Solution, normalised, residual_allowed, shares
from ranking.result import WalkMemory, WalkRanking

ROUND = 0.005
"""Threshold of a round, in parts of Σρ² / Σ|ρ|, the residual that a random unit of what is owed
lies on: near the largest ones while few pages are owed nearly everything, near the mean when all
are owed about the same. Higher thresholds push less and need more rounds, each of which reads
every page; from 0.003 to 0.03 the time is the same within a tenth."""
BUDGET = 3.0
"""Links that pushes may pass, in links of the graph: about what building the matrix of the sweeps
and sweeping costs (3 on a crawl of 325,557 pages and on one of 9 million URLs)."""
FORESIGHT = 0.5  # links of the graph after which a round's progress tells how many are to come


def continues(start: WalkRanking, view: GraphView, damping: float) -> bool:
    """Whether `start` is a ranking of this or an earlier state of the same log."""
    memory = start.memory
    if memory is None or memory.log is not view.log or memory.damping != damping:
        return False
    return len(start.scores) <= view.n and len(memory.owed) <= view.n_pages


@dataclass
class Pushing:
    """The state of a continued ranking, on the scale of the restart weights.

    Attributes:
        y: (m,) by row, without what is owed.
        inflow: (n,) by id: what a fetched page is owed, all that any other id has. One array
            for both, so that a push to a link need not know whether it is fetched.
        known: rows of the ranking that is continued.
        withdrawn: see `WalkMemory`; where it is not 0, a rest may be negative.
        links: passed so far.

    """

    view: GraphView
    jumps: Jumps
    damping: float
    share: FloatArray
    y: FloatArray
    inflow: FloatArray
    known: int
    withdrawn: float
    links: int = 0
    rounds: int = 0

    @classmethod
    def after(
        cls, start: WalkRanking, memory: WalkMemory, view: GraphView, jumps: Jumps
    ) -> Pushing:
        """Old scores, and all changes since as residual."""
        n, m = len(start.scores), len(memory.owed)
        weights, before = jumps.weights, memory.restart
        if weights.dtype != before.dtype:
            weights, before = weights.astype(np.float64), before.astype(np.float64)
        inflow = np.empty(view.n)
        if weights.strides == before.strides == (0,):  # all 1, then and now
            np.multiply(start.scores, memory.unit, out=inflow[:n])
            shrank = False
        else:
            shrank = _walk.carry_over(start.scores, memory.unit, weights, before, inflow)
        inflow[n:] = weights[n:]
        # What a new page was given while it was not fetched has still to go on to its links:
        # it is left where it is, as a residual.
        y, pages = np.zeros(view.n_pages), view.pages[:m]
        y[:m] = memory.unit * start.scores[pages]
        inflow[pages] = memory.owed + (inflow[pages] - y[:m])
        share = shares(view, memory.damping)
        withdrawn = memory.withdrawn + (memory.restart_total if shrank else 0.0)
        return cls(view, jumps, memory.damping, share, y, inflow, m, withdrawn)

    def push(self, threshold: float, first: int = 0) -> None:
        """One round over the rows from `first` on."""
        view = self.view
        self.rounds += 1
        self.links += _walk.push(
            view.indptr,
            view.targets,
            view.weights,
            view.pages,
            self.share,
            self.y,
            self.inflow,
            threshold,
            first,
        )

    def until(self, tol: float) -> bool:
        """Push until the scores are exact to `tol` (L1); False if sweeps would be cheaper."""
        allowed = self._allowed(tol)
        remaining, threshold = self._owed()
        first = remaining
        while True:
            if remaining <= allowed:
                # Of a y that has changed since.
                allowed = self._allowed(tol)
            if remaining <= allowed:
                return True
            if self._is_too_far(np.log(first / remaining), np.log(remaining / allowed)):
                return False
            self.push(max(threshold, allowed / 2 / len(self.y)))
            remaining, threshold = self._owed()

    def is_blurred(self, tol: float) -> bool:
        """Whether rounding may have left more of withdrawn weights than `tol` lets pass."""
        return ROUNDING * self.withdrawn > tol * (1 - self.damping) / 8 * self.jumps.total

    def _owed(self) -> tuple[float, float]:
        """L1 norm of the residual, and the threshold of the next round."""
        total, squares = _walk.owed(self.view.pages, self.inflow)
        return total, ROUND * squares / total if total else 0.0

    def _allowed(self, tol: float) -> float:
        """Residual that leaves the scores exact to `tol`."""
        return residual_allowed(tol, self.damping) * self._passed_on()

    def _passed_on(self) -> float:
        """What y sums to over all ids, once the present y has been passed on."""
        return self.jumps.total + self.damping * float(self.y.sum(where=self.share > 0))

    def _is_too_far(self, come: float, left: float) -> bool:
        """Whether more links would be passed than sweeps cost; distances are logarithms."""
        size = self.view.n_links
        if self.links <= FORESIGHT * size:
            return False
        # Each link passed shrinks the residual by about the same factor.
        return come <= 0 or self.links * (1 + left / come) > BUDGET * size

    def ranking(self, *, converged: bool) -> WalkRanking:
        """The scores as they are now; uses up the arrays."""
        y, pages = self.inflow, self.view.pages
        owed = y[pages]
        y[pages] = self.y
        if self.withdrawn:
            np.maximum(y, 0, out=y)
        solution = Solution(self.y, self.rounds, converged)
        now = self.view, self.jumps, y, owed, self.damping, solution
        return normalised(*now, self.links, self.withdrawn)
