from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.arrays import MAX_ID, Column, as_ids, as_weights
from ranking.errors import RankingInputError
from tests.support.told import telling

NUMBERS = st.integers(0, 100)
STEPS = st.one_of(
    st.tuples(st.just("push"), NUMBERS),
    st.tuples(st.just("extend"), st.lists(NUMBERS, max_size=30)),
    st.tuples(st.just("resize"), st.integers(0, 80)),
)


@given(st.lists(STEPS, max_size=12), st.sampled_from([0, -1]))
def test_a_column_holds_what_was_put_in_and_the_fill_value_elsewhere(steps, fill):
    column, expected, views = Column(np.int32, fill), [], []
    for step, value in steps:
        getattr(column, step)(value)
        if step == "push":
            expected.append(value)
        elif step == "extend":
            expected += value
        else:
            expected += [fill] * (value - len(expected))
        assert column.array.tolist() == expected
        views.append((column.array, list(expected)))
    assert all(view.tolist() == values for view, values in views)


def test_an_adopted_array_is_never_written():
    values = np.arange(5)
    values.flags.writeable = False
    column = Column.adopt(values)
    column.extend([])
    column.push(9)
    assert column.array.tolist() == [0, 1, 2, 3, 4, 9]
    assert values.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        lambda ids: [np.int32(i) for i in ids],
        *(lambda ids, t=t: np.array(ids, t) for t in ("i4", "i8", "u4", ">i4", ">i8", "u8")),
        lambda ids: np.repeat(np.array(ids, np.int32), 2)[::2],
        lambda ids: np.repeat(np.array(ids, np.int64), 2)[::2],
        lambda ids: np.frombuffer(b"-" + np.array(ids, np.int64).tobytes(), np.uint8)[1:].view(
            "i8"
        ),
    ],
)
@pytest.mark.parametrize("ids", [[], [0], [5, 0, MAX_ID - 1], list(range(70_000))])
def test_ids_of_any_kind_come_out_as_int32(kind, ids):
    found = as_ids("ids", kind(ids))
    assert found.tolist() == ids
    assert (found.dtype, found.flags.c_contiguous) == (np.dtype(np.int32), True)


@pytest.mark.parametrize("kind", [list, np.array])
@pytest.mark.parametrize(
    ("ids", "facts"),
    [
        ([3, -1, 4], (0, 2147483646, -1, 4)),
        ([3, MAX_ID], (3, 2147483647)),
        ([2**32, 1], (1, 4294967296)),
        ([-(2**62), 1], (-4611686018427387904, 1)),
        ([*range(70_000), -2], (-2, 69999)),
        ([2**70], ("integer", "object")),
        ([True], ("integer", "bool")),
        ([None], ("integer", "object")),
        ([1.0], ("integer", "float64")),
        (["1"], ("integer", "<U1")),
        ([[1]], ("one-dimensional", "(1, 1)")),
    ],
)
def test_other_values_are_refused_as_ids(kind, ids, facts):
    with pytest.raises(RankingInputError, match=telling(*facts)):
        as_ids("ids", kind(ids))


@pytest.mark.parametrize("kind", ["list", "i8", "f2", "f4", "f8", ">f8"])
@pytest.mark.parametrize("weights", [[], [0, 1, 2], [0.5, 0.0, 60000.0], [1] * 70_000])
def test_weights_of_any_kind_come_out_as_float32(kind, weights):
    given = weights if kind == "list" else np.array(weights).astype(kind)
    found = as_weights("weights", given, len(weights))
    assert found.dtype == np.float32
    assert found.tolist() == [np.float32(one) for one in given]


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize(
    ("weights", "facts"),
    [
        ([1, np.nan], ("finite", "nan")),
        ([1, np.inf], ("finite", 1.0, "inf")),
        ([1, -0.5], ("negative", -0.5, 1.0)),
        ([1, 2, 3], ("(2,)", "(3,)")),
        ([[1, 2]], ("(2,)", "(1, 2)")),
    ],
)
def test_other_values_are_refused_as_weights(kind, weights, facts):
    with pytest.raises(RankingInputError, match=telling(*facts)):
        as_weights("weights", np.array(weights, kind), 2)
