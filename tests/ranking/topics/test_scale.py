"""How much evidence makes one half, by what was fetched."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.topics.meaning import FIRST_SCALE, scale_of

ODDS = st.lists(st.floats(0.0, 1e6), max_size=40)
HALVES = st.lists(st.integers(1, 6), min_size=10, max_size=60)


@given(HALVES)
def test_the_scale_is_the_power_of_the_mean_of_the_best_fifth(numbers: list[int]) -> None:
    left = sorted(numbers)
    taken = [left.pop() / 4 for _ in range(round(0.2 * len(numbers)))]
    expected = (sum(taken) / len(taken)) ** 0.6
    found = scale_of([number / 4 for number in numbers])
    assert found == pytest.approx(FIRST_SCALE * max(0.5, min(1.3, expected)), abs=0.000501)


@given(ODDS, st.randoms(use_true_random=False))
def test_the_scale_is_bounded_whatever_the_pages_and_their_order(
    odds: list[float], chance: Random
) -> None:
    scale = scale_of(odds)
    assert 0.465 <= scale <= 1.209
    assert scale == FIRST_SCALE or len(odds) >= 10
    mixed = list(odds)
    chance.shuffle(mixed)
    assert scale_of(mixed) == scale


@given(ODDS, st.integers(0, 39), st.floats(0.0, 1e6))
def test_more_evidence_never_lowers_the_scale(odds: list[float], at: int, more: float) -> None:
    higher = [value + more * (place == at) for place, value in enumerate(odds)]
    assert scale_of(higher) >= scale_of(odds)


@pytest.mark.parametrize(
    ("odds", "scale"),
    [
        ([], FIRST_SCALE),
        ([9.0] * 9, FIRST_SCALE),
        ([0.0] * 10, 0.465),
        ([9.0] * 10, 1.209),
        ([0.1] * 8 + [0.9] * 2, round(FIRST_SCALE * math.pow(0.9, 0.6), 3)),
        ([0.9] + [0.5] + [0.1] * 10, round(FIRST_SCALE * math.pow(0.7, 0.6), 3)),
    ],
)
def test_the_scale_of_some_pages(odds: list[float], scale: float) -> None:
    assert scale_of(odds) == scale
