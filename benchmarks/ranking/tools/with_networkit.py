"""NetworKit: adjacency vectors, PageRank with a uniform restart, no HITS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import networkit
import numpy as np

from benchmarks.ranking.tools.base import (
    DAMPING,
    HITS,
    PPR,
    TOPIC_HITS,
    Problem,
    Tool,
    tolerances,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.ranking.tools.base import Array


class Networkit(Tool):
    """PageRank by the L1 norm of the change, with the dangling mass handed on."""

    name = "networkit"
    refuses: ClassVar = {
        PPR: "its PageRank has no restart vector",
        HITS: "no HITS",
        TOPIC_HITS: "no HITS",
    }

    def settings(self, problem: Problem) -> Sequence[float]:
        return tolerances(problem.tol, 6)

    def build(self, problem: Problem) -> Any:
        edges = problem.sources.astype(np.uint64), problem.targets.astype(np.uint64)
        return networkit.GraphFromCoo(edges, n=problem.n, directed=True)

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        sinks = networkit.centrality.SinkHandling.DistributeSinks
        kernel = networkit.centrality.PageRank(graph, DAMPING, setting, distributeSinks=sinks)
        kernel.norm = networkit.centrality.Norm.L1_NORM
        return np.array(kernel.run().scores())
