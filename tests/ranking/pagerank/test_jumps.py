import numpy as np
import pytest

from ranking.errors import RankingInputError
from ranking.pagerank.jumps import Jumps


def test_without_a_vector_every_id_counts_one():
    jumps = Jumps(None, 4)
    assert (jumps.total, jumps.weights) == (4, None)
    assert jumps.at(np.array([0, 3], np.int32)).tolist() == [1, 1]
    assert jumps.copy().tolist() == [1, 1, 1, 1]
    assert jumps.newcomers(2) == 1


def test_weights_keep_their_scale_and_are_a_copy():
    given = np.array([0, 2.5, 1])
    jumps = Jumps(given, 3)
    given[:] = 9
    assert jumps.total == 3.5
    assert jumps.copy().tolist() == [0, 2.5, 1]


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_weights_whose_sums_would_overflow_or_vanish_are_scaled(size):
    assert Jumps(np.array([size, size / 2]), 2).copy().tolist() == [1, 0.5]


ONES = np.ones(3)


@pytest.mark.parametrize("before", [None, ONES, np.array([1.0, 0, 2]), np.float32([1, 0, 2])])
@pytest.mark.parametrize("now", [None, np.array([1.0, 3, 1, 7]), np.float32([1, 3, 1, 7])])
def test_scores_are_carried_over_with_what_the_weights_have_changed(before, now):
    jumps, out, scores = Jumps(now, 4), np.zeros(4), np.array([0.5, 0.25, 0.25])
    change = (np.ones(4) if now is None else now)[:3] - (ONES if before is None else before)
    assert jumps.carry_over(scores, 8.0, before, out) == bool((change < 0).any())
    assert out.tolist() == [*(8 * scores + change), 0]
    ids = np.array([2, 0], np.int32)
    np.testing.assert_array_equal(jumps.at(ids), (np.ones(4) if now is None else now)[ids])


def test_an_array_that_cannot_change_is_kept_and_any_other_copied():
    constant, view = np.array([1.0, 2]), np.array([1.0, 2])
    constant.flags.writeable = False
    read_only = view[:]
    read_only.flags.writeable = False
    assert Jumps(constant, 2).weights is constant
    for other in (view, read_only):
        assert not np.shares_memory(Jumps(other, 2).weights, view)


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
        Jumps(np.array(restart, float), 2)
