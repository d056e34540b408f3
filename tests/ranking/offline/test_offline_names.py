"""Names against a dict, numbers against NumPy's sorted sets."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.offline import names as module
from ranking.offline.names import UNKNOWN, NameIds, ReadNames, close_gaps, take

some_names = st.lists(st.text("ab\u00e9\U0001f600", min_size=1, max_size=3), max_size=30)


def texts(names: list[str]) -> pa.Array:
    return pa.array(names, pa.large_string())


@given(st.lists(some_names, max_size=8), st.sampled_from([0, 5, 1000]))
def test_a_name_has_the_id_of_its_first_appearance(columns: list[list[str]], held: int) -> None:
    known = dict[str, int]()
    expected = [[known.setdefault(name, len(known)) for name in names] for names in columns]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "HELD", held)
        ids = NameIds()
        found = [array for names in columns for array in ids.add(texts(names))]
    found += ids.ids()
    assert [array.tolist() for array in found] == expected
    assert ids.names.to_pylist() == list(known)
    assert ids.ids() == []


@given(some_names, some_names)
def test_names_are_found_and_others_are_not(known: list[str], asked: list[str]) -> None:
    order = {name: k for k, name in enumerate(dict.fromkeys(known))}
    names = ReadNames(texts(list(order)))
    assert names.find(texts(asked)).tolist() == [order.get(name, UNKNOWN) for name in asked]


def test_numbers_are_found_however_they_are_written() -> None:
    names = ReadNames(pa.array([3, 5, 900], pa.int32()))
    asked = ["5", "x", "4", "900", "05", "-3", "901", "3", str(2**62), "9" * 30]
    found = names.find(texts(asked)).tolist()
    assert found == [1, *[UNKNOWN] * 2, 2, 1, UNKNOWN, UNKNOWN, 0, UNKNOWN, UNKNOWN]


def test_a_sequence_of_names_behaves_like_a_list() -> None:
    for names in (
        ReadNames(texts(["1", "2", "3"])),
        ReadNames(pa.array([1, 2, 3], pa.int32())),
    ):
        assert (names[0], names[-1], names[1:]) == ("1", "3", ["2", "3"])
        assert names[::-1] == ["3", "2", "1"]
        for index in (3, -4):
            with pytest.raises(IndexError):
                names[index]
        assert take(names, np.array([1, 0], np.int32)) == ["2", "1"]
    assert take(["x", "y"], np.array([1, 0])) == ["y", "x"]


@given(st.lists(st.integers(0, 300) | st.integers(0, 10**6), min_size=1, max_size=300))
def test_gaps_between_numbers_are_closed_in_their_order(numbers: list[int]) -> None:
    first = np.array(numbers[::2], np.int32)
    second = np.array(numbers[1::2], np.int32)
    expected, ids = np.unique(numbers, return_inverse=True)
    assert close_gaps(first, second).tolist() == expected.tolist()
    assert first.tolist() == ids[::2].tolist()
    assert second.tolist() == ids[1::2].tolist()
