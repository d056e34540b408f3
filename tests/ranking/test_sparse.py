"""Products with the links of a graph: right, and the same to the last bit whoever multiplies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import dense_of

from ranking import sparse
from ranking.sparse import LinkMatrix, SweepMatrix


def random_matrix(kind, m, n, n_links, seed, *, weighted):
    rng = np.random.default_rng(seed)
    indptr = np.concatenate([[0], np.sort(rng.integers(0, n_links + 1, m - 1)), [n_links]])
    weights = rng.random(n_links).astype(np.float32) if weighted else None
    columns = rng.integers(0, n, n_links).astype(np.int32)
    return kind(indptr.astype(np.int64), columns, n, rng.random(m), weights)


def by_hand(matrix, m, n):
    expected = np.zeros((m, n))
    weights = np.ones(len(matrix.columns)) if matrix._weights is None else matrix._weights
    for row in range(m):
        for link in range(matrix._indptr[row], matrix._indptr[row + 1]):
            expected[row, matrix.columns[link]] += matrix._scale[row] * np.float64(weights[link])
    return expected


@given(
    m=st.integers(1, 12),
    n=st.integers(1, 12),
    n_links=st.integers(0, 60),
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
    block=st.sampled_from([1, 3, 1000]),
)
@settings(deadline=None)
def test_both_products_are_those_of_the_dense_matrix(m, n, n_links, seed, weighted, block):
    matrix = random_matrix(LinkMatrix, m, n, n_links, seed, weighted=weighted)
    expected = by_hand(matrix, m, n)
    rng = np.random.default_rng(seed + 1)
    x, y = rng.random(m), rng.random(n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "BLOCK", block)
        np.testing.assert_allclose(matrix.times(y), expected @ y, rtol=1e-12)
        np.testing.assert_allclose(matrix.spread(x), expected.T @ x, rtol=1e-12)
    np.testing.assert_allclose(dense_of(matrix, n), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", [LinkMatrix, SweepMatrix])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_large_matrix_gives_the_same_bits_as_a_small_one(kind, weighted, monkeypatch):
    matrix = random_matrix(kind, 300, 200, 200_000, 5, weighted=weighted)
    rng = np.random.default_rng(6)
    x, y = rng.random(300), rng.random(200)
    small = matrix.times(y), matrix.spread(x)
    monkeypatch.setattr(sparse, "SMALL", 0)
    np.testing.assert_array_equal(small[0], matrix.times(y))
    np.testing.assert_array_equal(small[1], matrix.spread(x))
