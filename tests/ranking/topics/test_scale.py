"""How much evidence makes one half, by what was fetched."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.topics.scale import _threshold, scale_of

COUNTS = st.lists(st.integers(0, 60), min_size=2, max_size=40)
ODDS = st.lists(st.floats(0.0, 1e6), max_size=40)


def within(group: list[int]) -> Fraction:
    mean = Fraction(sum(group), len(group))
    return sum(((one - mean) ** 2 for one in group), Fraction(0))


@given(COUNTS)
def test_the_threshold_parts_numbers_where_the_groups_vary_least(numbers: list[int]) -> None:
    ordered = sorted(numbers)
    spread = {k: within(ordered[:k]) + within(ordered[k:]) for k in range(1, len(ordered))}
    best = min(spread.values())
    middles = [(ordered[k - 1] + ordered[k]) / 2 for k, varied in spread.items() if varied == best]
    found = _threshold([float(one) for one in numbers])
    assert any(found == middle for middle in middles)


@given(ODDS, st.randoms(use_true_random=False))
def test_the_scale_is_bounded_whatever_the_pages_and_their_order(
    odds: list[float], chance: Random
) -> None:
    scale = scale_of(odds)
    assert 0.75 <= scale <= 1.35
    assert scale == 1.0 or len(odds) >= 10
    mixed = list(odds)
    chance.shuffle(mixed)
    assert scale_of(mixed) == scale


@pytest.mark.parametrize(
    ("odds", "scale"),
    [
        ([], 1.0),
        ([9.0] * 9, 1.0),
        ([0.0] * 10, 0.75),
        ([9.0] * 10, 1.35),
        ([0.1] * 8 + [0.9] * 2, round(1.645 * math.pow(0.5, 0.7), 3)),
        ([0.2] * 30 + [1.0] * 30, round(1.645 * math.pow(0.6, 0.7), 3)),
    ],
)
def test_the_scale_follows_from_the_threshold(odds: list[float], scale: float) -> None:
    assert scale_of(odds) == scale
