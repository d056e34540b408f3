"""Randomised HITS (Ng, Zheng, Jordan 2001, Stable algorithms for link analysis, section 5).

A surfer who follows a link forward, then one backward, and so on, and with probability ε at each
step jumps to any id instead:

    a = ε/n + (1 − ε) Fᵀ h        F_ij = w_ij r_j / Σ_k w_ik r_k      forward from hub i
    h = ε/n + (1 − ε) B a         B_ij = w_ij / Σ_k w_kj              backward from authority j

w is a link's weight, r the relevance of its target (all 1: plain). Where there is no link to take
the surfer jumps too, so no mass is lost.

HITS has one answer only where its strongest eigenvalue stands alone; of a disconnected graph, or
with a small gap, it shows one community, and a few links decide which. This walk reaches every id
from every other and forgets its start at a rate of (1 − ε)² an iteration, so it has one answer on
every graph, which a change of few links changes little: the stable choice there. As ε goes to 0
it becomes SALSA within each component.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, as_values
from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.hits.salsa import WalkHitsRanking
from ranking.solver import LEAST_RELEVANCE, check_stopping, link_relevance, uniform

MAX_ITERATIONS = 1000  # 0.15 needs about 45 for 1e-6; only teleport below 0.01 comes near


def randomized_hits(
    graph: LinkGraph | GraphView,
    relevance: npt.ArrayLike | None = None,
    teleport: float = 0.15,
    tol: float = 1e-6,
    start: npt.ArrayLike | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> WalkHitsRanking:
    """Authorities and hubs of all ids, each positive with sum 1, unique on every graph.

    Args:
        graph: n ids.
        relevance: (n,) finite numbers >= 0, r above, any scale; None: all 1.
        teleport: ε, probability of a jump at each step, in (0, 1].
        tol: bound > 0 on the L1 distance of the authorities to the exact ones, and of the hubs.
        start: (n,) authorities >= 0 to start from; None: uniform. Any start leads to the same
            scores within tol.
        max_iterations: sweeps (forward and back) before giving up; then `converged` is False.

    Returns:
        A ranking with the true L1 residual of its authorities.

    Raises:
        RankingInputError: an argument of the wrong length or range.

    """
    view = graph.snapshot()
    check_stopping(tol, max_iterations)
    if not 0 < teleport <= 1:
        raise RankingInputError(f"teleport must lie in (0, 1], got {teleport}")
    walk = _Walk(view, relevance, teleport)
    authorities = _start(view.n, start)
    if not view.n:
        return WalkHitsRanking(authorities, 0, 0.0, converged=True, hubs=authorities.copy())
    lasting = 1 / (1 - (1 - teleport) ** 2)
    for iteration in range(1, max_iterations + 1):
        linking, others = walk.back(authorities)
        following = walk.forward(linking)
        residual = float(np.abs(following - authorities).sum())
        if residual * lasting <= tol or iteration == max_iterations:
            break
        authorities = following
    hubs = np.full(view.n, others)
    hubs[view.pages] = linking
    converged = residual * lasting <= tol
    return WalkHitsRanking(authorities, iteration, residual, converged=converged, hubs=hubs)


def _start(n: int, start: npt.ArrayLike | None) -> FloatArray:
    if start is None:
        return uniform(n)
    scores = as_values("start", start, n).astype(np.float64)
    largest = scores.max(initial=0)
    if largest == 0:
        return uniform(n)
    scores /= largest
    return np.asarray(scores / scores.sum(), np.float64)


class _Walk:
    """Both half steps. Hubs are kept for the m fetched pages; all other ids have one value."""

    def __init__(self, view: GraphView, relevance: npt.ArrayLike | None, teleport: float) -> None:
        self._n, self._stay = view.n, 1 - teleport
        self._teleport = teleport
        self._links = view.adjacency
        in_weight = self._links.spread(np.ones(view.n_pages))
        self._r = link_relevance(relevance, in_weight)
        self._out = _inverse(self._links.times(self._r))
        self._in = np.where(self._r > 0, _inverse(in_weight), 0)

    def forward(self, linking: FloatArray) -> FloatArray:
        """Hubs of the fetched pages (m,) -> authorities (n,)."""
        moved = self._r * self._links.spread(linking * self._out)
        return self._jumps(float(linking[self._out > 0].sum())) + self._stay * moved

    def back(self, authorities: FloatArray) -> tuple[FloatArray, float]:
        """Authorities (n,) -> hubs of the fetched pages (m,), and the hub of any other id."""
        moved = self._links.times(authorities * self._in)
        jumps = self._jumps(float(authorities[self._in > 0].sum()))
        return jumps + self._stay * moved, jumps

    def _jumps(self, moved: float) -> float:
        """What each id gets from jumps when the mass `moved` had a link to take."""
        return (self._teleport + self._stay * max(1 - moved, 0.0)) / self._n


def _inverse(totals: FloatArray) -> FloatArray:
    inverse = np.zeros(len(totals))
    np.divide(1, totals, out=inverse, where=totals > LEAST_RELEVANCE)
    return inverse
