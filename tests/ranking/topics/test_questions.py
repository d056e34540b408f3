"""Which pages a person is asked about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.topics.questions import most_telling

COMETS = "a comet with a tail of dust passes the sun"
BREAD = "bread of wheat is baked in an oven"
CHESS = "the queen takes a rook on the chessboard"


def test_pages_the_judge_is_unsure_of_come_first() -> None:
    samples = [(1, 0.95, COMETS), (2, 0.55, BREAD), (3, 0.2, CHESS)]
    assert most_telling(samples, set(), 3) == [2, 3, 1]


def test_page_that_says_what_another_says_is_not_asked_about_before_a_new_one() -> None:
    samples = [(1, 0.5, COMETS), (2, 0.49, COMETS + " again"), (3, 0.3, BREAD)]
    assert most_telling(samples, set(), 2) == [1, 3]


def test_known_pages_are_not_asked_about_and_neither_are_their_likes() -> None:
    samples = [(1, 0.5, COMETS), (2, 0.5, COMETS), (3, 0.4, BREAD)]
    assert most_telling(samples, {1}, 1) == [3]
    assert most_telling(samples, {1, 2, 3}, 5) == []


def test_ties_go_to_the_lower_id() -> None:
    assert most_telling([(7, 0.5, BREAD), (4, 0.5, COMETS)], set(), 1) == [4]


def test_all_pages_of_a_sure_judge_are_still_told_apart() -> None:
    samples = [(1, 1.0, COMETS), (2, 1.0, COMETS), (3, 0.0, BREAD)]
    assert most_telling(samples, set(), 2) == [1, 3]


SAMPLES = st.lists(
    st.tuples(
        st.integers(0, 50), st.floats(0, 1), st.sampled_from([COMETS, BREAD, CHESS, "", "x"])
    ),
    max_size=8,
    unique_by=lambda sample: sample[0],
)


@pytest.mark.slow
@given(SAMPLES, st.sets(st.integers(0, 50), max_size=4), st.integers(0, 10))
def test_answers_are_distinct_open_samples(
    samples: list[tuple[int, float, str]], known: set[int], count: int
) -> None:
    chosen = most_telling(samples, known, count)
    open_ = {page for page, _, _ in samples} - known
    assert len(chosen) == len(set(chosen)) == min(count, len(open_))
    assert set(chosen) <= open_
    assert chosen == most_telling(list(reversed(samples)), known, count)
