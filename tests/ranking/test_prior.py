"""Shares of earlier scores, and what they do to a priority."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.priority import LEAD, Prior, lifted
from tests.support.told import telling

KEYS = st.integers(-(2**63), 2**63 - 1)
SCORES = st.floats(-1e300, 1e300)


def shares_by_hand(scores: dict[int, float]) -> dict[int, float]:
    return {
        key: sum((other < score) + 0.5 * (other == score) for other in [*scores.values(), score])
        / len(scores)
        * (score != 0)
        for key, score in scores.items()
    }


def test_a_share_is_the_mean_rank_of_all_that_score_the_same() -> None:
    prior = Prior.from_scores([5, -3, 8, 1], [0.1, 0.4, 0.1, 2.0])
    assert prior.keys.tolist() == [-3, 1, 5, 8]
    assert prior.shares.tolist() == [0.75, 1.0, 0.375, 0.375]
    assert prior.of([8, 7, -3, 9, -4]).tolist() == [0.375, 0, 0.75, 0, 0]


def test_a_score_of_nothing_lifts_nothing() -> None:
    prior = Prior.from_scores([1, 2, 3, 4], [0.0, 0.0, 0.0, 0.5])
    assert prior.shares.tolist() == [0, 0, 0, 1]


@given(st.lists(st.tuples(KEYS, SCORES), max_size=30))
def test_of_a_key_given_again_the_highest_score_counts(rows: list[tuple[int, float]]) -> None:
    best: dict[int, float] = {}
    for key, score in rows:
        best[key] = max(score, best.get(key, score))
    prior = Prior.from_scores([key for key, _ in rows], [score for _, score in rows])
    expected = shares_by_hand(best)
    assert prior.keys.tolist() == sorted(expected)
    assert prior.shares.tolist() == [np.float32(expected[key]) for key in sorted(expected)]


def test_twelve_bytes_a_key() -> None:
    prior = Prior.from_scores(np.arange(1000), np.arange(1000.0))
    assert prior.keys.nbytes + prior.shares.nbytes == 12_000


def test_nothing_known_is_a_prior_too() -> None:
    prior = Prior.from_scores([], [])
    assert len(prior) == 0
    assert prior.of([1, 2]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("keys", "scores"), [([1], [np.nan]), ([1], [np.inf]), ([1, 2], [1.0]), ([1], [[1.0]])]
)
def test_scores_that_are_none_are_refused(keys: list[int], scores: list[float]) -> None:
    with pytest.raises(RankingInputError, match="finite score"):
        Prior.from_scores(keys, scores)


def test_keys_out_of_order_are_refused() -> None:
    with pytest.raises(RankingInputError, match="ascend strictly"):
        Prior(np.array([2, 1]), np.ones(2, np.float32))


def test_the_lift_by_hand() -> None:
    priority = np.array([3.0, 3.0, 3.0, -3.0, 0.0, 3.0])
    result = lifted(priority, [0, 1, 1, 1, 1, 0.5], [9, 0, 5, 5, 0, 5])
    roots = [1, 10, 10**0.5, 10**-0.5, 0, 10**0.25]
    np.testing.assert_allclose(result[[0, 1, 2, 3, 5]], priority[[0, 1, 2, 3, 5]] * [
        root for root in roots if root
    ], rtol=1e-15)  # fmt: skip
    assert 0 < result[4] < 1e-100


@given(
    st.lists(
        st.tuples(
            st.floats(-1e12, 1e12, allow_subnormal=False), st.floats(0, 1), st.integers(0, 999)
        ),
        min_size=1,
    )
)
def test_never_lower_never_more_than_tenfold_and_unknown_urls_stay(
    rows: list[tuple[float, float, int]],
) -> None:
    priority, shares, parents = (np.array(column) for column in zip(*rows, strict=True))
    result = lifted(priority, shares.astype(np.float32), parents)
    assert np.isfinite(result).all()
    assert (result >= priority).all()
    assert (np.abs(result) <= LEAD * np.abs(priority) + 1e-199).all()
    unknown = shares.astype(np.float32) == 0
    assert (result[unknown] == priority[unknown]).all()


def test_the_prior_fades_as_pages_speak_for_a_url() -> None:
    lifts = lifted(np.ones(50), np.ones(50), np.arange(50))
    assert (np.diff(lifts) < 0).all()
    assert lifts[0] == 10
    assert lifts[-1] < 1.25


def test_one_share_and_count_a_priority() -> None:
    with pytest.raises(RankingInputError, match=telling("shares", "shape")):
        lifted(np.ones(2), [1.0], [1, 1])
    with pytest.raises(RankingInputError, match=telling("in_links", "negative")):
        lifted(np.ones(1), [1.0], [-1])
