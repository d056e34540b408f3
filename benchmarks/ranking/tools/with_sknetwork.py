"""scikit-network: scipy matrices in, vectors out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sknetwork.ranking import HITS, PageRank

from benchmarks.ranking.tools.base import DAMPING, WALKS, Problem, Tool
from benchmarks.ranking.tools.power import authorities, weighted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.ranking.tools.base import Array


class Sknetwork(Tool):
    """Its solver RH counts terms of a series and treats dangling pages as we do.

    The default, ten steps of `piteration`, stops early, and its `bicgstab` gives dangling pages
    with a restart share another equation.
    """

    name = "scikit-network"

    def settings(self, problem: Problem) -> Sequence[int | str]:
        if problem.task not in WALKS:
            return ["lanczos"]
        return list(range(20, 125, 5))

    def build(self, problem: Problem) -> Any:
        if problem.task not in WALKS:
            return weighted(problem)
        ones = np.ones(len(problem.targets))
        shape = problem.n, problem.n
        return csr_matrix((ones, (problem.sources, problem.targets)), shape)

    def rank(self, graph: Any, problem: Problem, setting: int | str) -> Array:
        if problem.task in WALKS:
            kernel = PageRank(DAMPING, solver="RH", n_iter=setting)
            return np.asarray(kernel.fit_predict(graph, weights=problem.restart))
        return authorities(problem, np.asarray(HITS().fit_predict(graph)))
