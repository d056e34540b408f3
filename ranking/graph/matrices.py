"""Link graphs from and to scipy's sparse matrices, for who has one already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def from_matrix(matrix: Any) -> LinkGraph:
    """A graph of n ids from a matrix of weights.

    Args:
        matrix: (n, n) scipy sparse array or matrix of any format; entry [i, j] is the weight of
            the link from i to j. A stored 0 is a nofollow link; entries that are stored several
            times are summed, as scipy does. Rows with entries are the fetched pages.

    Raises:
        RankingInputError: not such a matrix, not square, weights out of range.

    """
    if not hasattr(matrix, "tocoo") or len(set(matrix.shape)) != 1:
        raise RankingInputError(
            "expected a square scipy sparse matrix, got "
            f"{type(matrix).__name__} of shape {getattr(matrix, 'shape', 'unknown')}"
        )
    edges = matrix.tocsr().tocoo()
    edges.sum_duplicates()
    sources, targets = edges.coords if hasattr(edges, "coords") else (edges.row, edges.col)
    ones = bool((edges.data == 1).all())
    return LinkGraph.from_edges(sources, targets, None if ones else edges.data, matrix.shape[0])


def to_matrix(graph: LinkGraph | GraphView) -> csr_array:
    """(n, n) csr_array of float64 weights; entry [i, j] belongs to the link from i to j."""
    # Here, not above: it takes 10 MB, which no crawl needs.
    from scipy.sparse import csr_array

    view = graph.snapshot()
    weights = np.ones(view.n_links) if view.weights is None else view.weights.astype(np.float64)
    sources = view.pages[view.rows]
    return csr_array((weights, (sources, view.targets)), shape=(view.n, view.n))
