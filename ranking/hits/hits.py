"""HITS (Kleinberg 1999), plain or weighted by topic.

    h_i = s_i Σ_{i→j} w_ij r_j a_j      a hub is worth what the authorities it names are worth
    a_j = Σ_{i→j} w_ij s_i h_i          an authority is worth what the hubs that name it are worth

w are the weights of followed links, r the relevance and s how much the links of a page count (all
1: plain HITS). With A = (s_i w_ij) over fetched pages i, h is the dominant eigenvector of
A diag(r) Aᵀ, which is symmetric, so Lanczos finds it in a few sweeps where power iteration crawls
whenever two communities are about equally strong.

Several communities exactly as strong (or disconnected graphs) have no single answer. Starting
from all ones settles it: the result is the limit of Kleinberg's own iteration, every one of the
strongest communities present in proportion to its part of the start, and weaker ones 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, as_values
from ranking.graph.matrices import Graph, view_of
from ranking.graph.view import GraphView
from ranking.hits.lanczos import krylov_cycle
from ranking.result import HitsRanking, check_stopping

MAX_ITERATIONS = 1000
STRANGERS = 0.01  # of the mean hub, mixed into a given start for every page


def hits(
    graph: Graph,
    relevance: npt.ArrayLike | None = None,
    tol: float = 1e-6,
    start: npt.ArrayLike | None = None,
    max_iterations: int = MAX_ITERATIONS,
    shares: npt.ArrayLike | None = None,
) -> HitsRanking:
    """Authorities and hubs of all ids, each with sum 1.

    Where no link counts (no links, or relevance 0 wherever links point) nothing tells ids
    apart: both are uniform, and both norms are 0.

    Args:
        graph: n ids; or their matrix, see `ranking.graph.matrices`.
        relevance: (n,) finite numbers >= 0, r above; None: all 1.
        tol: > 0; stops when one more iteration would change the authorities by at most tol
            (L1), and by Lanczos' estimate they are that close to the limit.
        start: (n,) hubs >= 0 to start from, such as those of an earlier graph; None: all 1. A
            little of every page is mixed in, so that a community that was nothing can have
            become the strongest. With equally strong ones the result depends on the start.
        max_iterations: sweeps over the links before giving up, counted after each Lanczos cycle
            of up to 12.
        shares: (n,) finite numbers >= 0, s above; None: all 1.

    Returns:
        HitsRanking; its residual is an upper bound of the change that is named at `tol`, its
        `gap` tells how far the strongest community is ahead of the next.

    Raises:
        RankingInputError: an argument of the wrong length or range.

    """
    view = view_of(graph)
    check_stopping(tol, max_iterations)
    r = None
    if relevance is not None:
        r = np.asarray(as_values("relevance", relevance, view.n), np.float64)
    s = None
    if shares is not None:
        s = np.asarray(as_values("shares", shares, view.n)[view.pages], np.float64)
    if not view.n_pages:
        return _uniform(view.n)
    return _iterate(_Operator(view, r, s), _start(view, start, tol), tol, max_iterations)


class _Operator:
    """One iteration, A R Aᵀ / scale, by two products with the matrix of links.

    Attributes:
        scale: the relevance was divided by it: the square of a very small one would be 0.
        sweeps: iterations so far.

    """

    def __init__(
        self, view: GraphView, relevance: FloatArray | None, shares: FloatArray | None
    ) -> None:
        self.view, self._shares = view, shares
        self.totals = view.totals if shares is None else view.totals * shares
        self.scale, self.sweeps = 1.0, 0
        self._relevance = relevance
        if relevance is not None:
            linked = view.spread(np.ones(view.n_pages)) > 0
            self.scale = float(relevance.max(initial=0, where=linked)) or 1.0
            self._relevance = np.minimum(relevance, self.scale) / self.scale

    def authorities(self, hubs: FloatArray) -> FloatArray:
        """Aᵀ hubs, (m,) -> (n,)."""
        return self.view.spread(hubs if self._shares is None else hubs * self._shares)

    def step(self, hubs: FloatArray) -> FloatArray:
        """A R Aᵀ hubs / scale, (m,) -> (m,) a new array."""
        self.sweeps += 1
        authorities = self.authorities(hubs)
        if self._relevance is not None:
            authorities *= self._relevance
        following = self.view.times(authorities)
        if self._shares is not None:
            following *= self._shares
        return following


def _start(view: GraphView, start: npt.ArrayLike | None, tol: float) -> FloatArray:
    if start is None:
        return np.ones(view.n_pages)
    hubs = as_values("start", start, view.n)[view.pages].astype(np.float64)
    if not hubs.any():
        return np.ones(view.n_pages)
    hubs /= hubs.max()
    # More than what `tol` lets pass unseen.
    return np.asarray(hubs + max(STRANGERS, 10 * tol) * hubs.mean(), np.float64)


def _uniform(n: int) -> HitsRanking:
    equal = np.full(n, 1 / n) if n else np.empty(0)
    return HitsRanking(
        scores=equal,
        iterations=1,
        residual=0.0,
        converged=True,
        hubs=equal.copy(),
        authority_norm=0.0,
        hub_norm=0.0,
        gap=0.0,
    )


def _iterate(operator: _Operator, hubs: FloatArray, tol: float, max_iterations: int) -> HitsRanking:
    """Authorities and hubs by an operator, from hubs (m,) on; see `hits` for the arguments."""
    gap = 1.0
    while True:
        cycle = krylov_cycle(operator.step, hubs, tol)
        if cycle is None:
            return _uniform(operator.view.n)
        # A cycle that starts near the answer sees little else.
        gap = min(gap, cycle.gap)
        sign = np.sign(cycle.vector.sum())
        hubs, following = (np.maximum(one * sign, 0) for one in (cycle.vector, cycle.image))
        residual = _change(operator.totals, following, hubs)
        # The error that remains is about λ₂ / (λ₁ − λ₂) times the change of one more iteration.
        converged = residual * max(1.0, (1 - gap) / gap) <= tol
        if converged or operator.sweeps >= max_iterations:
            iterated_norm = operator.scale * float(following.sum() / hubs.sum())
            hubs /= hubs.sum()
            return _result(operator, hubs, iterated_norm, residual, gap, converged=converged)
        hubs = following


def _change(out: FloatArray, following: FloatArray, hubs: FloatArray) -> float:
    """Bound of the L1 change of the authorities, by what each changed hub hands out."""
    after, before = (out * following).sum(), (out * hubs).sum()
    return float((out * np.abs(following / after - hubs / before)).sum())


def _result(
    operator: _Operator,
    hubs: FloatArray,
    iterated_norm: float,
    residual: float,
    gap: float,
    *,
    converged: bool,
) -> HitsRanking:
    view = operator.view
    authorities = operator.authorities(hubs)
    authority_norm = float(authorities.sum())
    authorities /= authority_norm
    spread = np.zeros(view.n)
    spread[view.pages] = hubs
    return HitsRanking(
        scores=authorities,
        iterations=operator.sweeps,
        residual=residual,
        converged=converged,
        hubs=spread,
        authority_norm=authority_norm,
        hub_norm=iterated_norm / authority_norm,
        gap=gap,
    )
