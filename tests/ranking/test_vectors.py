import numpy as np
import pytest

from ranking import vectors


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 4096, 10_000])
@pytest.mark.parametrize("k", [1, 5])
def test_sums_are_those_of_numpy(n, k):
    rng = np.random.default_rng(n + k)
    rows, vector, factors = rng.normal(size=(k, n)), rng.normal(size=n), rng.normal(size=k)
    np.testing.assert_allclose(vectors.dots(rows, vector), rows @ vector, atol=1e-9)
    np.testing.assert_allclose(vectors.dot(rows[0], vector), rows[0] @ vector, atol=1e-9)
    np.testing.assert_allclose(vectors.norm(vector), np.linalg.norm(vector), atol=1e-9)
    np.testing.assert_allclose(vectors.gram(rows), rows @ rows.T, atol=1e-9)
    np.testing.assert_allclose(vectors.combination(factors, rows), factors @ rows, atol=1e-9)
    onto = vector.copy()
    vectors.add_combination(onto, factors, rows)
    np.testing.assert_allclose(onto, vector + factors @ rows, atol=1e-9)
