"""Ids of names, in the order in which they come."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.offline.edges import NameIds

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
    assert names.to_pylist() == list(known)
