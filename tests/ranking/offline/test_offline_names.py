"""Names by id, and what is found by name."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.offline.edges import NameIds
from ranking.offline.names import UNKNOWN, ReadNames, take

some_names = st.lists(st.sampled_from(["", "a", "b", "bb", "Größe", "9"]), max_size=12)


def texts(names: list[str]) -> pa.Array:
    return pa.array(names, pa.large_string())


@given(st.lists(some_names, max_size=8), st.integers(0, 9))
def test_ids_come_in_the_order_of_names(columns: list[list[str]], held: int) -> None:
    known: dict[str, int] = {}
    expected = [[known.setdefault(name, len(known)) for name in column] for column in columns]
    given_ids = NameIds()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ranking.offline.edges.HELD", held)
        for column in columns:
            given_ids.add(texts(column))
    ids, names = given_ids.result()
    assert [array.tolist() for array in ids] == expected
    assert list(names) == list(known)


@given(some_names, some_names)
def test_names_are_found_and_others_are_not(known: list[str], asked: list[str]) -> None:
    order = {name: k for k, name in enumerate(dict.fromkeys(known))}
    names = ReadNames(texts(list(order)))
    assert names.find(texts(asked)).tolist() == [order.get(name, UNKNOWN) for name in asked]


def test_a_sequence_of_names_behaves_like_a_list() -> None:
    names = ReadNames(texts(["1", "2", "3"]))
    assert (names[0], names[-1], names[1:]) == ("1", "3", ["2", "3"])
    assert names[::-1] == ["3", "2", "1"]
    for index in (3, -4):
        with pytest.raises(IndexError):
            names[index]
    assert take(names, np.array([1, 0], np.int32)) == ["2", "1"]
    assert take(["x", "y"], np.array([1, 0])) == ["y", "x"]
