"""networkx: dictionaries of dictionaries; its kernels go through scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from benchmarks.ranking.tools.base import DAMPING, WALKS, CannotError, Problem, Tool, tolerances
from benchmarks.ranking.tools.power import authorities, link_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.ranking.tools.base import Array


class Networkx(Tool):
    """Its stop is n * tol, so the tolerance is divided by n."""

    name = "networkx"
    most_links = 10_000_000
    warm = True

    def settings(self, problem: Problem) -> Sequence[float]:
        if problem.task in WALKS:
            return tolerances(problem.tol * 10)
        return [1e-2, 1e-3, 1e-4, 1e-6, 0.0]

    def build(self, problem: Problem) -> Any:
        graph = nx.DiGraph()
        graph.add_nodes_from(range(problem.n))
        edges = problem.sources.tolist(), problem.targets.tolist()
        if problem.task in WALKS or problem.relevance is None:
            graph.add_edges_from(zip(*edges, strict=True))
        else:
            graph.add_weighted_edges_from(zip(*edges, link_weights(problem), strict=True))
        return graph

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        if problem.task not in WALKS:
            hubs = nx.hits(graph, max_iter=1000, tol=setting)[0]
            return authorities(problem, _values(hubs, problem.n))
        try:
            scores = nx.pagerank(
                graph,
                DAMPING,
                personalization=_dict(problem.restart),
                nstart=_dict(problem.start),
                max_iter=1000,
                tol=setting / problem.n,
            )
        except nx.PowerIterationFailedConvergence as error:
            raise CannotError(str(error)) from error
        return _values(scores, problem.n)


def _dict(values: Array | None) -> dict[int, float] | None:
    return None if values is None else dict(enumerate(values.tolist()))


def _values(scores: dict[int, float], n: int) -> Array:
    return np.fromiter((scores[i] for i in range(n)), np.float64, n)
