import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from tests.ranking.reference import dense_of


def random_matrix(m, n, n_links, seed, *, weighted):
    rng = np.random.default_rng(seed)
    indptr = np.concatenate([[0], np.sort(rng.integers(0, n_links + 1, m - 1)), [n_links]])
    weights = rng.random(n_links).astype(np.float32) if weighted else None
    columns = rng.integers(0, n, n_links).astype(np.int32)
    expected = np.zeros((m, n))
    for row in range(m):
        for link in range(indptr[row], indptr[row + 1]):
            expected[row, columns[link]] += 1.0 if weights is None else np.float64(weights[link])
    pages = np.arange(m, dtype=np.int32)
    return GraphView(n, pages, indptr.astype(np.int64), columns, weights), expected


@given(
    m=st.integers(1, 12),
    n=st.integers(1, 12),
    n_links=st.integers(0, 300),
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
)
def test_both_products_are_those_of_the_dense_matrix(m, n, n_links, seed, weighted):
    matrix, expected = random_matrix(m, n, n_links, seed, weighted=weighted)
    rng = np.random.default_rng(seed + 1)
    x, y, before = rng.random(m), rng.random(n), rng.random(n)
    np.testing.assert_allclose(matrix.times(y), expected @ y, rtol=1e-12)
    np.testing.assert_allclose(matrix.spread(x), expected.T @ x, rtol=1e-12)
    onto = before.copy()
    matrix.spread_onto(onto, x)
    np.testing.assert_allclose(onto, before + expected.T @ x, rtol=1e-12)
    np.testing.assert_allclose(dense_of(matrix, n), expected, rtol=1e-12)


def test_vectors_of_another_length_are_refused():
    matrix = LinkGraph.from_edges([0, 1], [1, 2]).snapshot()
    for product in (
        lambda: matrix.times(np.ones(2)),
        lambda: matrix.spread(np.ones(3)),
        lambda: matrix.spread_onto(np.zeros(2), np.ones(2)),
    ):
        with pytest.raises(RankingInputError, match="must have shape"):
            product()
