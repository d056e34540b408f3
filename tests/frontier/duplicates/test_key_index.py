"""The index finds every remembered page by its keys, in bounded memory, also when it is loaded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.duplicates.index import BANDS, BODY, EMPTY, KEYS, TEXT, KeyIndex, keys_of


def random_keys(seed: int, pages: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 2**64, (pages, KEYS), dtype=np.uint64)


def found(index: KeyIndex, keys: np.ndarray) -> list[set[int]]:
    return [set(rows[rows != EMPTY].tolist()) for rows in index.sharing(keys)]


def test_a_page_is_found_by_each_of_its_keys() -> None:
    index, pages = KeyIndex(5000), random_keys(1, 3000)
    rows = [index.add(keys) for keys in pages]
    assert rows == list(range(3000))
    lost = sum(
        row not in of_kind
        for row, keys in zip(rows, pages, strict=True)
        for of_kind in found(index, keys)
    )
    # A bucket holds four; more than that rarely meet in one.
    assert lost / pages.size < 0.05
    assert all(any(row in of for of in found(index, pages[row])) for row in rows)


def test_nothing_is_found_by_keys_nobody_has() -> None:
    index = KeyIndex(100)
    for keys in random_keys(1, 50):
        index.add(keys)
    assert all(not any(found(index, keys)) for keys in random_keys(2, 50))
    assert not any(found(index, np.zeros(KEYS, np.uint64)))


def test_a_short_text_shares_only_its_body() -> None:
    index = KeyIndex(10)
    index.add(keys_of(None, 5, 7))
    assert found(index, keys_of(None, 5, 8)) == [set()] * KEYS
    assert found(index, keys_of(None, 6, 7))[BODY] == {0}
    assert keys_of(None, 5, 7)[TEXT] == 0


def test_signatures_come_back_as_they_were() -> None:
    signature = np.arange(8 * BANDS, dtype=np.uint8)
    index = KeyIndex(10)
    index.add(keys_of(None, 1, 1))
    row = index.add(keys_of(signature, 1, 1))
    assert index.signatures(np.array([row]))[0].tolist() == signature.tolist()


def test_beyond_its_capacity_the_oldest_page_is_forgotten() -> None:
    index, pages = KeyIndex(100), random_keys(3, 250)
    for keys in pages:
        index.add(keys)
    assert len(index) == 100
    assert all(not any(found(index, keys)) for keys in pages[:150])
    assert all(any(found(index, keys)) for keys in pages[150:])


@pytest.mark.parametrize("capacity", [1, 7, 1024, 3000, 4096])
def test_memory_is_bounded_by_the_capacity(capacity: int) -> None:
    index = KeyIndex(capacity)
    for keys in random_keys(4, 4000):
        index.add(keys)
    assert index.nbytes <= 500 * max(capacity, 1024)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.lists(st.integers(1, 12), max_size=120), st.integers(0, 120))
def test_a_loaded_index_finds_what_one_that_never_stopped_finds(
    capacity: int, values: list[int], cut: int
) -> None:
    pages = [np.full(KEYS, value, dtype=np.uint64) for value in values]
    whole, resumed = KeyIndex(capacity), KeyIndex(capacity)
    for keys in pages:
        whole.add(keys)
    kept = min(cut, len(pages))
    if kept:
        resumed.load(np.stack(pages[:kept]))
    for keys in pages[kept:]:
        resumed.add(keys)
    for value in range(1, 13):
        keys = np.full(KEYS, value, dtype=np.uint64)
        assert found(whole, keys) == found(resumed, keys)
