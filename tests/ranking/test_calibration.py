"""Scores become probabilities: monotone, bounded, and as good as the pairs allow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.calibration import BINS, Calibration
from ranking.errors import RankingInputError

SCORES = st.floats(-1e6, 1e6)
PAIRS = st.lists(st.tuples(SCORES, st.booleans()), max_size=200)


def fitted(pairs: list[tuple[float, bool]]) -> Calibration:
    return Calibration([score for score, _ in pairs], [happened for _, happened in pairs])


def test_without_pairs_nothing_is_expected() -> None:
    assert Calibration([], [])([0.0, 1.0]).tolist() == [0, 0]


def test_two_bins_in_order() -> None:
    # Each bin is joined by one pair at the rate of all, 1/2: (0 + 1/2)/2 and (1 + 1/2)/2.
    calibrated = Calibration([1.0, 2.0], [False, True])
    assert calibrated([0.0, 1.0, 1.9, 2.0, 9.0]).tolist() == [0.25, 0.25, 0.25, 0.75, 0.75]


def test_bins_in_the_wrong_order_are_pooled() -> None:
    assert Calibration([1.0, 2.0], [True, False])([1.0, 2.0]).tolist() == [0.5, 0.5]


def test_equal_scores_share_one_bin() -> None:
    calibrated = Calibration([3.0] * 4 + [5.0], [True, False, False, False, True])
    overall = 2 / 5
    assert calibrated([3.0, 5.0]) == pytest.approx([(1 + overall) / 5, (1 + overall) / 2])


@given(PAIRS, st.lists(SCORES, max_size=20))
def test_it_never_falls_and_stays_in_range(pairs, asked) -> None:
    values = fitted(pairs)(sorted(asked))
    assert ((values >= 0) & (values <= 1)).all()
    assert (np.diff(values) >= 0).all()


@given(PAIRS.filter(bool))
def test_over_its_own_pairs_it_expects_what_happened(pairs) -> None:
    """Pooling keeps the sum; the pseudo-observations pull every bin towards the mean."""
    expected = fitted(pairs)([score for score, _ in pairs]).sum()
    happened = sum(happened for _, happened in pairs)
    assert abs(expected - happened) <= min(BINS, len(pairs))


@given(PAIRS, st.floats(0.5, 3), st.floats(-9, 9))
def test_the_scale_of_the_scores_does_not_matter(pairs, slope, shift) -> None:
    pairs = [(round(score), happened) for score, happened in pairs]
    scores = np.array([float(score) for score, _ in pairs])
    moved = Calibration(slope * scores + shift, [happened for _, happened in pairs])
    assert fitted(pairs)(scores).tolist() == moved(slope * scores + shift).tolist()


def test_it_finds_a_known_probability() -> None:
    rng = np.random.default_rng(5)
    scores = rng.uniform(-1, 1, 50_000)
    happened = rng.uniform(size=scores.size) < (scores + 1) / 2
    asked = np.linspace(-0.95, 0.95, 39)
    assert Calibration(scores, happened)(asked) == pytest.approx((asked + 1) / 2, abs=0.04)


@pytest.mark.parametrize(
    ("scores", "happened"), [([1.0], []), ([np.nan], [True]), ([np.inf], [True])]
)
def test_what_cannot_be_used_is_refused(scores, happened) -> None:
    with pytest.raises(RankingInputError):
        Calibration(scores, happened)
