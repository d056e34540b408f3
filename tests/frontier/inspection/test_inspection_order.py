"""The best first, unknown values last."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frontier.inspection.reports import number_or_none
from frontier.inspection.resumed import best_first

ROW = st.tuples(
    st.integers(-2, 2), st.sampled_from([float("nan"), -1.0, 0.0, 0.5, 1e12]), st.integers(-9, 9)
)


@given(st.lists(ROW, max_size=30), st.integers(1, 40))
def test_it_is_the_head_of_the_whole_order(rows: list[tuple[int, float, int]], n: int) -> None:
    classes, values, ties = (
        np.array([row[at] for row in rows], dtype=kind)
        for at, kind in enumerate((np.int32, np.float64, np.int64))
    )
    ids = np.arange(len(rows))
    got = best_first(ids, n, values, ties, classes)

    def key(one: int) -> tuple[int, bool, float, int]:
        value = values[one]
        unknown = bool(np.isnan(value))
        return -int(classes[one]), unknown, 0.0 if unknown else -value, int(ties[one])

    assert [key(one) for one in got] == sorted(map(key, ids))[:n]
    assert len(set(got.tolist())) == len(got)


@given(st.lists(ROW, max_size=30), st.integers(1, 40))
def test_without_classes_the_value_decides(rows: list[tuple[int, float, int]], n: int) -> None:
    values = np.array([row[1] for row in rows], dtype=np.float64)
    ties = np.arange(len(rows), dtype=np.int64)
    got = best_first(np.arange(len(rows)), n, values, ties)
    expected = sorted(ties.tolist(), key=lambda one: (*_unknown_last(values[one]), one))
    assert got.tolist() == expected[:n]


def _unknown_last(value: float) -> tuple[bool, float]:
    return bool(np.isnan(value)), 0.0 if np.isnan(value) else -value


def test_only_the_ids_given_take_part() -> None:
    values = np.array([9.0, 1.0, 5.0, 3.0])
    ties = np.zeros(4, dtype=np.int64)
    assert best_first(np.array([1, 2, 3]), 2, values, ties).tolist() == [2, 3]


def test_a_number_that_is_not_known_is_none() -> None:
    assert number_or_none(float("nan")) is None
    assert number_or_none(None) is None
    assert type(number_or_none(np.float64(1.5))) is float
