"""What anyone writes first: power iteration on a scipy matrix, and its singular vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from benchmarks.ranking.tools.base import DAMPING, PAGERANK, PPR, WALKS, Problem, Tool, tolerances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.ranking.tools.base import Array

MAX_SWEEPS = 2000
_NOT_A_WALK = "finds singular vectors only"


class Power(Tool):
    """Textbook power iteration: transposed CSR, L1 stop, dangling mass to the restart vector."""

    name = "scipy power iteration"
    warm = True

    def settings(self, problem: Problem) -> Sequence[float]:
        return tolerances(problem.tol * 10)

    def build(self, problem: Problem) -> Any:
        shape = problem.n, problem.n
        if problem.task in WALKS:
            degree = np.bincount(problem.sources, minlength=problem.n)
            shares = 1 / degree[problem.sources]
            return csr_matrix((shares, (problem.targets, problem.sources)), shape)
        ones = np.ones(len(problem.targets))
        return csr_matrix((ones, (problem.sources, problem.targets)), shape)

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        return (_surf if problem.task in WALKS else _hits)(graph, problem, setting)


class Svds(Power):
    """The dominant singular vectors by ARPACK, as a library user would ask scipy for them."""

    name = "scipy svds"
    warm = False
    refuses: ClassVar = {PAGERANK: _NOT_A_WALK, PPR: _NOT_A_WALK}

    def settings(self, problem: Problem) -> Sequence[float]:
        return [1e-2, 1e-3, 1e-4, 1e-6, 0.0]

    def build(self, problem: Problem) -> Any:
        return weighted(problem)

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        hubs = svds(graph, 1, tol=setting, v0=np.ones(problem.n))[0]
        return authorities(problem, np.abs(hubs[:, 0]))


def weighted(problem: Problem) -> Any:
    """A diag(√r): its left singular vector is the hubs of topic HITS, the right one is not a."""
    shape = problem.n, problem.n
    return csr_matrix((link_weights(problem), (problem.sources, problem.targets)), shape)


def link_weights(problem: Problem) -> Array:
    """(L,) the weight √r of each link's target; all 1 without relevance."""
    if problem.relevance is None:
        return np.ones(len(problem.targets))
    weights: Array = np.sqrt(problem.relevance)[problem.targets]
    return weights


def authorities(problem: Problem, hubs: Array) -> Array:
    """Aᵀ h, from hubs that a tool found in the weighted graph."""
    return np.bincount(problem.targets, hubs[problem.sources], problem.n)


def _surf(matrix: Any, problem: Problem, tol: float) -> Array:
    r = np.full(problem.n, 1 / problem.n) if problem.restart is None else problem.restart
    x = r if problem.start is None else problem.start / problem.start.sum()
    for _ in range(MAX_SWEEPS):
        following = matrix @ x
        following *= DAMPING
        # What neither link nor damping carried: jumps and the dangling pages' mass at once.
        following += (1 - following.sum()) * r
        change = np.abs(following - x).sum()
        x = following
        if change <= tol:
            break
    return x


def _hits(matrix: Any, problem: Problem, tol: float) -> Array:
    backward = matrix.T
    r = 1.0 if problem.relevance is None else problem.relevance
    a: Array = backward @ np.ones(problem.n)
    a /= a.sum()
    for _ in range(MAX_SWEEPS):
        following = backward @ (matrix @ (r * a))
        following /= following.sum()
        change = np.abs(following - a).sum()
        a = following
        if change <= tol:
            break
    return a
