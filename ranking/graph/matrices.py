"""Link graphs from sparse matrices of scipy, and as such matrices for other tools.

Entry (i, j) is the weight of the link i -> j, an explicit 0 a nofollow link. Of a matrix every row
with an entry counts as a fetched page, in order of ids.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView

Graph: TypeAlias = LinkGraph | GraphView | Any
"""What rankings take: a graph, a snapshot of it, or a sparse matrix or array of scipy (n, n)."""


def graph_of(matrix: Any) -> LinkGraph:
    """The link graph of a sparse matrix or array (n, n); raises RankingInputError for others."""
    size: tuple[int, ...] = getattr(matrix, "shape", ())
    if not hasattr(matrix, "tocoo") or len(size) != 2 or size[0] != size[1]:
        raise RankingInputError(
            f"expected a LinkGraph, a GraphView or a square sparse matrix of scipy; got "
            f"{type(matrix).__name__} of shape {size}"
        )
    links = matrix.tocoo()
    return LinkGraph.from_edges(links.row, links.col, links.data, size[0])


def view_of(graph: Graph) -> GraphView:
    """The clean snapshot of a graph; raises RankingInputError for other objects."""
    if not isinstance(graph, LinkGraph | GraphView):
        graph = graph_of(graph)
    return graph.snapshot()


def matrix_of(graph: Graph) -> Any:
    """A scipy.sparse.csr_array (n, n) of the weights, float32; rows are ids."""
    from scipy.sparse import csr_array

    view = view_of(graph)
    weights = np.ones(view.n_links, np.float32) if view.weights is None else view.weights
    rows = view.pages[view.rows]
    return csr_array((weights, (rows, view.targets)), shape=(view.n, view.n))
