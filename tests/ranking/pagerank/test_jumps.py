import numpy as np
import pytest

from ranking.errors import RankingInputError
from ranking.pagerank.steps import Jumps


def test_without_a_vector_every_id_counts_one():
    jumps = Jumps.of(None, 4)
    assert (jumps.total, jumps.weights.tolist()) == (4, [1, 1, 1, 1])
    assert jumps.weights.strides == (0,)  # of a single number
    assert jumps.at(np.array([0, 3], np.int32)).tolist() == [1, 1]


def test_weights_keep_their_scale_and_are_a_copy():
    given = np.array([0, 2.5, 1])
    jumps = Jumps.of(given, 3)
    given[:] = 9
    assert jumps.total == 3.5
    assert jumps.weights.tolist() == [0, 2.5, 1]


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_weights_whose_sums_would_overflow_or_vanish_are_scaled(size):
    assert Jumps.of(np.array([size, size / 2]), 2).weights.tolist() == [1, 0.5]


def test_an_array_that_cannot_change_is_kept_and_any_other_copied():
    constant, view = np.array([1.0, 2]), np.array([1.0, 2])
    constant.flags.writeable = False
    read_only = view[:]
    read_only.flags.writeable = False
    assert Jumps.of(constant, 2).weights is constant
    for other in (view, read_only):
        assert not np.shares_memory(Jumps.of(other, 2).weights, view)


@pytest.mark.parametrize(
    ("restart", "message"),
    [
        ([0, 0], "positive entry"),
        ([1, -1], "not negative"),
        ([1, np.nan], "finite"),
        ([1], r"shape \(2,\)"),
    ],
)
def test_bad_vectors_are_refused(restart, message):
    with pytest.raises(RankingInputError, match=message):
        Jumps.of(np.array(restart, float), 2)
