"""Harmonic centrality (Boldi and Vigna 2014, Axioms for centrality), as the Common Crawl ranks by.

    H(v) = Σ 1 / d(u, v)     over all pages u ≠ v from which followed links lead to v

d is the number of links of the shortest path; weights above 0 do not matter. It satisfies the
axioms that PageRank and HITS miss, needs no damping and is defined on every graph.

`harmonic` is exact: a breadth-first search from every page, 64 at a time in the bits of a word.
That costs up to pages / 64 · distances passes over the links, right for 10,000 pages and a night
for a million. `hyperball` (Boldi and Vigna 2013, In-core computation of geometric centralities
with HyperBall) keeps for each id a HyperLogLog counter of the pages within distance t, and as
many passes as the longest distance make H(v) = Σ_t (|B_t(v)| − |B_t₋₁(v)|) / t. The counters are
read by Ertl's estimator (2017, New cardinality estimation algorithms for HyperLogLog sketches).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking import _harmonic
from ranking.arrays import FloatArray, IntArray
from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.result import Ranking
from ranking.solver import check_stopping, followed, uniform

FINEST = 16  # 65,536 counters of a byte an id
MAX_ITERATIONS = 100_000  # the longest distance of a web graph is a few hundred; a list's is long


@dataclass(frozen=True, eq=False)
class HarmonicRanking(Ranking):
    """Harmonic centrality; `scores` are the values divided by their sum (uniform if all are 0).

    Attributes:
        values: (n,) float64 >= 0, H above; at most the number of pages.
        iterations: longest distance met (of `hyperball`: at which a counter changed).
        residual: 0 when converged; else the L1 change of `scores` by the last distance.

    """

    values: FloatArray


def harmonic(graph: LinkGraph | GraphView) -> HarmonicRanking:
    """Exact harmonic centrality of all ids (L1 error by rounding only).

    Takes 32 bytes an id and up to pages / 64 · distances passes over the links.

    Args:
        graph: n ids.

    """
    view = graph.snapshot()
    links, values = followed(view), np.zeros(view.n)
    seen, now, after = (np.zeros(view.n, np.uint64) for _ in range(3))
    wave, following = np.empty((2, view.n), np.int32)
    longest = _harmonic.distances(
        view.pages, links.indptr, links.targets, view.row_of,
        seen, now, after, wave, following, values,
    )  # fmt: skip
    return HarmonicRanking(_normalised(values), longest, 0.0, converged=True, values=values)


def hyperball(
    graph: LinkGraph | GraphView, precision: int = 8, max_iterations: int = MAX_ITERATIONS
) -> HarmonicRanking:
    """Harmonic centrality by counters of 2**precision bytes an id.

    The size of every ball, and so about every value, has a relative standard error of
    1.04 / 2**(precision / 2): 6.5 % at 8, 3.3 % at 10, 13 % at 6. The scores' L1 error is of that
    size too; it is not a tolerance that more iterations would lower. The same graph gives the
    same bits; numbered otherwise it gives other errors.

    Args:
        graph: n ids.
        precision: from 4 to 16; memory is up to 2 · n · 2**precision bytes.
        max_iterations: longest distance looked at; beyond, `converged` is False and what is
            farther away is missing from the values.

    Raises:
        RankingInputError: an argument out of range.

    """
    view = graph.snapshot()
    check_stopping(1, max_iterations)
    if not 4 <= precision <= FINEST:
        raise RankingInputError(f"precision must be from 4 to {FINEST}, got {precision}")
    balls = _Balls(view, precision)
    distance, before = 0, balls.values
    while balls.active.size and distance < max_iterations:
        distance += 1
        before = balls.values.copy() if distance == max_iterations else before
        balls.widen(distance)
    converged = not balls.active.size
    scores = _normalised(balls.values)
    residual = 0.0 if converged else float(np.abs(scores - _normalised(before)).sum())
    return HarmonicRanking(scores, distance, residual, converged, balls.values)


class _Balls:
    """A counter for each id of the pages within the present distance.

    Invariant: `active` are the pages whose counter changed at the last distance: no other can
    change another one's at the next.
    """

    def __init__(self, view: GraphView, precision: int) -> None:
        self.values = np.zeros(view.n)
        self._links, self._pages = followed(view), view.n_pages
        self._row = view.row_of
        self._registers = np.zeros((view.n, 2**precision), np.uint8)
        _harmonic.count_self(self._registers, precision)
        self._sizes = np.empty(view.n)
        _harmonic.estimate(self._registers, np.arange(view.n, dtype=np.int32), self._sizes)
        self._marked = np.zeros(view.n, np.uint8)
        self._changed = np.empty(view.n, np.int32)
        self.active = self._with_links(view.pages)

    def widen(self, distance: int) -> None:
        """From balls of radius distance − 1 to those of `distance`."""
        given = np.empty((len(self.active), self._registers.shape[1]), np.uint8)
        _harmonic.copy_rows(self._registers, self.active, given)
        links, rows = self._links, self._row[self.active]
        count = _harmonic.spread(
            links.indptr, links.targets, rows, given, self._registers, self._marked, self._changed
        )
        changed = self._changed[:count]
        self._credit(changed, distance)
        self.active = self._with_links(changed)

    def _credit(self, changed: IntArray, distance: int) -> None:
        sizes = np.empty(len(changed))
        _harmonic.estimate(self._registers, changed, sizes)
        # A counter with more in it may be read as less by rounding; a ball does not shrink.
        gained = np.maximum(sizes - self._sizes[changed], 0)
        self.values[changed] += gained / distance
        self._sizes[changed] += gained

    def _with_links(self, ids: IntArray) -> IntArray:
        rows = self._row[ids]
        fetched = (rows >= 0) & (rows < self._pages)
        ids, rows = ids[fetched], rows[fetched]
        indptr = self._links.indptr
        return ids[indptr[rows + 1] > indptr[rows]]


def _normalised(values: FloatArray) -> FloatArray:
    total = values.sum()
    return np.asarray(values / total) if total else uniform(len(values))
