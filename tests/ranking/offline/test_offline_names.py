"""Interned names against a dict, numbers against NumPy's sorted sets."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.offline._names import NameTable
from ranking.offline._numbers import parse_numbers
from ranking.offline.names import (
    UNKNOWN,
    NumberNames,
    TextNames,
    as_text,
    close_gaps,
    packed,
    take,
)

# Few letters make repeats, prefixes of one another and lengths around 8 bytes likely.
some_names = st.lists(st.text("ab\u00e9\U0001f600", min_size=1, max_size=20), max_size=200)


def interned(table: NameTable, names: list[str]) -> list[int]:
    out = np.empty(len(names), np.int32)
    table.intern(*packed(names), out)
    return out.tolist()


@given(some_names, some_names)
def test_a_name_has_the_id_of_its_first_appearance(first: list[str], second: list[str]) -> None:
    table, ids = NameTable(), dict[str, int]()
    for names in (first, second):
        expected = [ids.setdefault(name, len(ids)) for name in names]
        assert interned(table, names) == expected
    assert list(TextNames(table)) == list(ids)


@given(some_names, some_names)
def test_names_are_found_and_others_are_not(known: list[str], asked: list[str]) -> None:
    table = NameTable()
    interned(table, known)
    names = TextNames(table)
    order = {name: k for k, name in enumerate(dict.fromkeys(known))}
    expected = [order.get(name, UNKNOWN) for name in asked]
    assert names.ids(asked).tolist() == expected
    names.drop_index()
    assert names.ids(asked).tolist() == expected
    assert len(names) == len(order)


def test_names_stay_what_they_were_while_the_table_grows() -> None:
    table = NameTable()
    names = [f"http://host{k % 77}.example/{k}" for k in range(20_000)]
    for start in range(0, len(names), 700):
        assert interned(table, names[start : start + 700]) == list(
            range(start, min(start + 700, len(names)))
        )
    assert interned(table, names) == list(range(len(names)))
    assert TextNames(table)[:] == names


def test_a_table_without_slots_takes_new_names() -> None:
    table = NameTable()
    interned(table, ["a", "b"])
    table.drop_slots()
    assert interned(table, ["c", "b"]) == [2, 1]


def test_a_name_costs_few_bytes_more_than_it_is_long() -> None:
    size = 200_000
    names = packed([f"{k:050d}" for k in range(size)])
    out = np.empty(size, np.int32)
    tracemalloc.start()
    table = NameTable()
    table.intern(*names, out)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # 8 for the end of the name and up to 26 for its slots; reading leaves room for growth.
    assert size * (50 + 8) <= used <= size * (50 + 8 + 27) * 1.5


def test_a_sequence_of_names_behaves_like_a_list() -> None:
    table = NameTable()
    interned(table, ["a", "b", "c"])
    names = TextNames(table)
    assert (names[0], names[-1], names[1:], names[::-1]) == ("a", "c", ["b", "c"], ["c", "b", "a"])
    for index in (3, -4):
        with pytest.raises(IndexError):
            names[index]
    for index in (3, -1):
        with pytest.raises(IndexError):
            names.take(np.array([index]))
    assert take(["x", "y"], np.array([1, 0])) == ["y", "x"]
    assert take(names, np.array([1, 0], np.int32)) == ["b", "a"]


def test_a_character_of_a_name_is_noticed() -> None:
    table = NameTable()
    interned(table, ["ab", "c\td"])
    assert TextNames(table).holds("\t")
    assert not TextNames(table).holds("\n")
    assert not NumberNames(np.array([7], np.int32)).holds("\t")


@pytest.mark.parametrize("text", ["0", "7", "10", "2147483646"])
def test_a_plain_integer_is_a_number(text: str) -> None:
    out = np.empty(1, np.int32)
    assert parse_numbers(*packed([text]), out) == (1, 0)
    assert out[0] == int(text)


@pytest.mark.parametrize(
    "text", ["07", "00", "+7", "7.0", "1e3", "0x7", "a", "-", "2147483647", "99999999999", "７"]
)
def test_what_is_not_written_as_an_integer_is_none(text: str) -> None:
    assert parse_numbers(*packed(["5", text]), np.empty(2, np.int32)) == (1, 1)


def test_a_negative_integer_is_told_apart() -> None:
    assert parse_numbers(*packed(["5", "-3"]), np.empty(2, np.int32)) == (1, 2)


@given(st.lists(st.integers(0, 2**31 - 2), min_size=1, max_size=50))
def test_numbers_are_written_and_read_back(numbers: list[int]) -> None:
    text, starts, lengths = as_text(np.array(numbers, np.int32))
    pieces = [text[s : s + n].decode() for s, n in zip(starts, lengths, strict=True)]
    assert pieces == [str(number) for number in numbers]
    out = np.empty(len(numbers), np.int32)
    assert parse_numbers(text, starts, lengths, out) == (len(numbers), 0)
    assert out.tolist() == numbers


@given(st.lists(st.integers(0, 300) | st.integers(0, 10**6), min_size=1, max_size=300))
def test_gaps_between_numbers_are_closed_in_their_order(numbers: list[int]) -> None:
    first = np.array(numbers[::2], np.int32)
    second = np.array(numbers[1::2], np.int32)
    names = close_gaps(first, second)
    expected, ids = np.unique(numbers, return_inverse=True)
    assert names.numbers.tolist() == expected.tolist()
    assert first.tolist() == ids[::2].tolist()
    assert second.tolist() == ids[1::2].tolist()
    assert list(names) == [str(number) for number in expected]


def test_the_highest_possible_number_is_one() -> None:
    ends = np.array([0, 2**31 - 2], np.int32)
    assert close_gaps(ends).numbers.tolist() == [0, 2**31 - 2]
    assert ends.tolist() == [0, 1]


def test_numbers_are_found_by_how_they_are_written() -> None:
    names = NumberNames(np.array([3, 5, 900], np.int32))
    assert names.ids(["5", "x", "4", "900", "05", "-3", "901", "3"]).tolist() == [
        *(1, UNKNOWN, UNKNOWN, 2, UNKNOWN, UNKNOWN, UNKNOWN, 0)
    ]
