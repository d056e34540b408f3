"""HITS (Kleinberg 1999), plain or weighted by topic.

    h_i = s_i Σ_{i→j} w_ij r_j a_j      a hub is worth what the authorities it names are worth
    a_j = Σ_{i→j} w_ij s_i h_i          an authority is worth what the hubs that name it are worth

w are the weights of followed links, r the relevance and s how much the links of a page count (all
1: plain HITS). With A = (s_i w_ij) over fetched pages i, h is the dominant eigenvector of
A diag(r) Aᵀ, which is symmetric, so Lanczos finds it in a few sweeps where power iteration crawls
whenever two communities are about equally strong.

Several communities exactly as strong (or disconnected graphs) have no single answer. Starting from
all ones settles it: the result is the limit of Kleinberg's own iteration, with each of the
strongest communities in proportion to its part of the start, and weaker ones 0.

A cycle of Lanczos spans a small Krylov space and takes from it the vector that the operator
stretches most. The image of that vector follows from the cycle itself, so it is checked without
another pass, and the next cycle starts from there (restarted Lanczos).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, as_values
from ranking.graph.matrices import Graph, view_of
from ranking.graph.view import GraphView
from ranking.result import HitsRanking, check_stopping

MAX_ITERATIONS = 1000
BASIS = 12  # vectors before a restart; each takes 8 bytes a fetched page
TIE = 1e-10  # relative: Ritz values this close are one; rounding grows a copy of the strongest
BREAKDOWN = 1e-10  # relative: what is left of a new basis vector is rounding


def hits(
    graph: Graph,
    relevance: npt.ArrayLike | None = None,
    tol: float = 1e-6,
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
    return _iterate(_Operator(view, r, s), tol, max_iterations)


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


def _iterate(operator: _Operator, tol: float, max_iterations: int) -> HitsRanking:
    """Authorities and hubs by an operator; see `hits` for the arguments."""
    hubs, gap = np.ones(operator.view.n_pages), 1.0
    while True:
        cycle = krylov_cycle(operator.step, hubs, tol)
        if cycle is None:
            return _uniform(operator.view.n)
        # A cycle that starts near the answer sees little else.
        gap = min(gap, cycle.gap)
        sign = np.sign(cycle.vector.sum())
        hubs, following = (np.maximum(vector * sign, 0) for vector in (cycle.vector, cycle.image))
        residual = _change(operator.totals, following, hubs)
        # The error that remains is about λ₂ / (λ₁ − λ₂) times the change of one more iteration.
        converged = residual * max(1.0, (1 - gap) / gap) <= tol
        if converged or operator.sweeps >= max_iterations:
            iterated_norm = operator.scale * float(following.sum() / hubs.sum())
            hubs /= hubs.sum()
            return _result(operator, hubs, iterated_norm, residual, gap, converged=converged)
        hubs = following


def _change(out: FloatArray, following: FloatArray, hubs: FloatArray) -> float:
    """Bound of the L1 change of the authorities, by what each changed hub passes on."""
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


class Cycle(NamedTuple):
    """The result of a cycle.

    Attributes:
        vector: (m,), all tied ones included as they are in the start.
        image: (m,) the operator's image of it.
        gap: (λ₁ − λ₂) / λ₁ in (0, 1] of the two largest different Ritz values.

    """

    vector: FloatArray
    image: FloatArray
    gap: float


def krylov_cycle(
    step: Callable[[FloatArray], FloatArray], start: FloatArray, tol: float
) -> Cycle | None:
    """One cycle; None if the operator makes 0 of the start.

    Args:
        step: the operator, (m,) -> (m,).
        start: (m,) not 0.
        tol: relative accuracy that is enough; the cycle ends early when it seems reached.

    """
    basis = np.empty((BASIS, len(start)))
    np.divide(start, _norm(start), out=basis[0])
    projected = np.zeros((BASIS, BASIS))
    for j in range(BASIS):
        vector = step(basis[j])
        length = _norm(vector)
        if length == 0 and j == 0:
            return None
        # In exact arithmetic only the last two overlap; then rounding is taken out of all.
        for first in (max(j - 1, 0), 0):
            shares = np.einsum("ij,j->i", basis[first : j + 1], vector)
            vector -= _combination(shares, basis[first : j + 1])
            projected[first : j + 1, j] += shares
        rest = _norm(vector)
        values, vectors = np.linalg.eigh(projected[: j + 1, : j + 1], UPLO="U")
        gap = _gap(values)
        # Norm of the operator's residual at the best vector, relative to its eigenvalue.
        error = rest * abs(vectors[-1, -1]) / values[-1]
        if j == BASIS - 1 or rest <= BREAKDOWN * length or error <= tol * gap:
            break
        np.divide(vector, rest, out=basis[j + 1])
    best = _dominant(values, vectors)
    vector_of_best = _combination(best, basis[: len(values)])
    # In the basis the operator is `projected`, but for what its last column leaves over.
    upper = np.triu(projected[: len(values), : len(values)])
    image = _combination((upper + np.triu(upper, 1).T) @ best, basis[: len(values)])
    image += best[-1] * vector
    return Cycle(vector_of_best, image, gap)


def _norm(vector: FloatArray) -> float:
    return math.sqrt(np.einsum("j,j->", vector, vector))


def _combination(factors: FloatArray, rows: FloatArray) -> FloatArray:
    """(n,) sum of rows (k, n), each times its factor."""
    return np.asarray(np.einsum("i,ij->j", factors, rows))


def _dominant(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """The start (first basis vector) projected on the strongest Ritz vectors, all tied ones."""
    tied = vectors[:, values >= values[-1] * (1 - TIE)]
    best: FloatArray = tied @ tied[0]
    return best if best.any() else tied[:, -1]


def _gap(values: FloatArray) -> float:
    below = values[values < values[-1] * (1 - TIE)]
    return float(1 - max(below[-1], 0.0) / values[-1]) if below.size else 1.0
