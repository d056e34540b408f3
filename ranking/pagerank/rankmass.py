"""RankMass: how much of the surfer's time is certainly spent on what was fetched.

(Cho and Schonfeld 2007, RankMass crawler: a crawler with high personalized PageRank coverage
guarantee.) The links of fetched pages are known, those of the rest of the web are not. Whatever
they are, the true scores satisfy

    π ≥ b,   b = (1 − c) r + c P_Dᵀ b

where P_D has the steps from fetched pages D only (a fetched page without a followed link jumps to
the restart vector r): the paths that start in r and stay in D until their last step. So
Σ b over D is a lower bound of the mass that is fetched, and it grows with D. The restart vector
must lie on known ids and stay the same.

b is found by residual pushes: what has arrived at a fetched page and was not handed on waits. Each
push raises b towards its limit, so it is a valid bound at every moment; what waits, divided by
1 − c, is what more pushing could still add.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, as_ids, as_values, distinct
from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.pagerank import _rankmass
from ranking.result import Ranking
from ranking.solver import check_stopping, uniform

MAX_ITERATIONS = 1000
EASING = 8  # rounds of pushes until what waits is an eighth: 4 and 16 do as well


@dataclass(frozen=True, eq=False)
class MassRanking(Ranking):
    """Lower bounds on personalized PageRank.

    Attributes:
        scores: (n,) the bounds divided by their sum.
        iterations: pushes, in units of one for each fetched page, rounded up.
        residual: L1 norm of the change one more step of the equation would make to `bounds`.
        bounds: (n,) float64, b above: no id scores less, whatever the unfetched pages link to.
        mass: Σ bounds over fetched pages, in [0, 1].

    """

    bounds: FloatArray
    mass: float


def rank_mass(
    graph: LinkGraph | GraphView,
    restart: npt.ArrayLike,
    damping: float = 0.85,
    tol: float = 1e-6,
    start: npt.ArrayLike | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> MassRanking:
    """The bounds for a graph as it is; `RankMass` keeps them while it grows.

    Args:
        graph: n ids, of which those with a record are fetched.
        restart: (n,) finite numbers >= 0 with a positive sum, any scale: r above.
        damping: c, in [0, 1).
        tol: bound > 0 on the L1 distance of the bounds over fetched pages, and so of the mass,
            to the best ones; they are never above those.
        start: (n,) scores >= 0. Checked and not used: earlier bounds may be too high for this
            graph. `RankMass` is what carries bounds over.
        max_iterations: pushes for each fetched page before giving up.

    Raises:
        RankingInputError: an argument of the wrong length or range.

    """
    view = graph.snapshot()
    if start is not None:
        as_values("start", start, view.n)
    weights = as_values("restart", restart, view.n)
    if view.n == 0:
        check_stopping(tol, max_iterations)
        return MassRanking(uniform(0), 0, 0.0, converged=True, bounds=np.empty(0), mass=0.0)
    trusted = np.flatnonzero(weights)
    if not trusted.size:
        raise RankingInputError("restart must have a positive entry, got zeros only")
    mass = RankMass(trusted, weights[trusted], damping, tol)
    mass.update(view, max_iterations)
    return mass.ranking()


class RankMass:
    """The bound of a crawl, kept while it grows; an update costs what the new pages change.

    Invariant: the bound of a fetched page is `_handed_on` + `_waiting` by row, that of another id
    stands in `_bounds`; `_totals` are the sum of the bounds of fetched ids, the part of it that
    waits, and what waits for a jump. Between updates no row owes anything to unfetched ids.

    Args:
        trusted: (k,) different ids, at least one: where the surfer jumps.
        weights: (k,) finite numbers >= 0 with a positive sum, any scale; None: all alike.
        damping: c, in [0, 1).
        tol: > 0, L1, how far the bound may stay below the best one.

    Raises:
        RankingInputError: an argument of the wrong length or range.

    """

    def __init__(
        self,
        trusted: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        damping: float = 0.85,
        tol: float = 1e-4,
    ) -> None:
        if not 0 <= damping < 1:
            raise RankingInputError(f"damping must lie in [0, 1), got {damping}")
        check_stopping(tol, 1)
        self._trusted = as_ids("trusted", trusted)
        if len(distinct(self._trusted)) != len(self._trusted):
            raise RankingInputError("trusted must be different ids, got some of them twice")
        self._restart = _shares(weights, len(self._trusted))
        self._damping, self._tol = damping, tol
        self._clear()

    def _clear(self) -> None:
        self._bounds, self._fetched = Column(np.float64), Column(np.uint64)
        self._share, self._waiting = Column(np.float64), Column(np.float64)
        self._handed_on = Column(np.float64)
        self._queue, self._queued = Column(np.int32), Column(np.uint8)
        self._owed, self._owing = Column(np.float64), Column(np.int32)
        self._totals, self._counts = np.zeros(3), np.zeros(2, np.int64)
        self._view = LinkGraph().snapshot()

    @property
    def mass(self) -> float:
        """Lower bound of the share of the surfer's time on fetched pages, in [0, 1].

        Never falls while the graph grows, except when a page's links were replaced.
        """
        return min(float(self._totals[0]), 1.0)

    @property
    def error(self) -> float:
        """How much more pushing could still add to `mass`, at most; within tol after `update`."""
        return max(float(self._totals[1] + self._totals[2]), 0.0) / (1 - self._damping)

    @property
    def bounds(self) -> FloatArray:
        """(n,) float64, of unfetched ids too; a view, valid until `update`. O(pages)."""
        self._bounds.array[self._view.pages] = self._handed_on.array + self._waiting.array
        return self._bounds.array

    def update(self, graph: LinkGraph | GraphView, max_iterations: int = MAX_ITERATIONS) -> float:
        """Take in the pages fetched since the last update and return the new `mass`.

        Args:
            graph: the one of the last update, grown. Where a page was read again, its old links
                prove nothing any more and the bounds are found anew.
            max_iterations: pushes for each fetched page before giving up; the bound is valid
                then too, and `error` says what is missing.

        Raises:
            RankingInputError: trusted ids that the graph does not know, max_iterations < 1.

        """
        view = graph.snapshot()
        check_stopping(self._tol, max_iterations)
        if self._trusted.max() >= view.n:
            raise RankingInputError(
                f"trusted must be ids below n={view.n}, got {self._trusted.max()}; call grow()"
            )
        if view.log is not self._view.log or view.n_pages < self._view.n_pages:
            self._clear()
        self._take_in(view)
        self._push_all(max_iterations * max(view.n_pages, 1))
        self._settle()
        return self.mass

    def ranking(self) -> MassRanking:
        """The state as a ranking; copies, O(n)."""
        bounds = self.bounds.copy()
        total = float(bounds.sum())
        scores = bounds / total if total else uniform(len(bounds))
        rounds = -(-int(self._counts[0]) // max(self._view.n_pages, 1))
        residual = self._damping * float(self._totals[1]) + float(self._totals[2])
        converged = self.error <= self._tol
        return MassRanking(scores, rounds, max(residual, 0.0), converged, bounds, self.mass)

    def _take_in(self, view: GraphView) -> None:
        """Learn the rows since the last update."""
        known, first = self._view.n_pages, not len(self._bounds.array)
        self._view, m = view, view.n_pages
        self._bounds.resize(view.n)
        self._fetched.resize(view.n // 64 + 1)
        for column in (self._waiting, self._handed_on, self._owed):
            column.resize(m)
        for ring in (self._queue, self._queued, self._owing):
            ring.resize(m)
        _rankmass.add_to(self._fetched.array, view.pages[known:])
        self._waiting.array[known:] = arrived = self._bounds.array[view.pages[known:]]
        self._totals[:2] += float(arrived.sum())
        if first:
            self._jump(1 - self._damping)

    def _jump(self, mass: float) -> None:
        """Let `mass` arrive at the trusted ids."""
        part = mass * self._restart
        rows = self._view.row_of[self._trusted]
        fetched = (rows >= 0) & (rows < self._view.n_pages)
        self._bounds.array[self._trusted[~fetched]] += part[~fetched]
        self._waiting.array[rows[fetched]] += part[fetched]
        self._totals[:2] += float(part[fetched].sum())

    def _push_all(self, limit: int) -> None:
        """Push until no more waits than the tolerance allows, and not before it does."""
        allowed = self._tol * (1 - self._damping) / 2
        limit += int(self._counts[0])
        while self._counts[0] < limit:
            at_pages, for_jumps = self._totals[1:].tolist()
            if max(at_pages, for_jumps) <= allowed:
                return
            if for_jumps > at_pages:
                self._totals[2] = 0
                self._jump(for_jumps)
            else:
                self._push(allowed, limit)

    def _push(self, allowed: float, limit: int) -> None:
        """One round: until an EASING-th of what waits is left, or half of what is allowed.

        To push single pages below what still comes back from jumps would be work for nothing.
        """
        view, waiting = self._view, self._waiting.array
        # Not the running sum, in which rounding adds up.
        self._totals[1] = waiting.sum()
        least = float(self._totals[1] + self._totals[2]) / (EASING * view.n_pages)
        rows = np.flatnonzero(waiting > least)
        self._queue.array[: len(rows)] = rows
        self._queued.array[rows] = 1
        self._share.extend(_row_shares(view, len(self._share.array)))
        _rankmass.push(
            view.indptr, view.targets, *view.coded_weights, view.row_of, self._fetched.array,
            self._share.array, self._damping, least, allowed / 2,
            limit - int(self._counts[0]), len(rows),
            self._queue.array, self._queued.array, waiting, self._handed_on.array,
            self._owed.array, self._owing.array, self._totals, self._counts,
        )  # fmt: skip

    def _settle(self) -> None:
        view = self._view
        _rankmass.settle(
            view.indptr, view.targets, *view.coded_weights, self._fetched.array,
            self._bounds.array, self._owed.array, self._owing.array, self._counts,
        )  # fmt: skip


def _shares(weights: npt.ArrayLike | None, count: int) -> FloatArray:
    if not count:
        raise RankingInputError("trusted must be at least one id, got none")
    checked = np.ones(count) if weights is None else as_values("weights", weights, count)
    largest = checked.max()
    if largest == 0:
        raise RankingInputError("weights must have a positive entry, got zeros only")
    scaled = checked.astype(np.float64) / largest
    return np.asarray(scaled / scaled.sum(), np.float64)


def _row_shares(view: GraphView, first: int) -> FloatArray:
    """Return 1 / sum of the weights for the rows from `first` on, 0 where that sum is 0."""
    totals = view.totals[first:]
    shares = np.zeros(len(totals))
    np.divide(1, totals, out=shares, where=totals > 0)
    return shares
