from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, rankdata, wilcoxon

from frontier.lab.report.statistics import bootstrap_interval, holm, signed_rank


def _by_enumeration(differences: list[float]) -> float:
    """All 2^n signs, counted one by one."""
    kept = [one for one in differences if one != 0]
    if not kept:
        return 1.0
    ranks = rankdata(np.abs(kept))
    seen = float(ranks[np.array(kept) > 0].sum())
    sums = [
        sum(rank for rank, taken in zip(ranks, signs, strict=True) if taken)
        for signs in product((False, True), repeat=len(kept))
    ]
    below = sum(one <= seen for one in sums) / len(sums)
    above = sum(one >= seen for one in sums) / len(sums)
    return min(1.0, 2 * min(below, above))


def test_signed_rank_of_a_worked_example() -> None:
    # Ranks 1 and 3 of 8 are negative. Seven sets of ranks sum to 4 or less: none, 1, 2, 3, 4,
    # 1 + 2 and 1 + 3.
    assert signed_rank([2, -1, 4, -3, 5, 6, 7, 8]) == pytest.approx(2 * 7 / 256)


def test_signed_rank_of_all_better_is_two_by_the_number_of_signs() -> None:
    assert signed_rank([1.0, 2.0, 3.0, 4.0, 5.0]) == 2 / 32
    assert signed_rank([-0.1] * 12) == 2 / 4096


def test_signed_rank_leaves_out_what_is_equal() -> None:
    assert signed_rank([0.0, 0.0, 1.0, 2.0, 3.0]) == signed_rank([1.0, 2.0, 3.0]) == 0.25
    assert signed_rank([0.0, 0.0]) == 1.0
    assert signed_rank([]) == 1.0


@pytest.mark.parametrize("n", [2, 7, 13, 25, 40])
def test_signed_rank_is_scipys_exact_value_without_ties(n: int) -> None:
    differences = np.random.default_rng(n).normal(0.2, 1, n)
    expected = wilcoxon(differences, method="exact").pvalue
    assert signed_rank(differences.tolist()) == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.integers(-4, 4).map(float), max_size=10))
def test_signed_rank_counts_all_signs_whatever_the_ties(differences: list[float]) -> None:
    assert signed_rank(differences) == pytest.approx(_by_enumeration(differences))


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30))
def test_signed_rank_does_not_care_which_side_is_called_ours(differences: list[float]) -> None:
    assert signed_rank(differences) == pytest.approx(signed_rank([-one for one in differences]))


def test_an_interval_is_that_of_scipys_percentile_bootstrap() -> None:
    differences = np.random.default_rng(3).normal(0.1, 0.2, 12)
    low, high = bootstrap_interval(differences.tolist())
    expected = bootstrap(
        (differences,), np.mean, n_resamples=50_000, method="percentile", random_state=1
    ).confidence_interval
    width = expected.high - expected.low
    assert low == pytest.approx(expected.low, abs=0.03 * width)
    assert high == pytest.approx(expected.high, abs=0.03 * width)


def test_an_interval_is_the_same_at_every_call_and_none_of_one_topic() -> None:
    assert bootstrap_interval([1.0, 2.0, 4.0]) == bootstrap_interval([1.0, 2.0, 4.0])
    assert np.isnan(bootstrap_interval([1.0])).all()
    assert bootstrap_interval([0.5, 0.5]) == (0.5, 0.5)


def test_holm_corrects_step_by_step() -> None:
    # Four values: .005 * 4, .01 * 3, then .03 * 2, and .04 may not fall below that.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
