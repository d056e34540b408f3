import numpy as np
import pytest

from ranking.errors import RankingInputError
from ranking.jumps import Jumps


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


def test_changes_name_the_ids_whose_weight_moved():
    before, now = np.array([1.0, 0, 2]), Jumps(np.array([1.0, 3, 1, 7]), 4)
    ids, gained = now.changes(before, 3)
    assert (ids.tolist(), gained.tolist()) == ([1, 2], [3, -1])
    ids, gained = Jumps(None, 4).changes(before, 3)
    assert (ids.tolist(), gained.tolist()) == ([1, 2], [1, -1])
    ids, gained = now.changes(None, 3)
    assert (ids.tolist(), gained.tolist()) == ([1], [2])
    assert Jumps(None, 4).changes(None, 3)[0].size == 0


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
