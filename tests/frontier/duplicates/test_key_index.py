"""The index finds every remembered page by its keys, in bounded memory, also when it is loaded."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.duplicates.index import BANDS, KEYS, KeyIndex, keys_of

WAYS = 4


def found(index: KeyIndex, keys: np.ndarray) -> set[int]:
    near, exact = index.sharing(keys)
    return near | exact


class PlainIndex:
    """The same without tables: all pages are looked at, of those of a bucket the newest four."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.pages: list[np.ndarray] = []

    def sharing(self, keys: np.ndarray, bits: int) -> tuple[set[int], set[int]]:
        found: tuple[set[int], set[int]] = (set(), set())
        first = max(0, len(self.pages) - self.capacity)
        for kind, key in enumerate(keys.tolist()):
            bucket = [
                (number % self.capacity, page[kind])
                for number, page in enumerate(self.pages[first:], first)
                if key and page[kind] and bucket_of(int(page[kind]), bits) == bucket_of(key, bits)
            ]
            found[kind >= BANDS].update(row for row, one in bucket[-WAYS:] if one == key)
        return found


def bucket_of(key: int, bits: int) -> int:
    return (key * 0x9E3779B97F4A7C15 % 2**64) >> (64 - bits)


@settings(max_examples=60)
@given(
    st.integers(1, 40),
    st.lists(st.lists(st.integers(0, 9), min_size=KEYS, max_size=KEYS), max_size=90),
)
def test_what_is_found_is_what_all_pages_say(capacity: int, pages: list[list[int]]) -> None:
    index, plain = KeyIndex(capacity), PlainIndex(capacity)
    for number, page in enumerate(pages):
        keys = np.array(page, dtype=np.uint64) << np.uint64(58)  # many meet in one bucket
        # Half as many buckets as there is room for rows.
        bits = max((min(capacity, 1024) // 2 - 1).bit_length(), 1)
        assert index.sharing(keys) == plain.sharing(keys, bits)
        assert index.add(keys) == number % capacity
        plain.pages.append(keys)


def test_a_short_text_shares_only_its_body() -> None:
    index = KeyIndex(10)
    index.add(keys_of(None, 5, 7))
    assert found(index, keys_of(None, 5, 8)) == set()
    assert index.sharing(keys_of(None, 6, 7)) == (set(), {0})
    assert keys_of(None, 5, 7)[BANDS] == 0


@settings(max_examples=40)
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
