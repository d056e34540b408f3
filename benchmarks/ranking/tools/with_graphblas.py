"""python-graphblas: the textbook iterations on SuiteSparse's matrices; it has no ranking itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import graphblas as gb
import numpy as np

from benchmarks.ranking.tools.base import DAMPING, WALKS, Problem, Tool, tolerances
from benchmarks.ranking.tools.power import MAX_SWEEPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.ranking.tools.base import Array


class Graphblas(Tool):
    """Aᵀ for walks, A for HITS, all entries 1 (iso-valued: no value is stored a link)."""

    name = "python-graphblas"
    warm = True

    def settings(self, problem: Problem) -> Sequence[float]:
        return tolerances(problem.tol * 10)

    def build(self, problem: Problem) -> Any:
        gb.ss.config["nthreads"] = 1
        rows, columns = problem.sources, problem.targets
        if problem.task in WALKS:
            rows, columns = columns, rows
        return gb.Matrix.from_coo(rows, columns, 1.0, nrows=problem.n, ncols=problem.n)

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        return (_surf if problem.task in WALKS else _hits)(graph, problem, setting)


def _product(matrix: Any, values: Array) -> Array:
    # A dense result whatever the matrix holds: rows without entries stay 0.
    result = gb.Vector.from_dense(np.zeros(matrix.nrows))
    result(gb.binary.plus) << gb.semiring.plus_second(matrix @ gb.Vector.from_dense(values))
    dense: Array = result.to_dense()
    return dense


def _surf(matrix: Any, problem: Problem, tol: float) -> Array:
    r = np.full(problem.n, 1 / problem.n) if problem.restart is None else problem.restart
    degree = np.bincount(problem.sources, minlength=problem.n)
    share = DAMPING / np.maximum(degree, 1)
    x = r if problem.start is None else problem.start / problem.start.sum()
    for _ in range(MAX_SWEEPS):
        following = _product(matrix, share * x)
        following += (1 - following.sum()) * r
        change = np.abs(following - x).sum()
        x = following
        if change <= tol:
            break
    return x


def _hits(matrix: Any, problem: Problem, tol: float) -> Array:
    r = 1.0 if problem.relevance is None else problem.relevance
    a = _product(matrix.T, np.ones(problem.n))
    a /= a.sum()
    for _ in range(MAX_SWEEPS):
        following = _product(matrix.T, _product(matrix, r * a))
        following /= following.sum()
        change = np.abs(following - a).sum()
        a = following
        if change <= tol:
            break
    return a
