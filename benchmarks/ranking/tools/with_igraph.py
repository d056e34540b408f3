"""igraph: PRPACK for walks, ARPACK for HITS; neither takes a tolerance nor an earlier result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import igraph
import numpy as np

from benchmarks.ranking.tools.base import DAMPING, WALKS, Problem, Tool
from benchmarks.ranking.tools.power import authorities, link_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.ranking.tools.base import Array


class Igraph(Tool):
    """Solves to machine precision, whatever was asked."""

    name = "igraph"

    def settings(self, problem: Problem) -> Sequence[str]:
        return ["prpack" if problem.task in WALKS else "arpack"]

    def build(self, problem: Problem) -> Any:
        edges = np.column_stack([problem.sources, problem.targets])
        return igraph.Graph(n=problem.n, edges=edges, directed=True)

    def rank(self, graph: Any, problem: Problem, setting: str) -> Array:
        if problem.task in WALKS:
            reset = None if problem.restart is None else problem.restart.tolist()
            scores = graph.personalized_pagerank(
                damping=DAMPING, reset=reset, implementation=setting
            )
            return np.array(scores)
        weights = None if problem.relevance is None else link_weights(problem).tolist()
        return authorities(problem, np.array(graph.hub_score(weights=weights)))
