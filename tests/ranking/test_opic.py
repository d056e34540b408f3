from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.opic import Opic

LINK = st.tuples(st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0]))


def test_cash_is_shared_and_handed_on():
    opic = Opic(5)
    opic.seed([0, 1])
    opic.fetch(0, [1, 2])
    assert opic.cash.tolist() == [0, 1.5, 0.5, 0, 0]
    opic.fetch(1, [2, 3, 4], [1, 3, 0])
    assert opic.cash.tolist() == [0, 0, 0.875, 1.125, 0]


def test_a_seed_is_paid_once():
    opic = Opic(3)
    opic.seed([1, 1])
    opic.seed([1, 2])
    assert opic.cash.tolist() == [0, 1, 1]


def test_links_to_itself_and_repeats_get_no_extra_share():
    opic = Opic(3)
    opic.seed([0])
    opic.fetch(0, [0, 1, 2, 1])
    assert opic.cash.tolist() == [0, 0.5, 0.5]


def test_cash_without_a_link_to_follow_is_spent():
    opic = Opic(2)
    opic.seed([0, 1])
    opic.fetch(0, [])
    opic.fetch(1, [0], [0])
    assert opic.cash.tolist() == [0, 0]
    assert opic.spent == 2


@given(st.lists(st.tuples(st.integers(0, 9), st.lists(LINK, max_size=6)), max_size=30))
def test_no_cash_is_lost_or_made(pages):
    opic = Opic(10)
    opic.seed([0, 4])
    for page, links in pages:
        opic.fetch(page, [t for t, _ in links], [w for _, w in links])
        assert opic.cash.min() >= 0
        assert opic.cash.sum() + opic.spent == pytest.approx(2)


def test_growing_keeps_the_cash():
    opic = Opic()
    opic.grow(1)
    opic.seed([0])
    opic.grow(100)
    assert opic.n == 100
    assert np.flatnonzero(opic.cash).tolist() == [0]


def test_bad_input_is_refused():
    opic = Opic(2)
    with pytest.raises(RankingInputError, match="ids below n=2"):
        opic.seed([2])
    with pytest.raises(RankingInputError, match="call grow"):
        opic.fetch(2, [])
    with pytest.raises(RankingInputError, match="ids below n=2"):
        opic.fetch(0, [2])
    with pytest.raises(RankingInputError, match="weights"):
        opic.fetch(0, [1], [np.nan])
