"""HITS (Kleinberg 1999), plain or weighted by topic.

    h = A (r ∘ a)        a hub is worth what the authorities it names are worth for the topic
    a = Aᵀ h             an authority is worth what the hubs that name it are worth

A holds the followed links of fetched pages, r the relevance (all 1: plain HITS). h is the
dominant eigenvector of A diag(r) Aᵀ, which is symmetric, so Lanczos finds it in a few sweeps
where power iteration crawls whenever two communities are about equally strong.

Several communities exactly as strong (or disconnected graphs) have no single answer. Starting
from all ones settles it: the result is the limit of Kleinberg's own iteration, every one of the
strongest communities present in proportion to its part of the start.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, as_values
from ranking.errors import RankingInputError
from ranking.graph import LinkGraph
from ranking.result import HitsRanking
from ranking.sparse import LinkMatrix
from ranking.view import GraphView

BASIS = 12  # Lanczos vectors before a restart; each takes 8 bytes a fetched page
MAX_ITERATIONS = 1000
TIE = 1e-10  # relative: Ritz values this close are one; rounding grows a copy of the strongest
BREAKDOWN = 1e-10  # relative: what is left of a new basis vector is rounding


def hits(
    graph: LinkGraph | GraphView,
    relevance: npt.ArrayLike | None = None,
    tol: float = 1e-6,
    start: npt.ArrayLike | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> HitsRanking:
    """Authorities and hubs of all ids, each with sum 1.

    Where no link counts (no links, or relevance 0 wherever links point) nothing tells ids
    apart: both are uniform, and both norms are 0.

    Args:
        graph: n ids.
        relevance: (n,) finite numbers >= 0, r above; None: all 1.
        tol: > 0; stops when one more iteration would change the authorities by at most tol
            (L1), and by Lanczos' estimate they are that close to the limit.
        start: (n,) hubs >= 0 to start from; None: all 1. With equally strong communities the
            result depends on it.
        max_iterations: sweeps (one product with A and one with Aᵀ) before giving up, counted
            after each Lanczos cycle of up to 14.

    Raises:
        RankingInputError: an argument of the wrong length or range.

    """
    view = graph.snapshot()
    if not 0 < tol < np.inf or max_iterations < 1:
        raise RankingInputError(
            f"tol must be positive and max_iterations at least 1, got {tol} and {max_iterations}"
        )
    r = np.ones(view.n) if relevance is None else as_values("relevance", relevance, view.n)
    operator = _Operator(view.adjacency, np.asarray(r, np.float64))
    hubs = operator.step(_start(view, start))[0]
    if not hubs.any():
        hubs = operator.step(np.ones(view.n_pages))[0]
    if not hubs.any():
        return _uniform(view.n)
    return _iterate(view, operator, hubs / hubs.max(), tol, max_iterations)


class _Operator:
    """One iteration: hubs (m,) -> authorities (n,) -> hubs (m,)."""

    def __init__(self, links: LinkMatrix, r: FloatArray) -> None:
        # Scaled to 1 where links point: the square of a very small relevance would be 0.
        self.scale = float(r[links.columns].max(initial=0)) or 1.0
        self.links, self.sweeps = links, 0
        self.r = np.minimum(r, self.scale) / self.scale

    def authorities(self, hubs: FloatArray) -> FloatArray:
        return self.links.spread(hubs)

    def hubs(self, authorities: FloatArray) -> FloatArray:
        return self.links.times(self.r * authorities)

    def step(self, hubs: FloatArray) -> tuple[FloatArray, FloatArray]:
        self.sweeps += 1
        authorities = self.authorities(hubs)
        return self.hubs(authorities), authorities


def _start(view: GraphView, start: npt.ArrayLike | None) -> FloatArray:
    if start is None:
        return np.ones(view.n_pages)
    hubs = as_values("start", start, view.n)[view.pages].astype(np.float64)
    return hubs / hubs.max() if hubs.any() else np.ones(view.n_pages)


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
    )


def _iterate(
    view: GraphView, operator: _Operator, hubs: FloatArray, tol: float, max_iterations: int
) -> HitsRanking:
    while True:
        hubs, lag = _lanczos(operator, hubs)
        hubs = np.maximum(hubs * np.sign(hubs.sum()), 0)
        hubs /= hubs.sum()
        following, authorities = operator.step(hubs)
        following /= following.sum()
        residual = _change(operator.authorities(following), authorities)
        converged = residual * max(1.0, lag) <= tol
        if converged or operator.sweeps >= max_iterations:
            return _result(view, operator, hubs, authorities, residual, converged=converged)
        hubs = following


def _change(following: FloatArray, authorities: FloatArray) -> float:
    return float(np.abs(following / following.sum() - authorities / authorities.sum()).sum())


def _result(
    view: GraphView,
    operator: _Operator,
    hubs: FloatArray,
    authorities: FloatArray,
    residual: float,
    *,
    converged: bool,
) -> HitsRanking:
    authority_norm = float(authorities.sum())
    scores = authorities / authority_norm
    spread = np.zeros(view.n)
    spread[view.pages] = hubs
    hub_norm = float(operator.hubs(scores).sum()) * operator.scale
    return HitsRanking(
        scores, operator.sweeps, residual, converged, spread, authority_norm, hub_norm
    )


def _lanczos(operator: _Operator, start: FloatArray) -> tuple[FloatArray, float]:
    """The best hubs within a Krylov space, and how much slower than 1/2 power steps shrink.

    The second value is λ₂ / (λ₁ − λ₂): the error that remains is about so many times the change
    of one more iteration.
    """
    basis = [start / np.linalg.norm(start)]
    projected = np.zeros((BASIS, BASIS))
    for j in range(BASIS):
        vector = operator.step(basis[j])[0]
        size = np.linalg.norm(vector)
        for _ in range(2):  # twice is enough (Kahan): once leaves rounding that grows
            for i, known in enumerate(basis):
                share = known @ vector
                projected[i, j] += share
                vector = vector - share * known
        rest = np.linalg.norm(vector)
        if j == BASIS - 1 or rest <= BREAKDOWN * size:
            break
        basis.append(vector / rest)
    k = len(basis)
    values, vectors = np.linalg.eigh(projected[:k, :k], UPLO="U")
    return _dominant(values, vectors) @ np.array(basis), _lag(values)


def _dominant(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """The start (first basis vector) projected on the strongest Ritz vectors, all tied ones."""
    tied = vectors[:, values >= values[-1] * (1 - TIE)]
    best: FloatArray = tied @ tied[0]
    return best if best.any() else tied[:, -1]


def _lag(values: FloatArray) -> float:
    below = values[values < values[-1] * (1 - TIE)]
    return max(float(below[-1] / (values[-1] - below[-1])), 0.0) if below.size else 0.0
