from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.evidence import Evidence
from ranking.lesson import silent
from ranking.priority import (
    SEED_PRIORITY,
    parent_relevance,
    promise_lift,
    seeds_first,
    topical_lift,
)

IDS = np.arange(4)


def lesson() -> Evidence:
    evidence = Evidence()
    evidence.grow(4)
    evidence.page(silent(0, [2, 3], None, 1.0, [1.0, 0.0]))
    evidence.page(silent(1, [2], None, 0.5, [0.0]))
    return evidence


def test_parent_relevance_is_the_smoothed_mean():
    expected = [0.75, 0.75, (1.5 + 3.75) / 7, (1 + 3.75) / 6]
    assert parent_relevance(IDS, lesson(), lesson().mean_relevance) == pytest.approx(expected)


def test_parent_relevance_is_positive_even_where_nothing_is_relevant():
    evidence = Evidence()
    evidence.grow(4)
    assert (parent_relevance(IDS, evidence, evidence.mean_relevance) > 0).all()
    evidence.page(silent(0, [1], None, 0.0, [0.0]))
    assert (parent_relevance(IDS, evidence, evidence.mean_relevance) > 0).all()


def test_promise_lifts_by_up_to_a_fourth_root_of_e():
    assert promise_lift(IDS, lesson()) == pytest.approx([1, 1, np.exp(0.25), 1])


def test_topical_lift_is_a_floored_root_and_1_where_nothing_is_known():
    lift = topical_lift(np.array([0.0, 0.25, 1.0]), np.array([1.0, 1.0, 0.0]))
    assert lift == pytest.approx([0.1, 0.26**0.5, 1.01**0.5])


SCORES = st.lists(st.floats(0, 1), min_size=4, max_size=4)


@given(SCORES, SCORES)
def test_topical_lift_is_finite_and_positive(topical, general):
    lift = topical_lift(np.array(topical), np.array(general))
    assert np.isfinite(lift).all()
    assert (lift > 0).all()


def test_unfetched_seeds_come_first_in_the_order_of_their_ids():
    evidence = lesson()
    evidence.add_seeds([0, 2, 3])
    values = seeds_first(np.array([1.0, 2.0, 3.0, 4.0]), IDS, evidence)
    assert values.tolist() == [1, 2, SEED_PRIORITY - 2, SEED_PRIORITY - 3]
    assert SEED_PRIORITY - (2**31 - 1) > 2**31
