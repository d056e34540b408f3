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


def test_a_number_that_is_not_known_is_none() -> None:
    assert number_or_none(float("nan")) is None
    assert number_or_none(None) is None
    assert type(number_or_none(np.float64(1.5))) is float
