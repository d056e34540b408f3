"""HITS (Kleinberg 1999), plain or weighted by topic.

    h_i = s_i Σ_{i→j} w_ij r_j a_j      a hub is worth what the authorities it names are worth
    a_j = Σ_{i→j} w_ij s_i h_i          an authority is worth what the hubs that name it are worth

w are the weights of followed links, r the relevance and s how much the links of a page count (all
1: plain HITS). With A = (s_i w_ij) over fetched pages i, h is the dominant eigenvector of
A diag(r) Aᵀ, which is symmetric, so Lanczos finds it in a few sweeps where power iteration crawls
whenever two communities are about equally strong.

Several communities exactly as strong (or disconnected graphs) have no single answer. Starting
from all ones settles it: the result is the limit of Kleinberg's own iteration, every one of the
strongest communities present in proportion to its part of the start, and weaker ones 0. `salsa`
shows all of them.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, as_values
from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.hits import _hits
from ranking.hits.lanczos import krylov_cycle
from ranking.result import HitsRanking
from ranking.solver import check_stopping, uniform
from ranking.threads import in_halves
from ranking.vectors import dot

MAX_ITERATIONS = 1000
TWO_PARTS = 2**23
"""Links in lists; from here on an iteration is the sum of two halves, on two cores if there are.
On one core the halves cost a tenth more in a graph of 3 million links, nothing in one of 45."""
STRANGERS = 0.01  # of the mean hub, mixed into a given start for every page
MAX_LINKS = 2**32 - 1  # places in the lists are 32 bits


def hits(
    graph: LinkGraph | GraphView,
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
        graph: n ids.
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
    view = graph.snapshot()
    check_stopping(tol, max_iterations)
    r = None
    if relevance is not None:
        r = np.asarray(as_values("relevance", relevance, view.n), np.float64)
    if not view.n_pages:
        return _uniform(view.n)
    matrix: Matrix = view
    operator: Operator = _Operator(view, r)
    if shares is not None:
        s = np.asarray(as_values("shares", shares, view.n)[view.pages], np.float64)
        matrix, operator = _SharedMatrix(view, s), _SharedOperator(operator, s)
    return _iterate(matrix, operator, _start(view, start, tol), tol, max_iterations)


class Matrix(Protocol):
    """What is needed of a graph once its operator is there; see `GraphView`."""

    n: int

    @property
    def pages(self) -> IntArray: ...
    @property
    def totals(self) -> FloatArray: ...
    def spread(self, values: FloatArray) -> FloatArray: ...


class Operator(Protocol):
    """One iteration.

    Attributes:
        scale: what the operator was divided by.
        sweeps: how often `step` was called.

    """

    scale: float

    @property
    def sweeps(self) -> int: ...
    def step(self, hubs: FloatArray) -> FloatArray:
        """A R Aᵀ hubs / scale, (m,) -> (m,) a new array."""


class _Operator:
    """One iteration: hubs (m,) -> hubs (m,), over lists of the sources of each target."""

    def __init__(self, view: GraphView, relevance: FloatArray | None) -> None:
        if view.n_links > MAX_LINKS:
            raise RankingInputError(f"hits takes up to {MAX_LINKS} links, got {view.n_links}")
        codes, weights = view.coded_weights
        places = np.zeros(view.n, np.uint32)
        _hits.in_degrees(view.targets, codes, weights, places)
        r, self.scale = _scaled(relevance, places > 0)
        lists, links = _hits.list_sizes(places)
        ids, self._indptr = np.empty(lists, np.int32), np.empty(lists + 1, np.int64)
        _hits.place_lists(places, ids, self._indptr)
        self._sources = np.empty(links, np.int32)
        self._codes = None if codes is None else np.empty(links, np.uint8)
        plain = codes is None and weights is not None
        self._weights = np.empty(links, np.float32) if plain else weights
        self._diagonal = np.zeros(view.n_pages)
        _hits.fill_lists(
            view.indptr,
            view.targets,
            codes,
            weights,
            r,
            places,
            self._sources,
            self._codes,
            self._weights if plain else None,
            self._diagonal,
        )
        self._relevance = None if r is None else r[ids]
        middle = int(np.searchsorted(self._indptr, links // 2)) if links >= TWO_PARTS else lists
        self._cuts = 0, min(middle, lists), lists
        self._both = [np.empty((view.n_pages, 2)) for _ in range(1 if middle >= lists else 2)]
        self.sweeps = 0

    def step(self, hubs: FloatArray) -> FloatArray:
        """A R Aᵀ hubs / scale."""
        self.sweeps += 1
        if len(self._both) == 1:
            whole: FloatArray = self._part(0, hubs).copy()
            return whole
        parts = in_halves(lambda half: self._part(half, hubs))
        following: FloatArray = parts[0] + parts[1]
        return following

    def _part(self, half: int, hubs: FloatArray) -> FloatArray:
        """What half of the lists make of the hubs; the first half with the diagonal."""
        both = self._both[half]
        both[:, 0] = hubs
        _hits.iterate(
            self._indptr,
            self._sources,
            self._codes,
            self._weights,
            self._relevance,
            None if half else self._diagonal,
            both,
            self._cuts[half],
            self._cuts[half + 1],
        )
        following: FloatArray = both[:, 1]
        return following


class _SharedMatrix:
    """The matrix diag(s) A: what is needed of it takes nothing for each link."""

    def __init__(self, matrix: Matrix, shares: FloatArray) -> None:
        self._matrix, self._shares = matrix, shares
        self.n = matrix.n
        self.pages: IntArray = matrix.pages
        self.totals: FloatArray = matrix.totals * shares

    def spread(self, values: FloatArray) -> FloatArray:
        return self._matrix.spread(values * self._shares)


class _SharedOperator:
    """diag(s) A R Aᵀ diag(s)."""

    def __init__(self, operator: Operator, shares: FloatArray) -> None:
        self._operator, self._shares = operator, shares
        self.scale = operator.scale

    @property
    def sweeps(self) -> int:
        return self._operator.sweeps

    def step(self, hubs: FloatArray) -> FloatArray:
        following = self._operator.step(hubs * self._shares)
        following *= self._shares
        return following


def _scaled(
    relevance: FloatArray | None, linked: npt.NDArray[np.bool_]
) -> tuple[FloatArray | None, float]:
    """(n,) relevance, the largest of those that are linked to 1, and what it was divided by."""
    if relevance is None:
        return None, 1.0
    # The square of a very small relevance would be 0.
    scale = float(relevance.max(initial=0, where=linked)) or 1.0
    return np.asarray(np.minimum(relevance, scale) / scale, np.float64), scale


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
    equal = uniform(n)
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


def _iterate(
    view: Matrix, operator: Operator, hubs: FloatArray, tol: float, max_iterations: int
) -> HitsRanking:
    """Authorities and hubs by an operator, from hubs (m,) on; see `hits` for the arguments."""
    gap = 1.0
    while True:
        cycle = krylov_cycle(operator.step, hubs, tol)
        if cycle is None:
            return _uniform(view.n)
        # A cycle that starts near the answer sees little else.
        gap = min(gap, cycle.gap)
        sign = np.sign(cycle.vector.sum())
        hubs, following = (np.maximum(one * sign, 0) for one in (cycle.vector, cycle.image))
        residual = _change(view, following, hubs)
        # The error that remains is about λ₂ / (λ₁ − λ₂) times the change of one more iteration.
        converged = residual * max(1.0, (1 - gap) / gap) <= tol
        if converged or operator.sweeps >= max_iterations:
            iterated_norm = operator.scale * float(following.sum() / hubs.sum())
            hubs /= hubs.sum()
            return _result(view, operator, hubs, iterated_norm, residual, gap, converged=converged)
        hubs = following


def _change(view: Matrix, following: FloatArray, hubs: FloatArray) -> float:
    """Bound of the L1 change of the authorities, by what each changed hub hands out."""
    out = view.totals
    after, before = dot(out, following), dot(out, hubs)
    return dot(out, np.abs(following / after - hubs / before))


def _result(
    view: Matrix,
    operator: Operator,
    hubs: FloatArray,
    iterated_norm: float,
    residual: float,
    gap: float,
    *,
    converged: bool,
) -> HitsRanking:
    authorities = view.spread(hubs)
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
