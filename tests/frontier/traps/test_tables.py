"""Tables of bits in few bytes, beside what their description says of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from frontier.traps._tables import sparse, spread

Tables = NDArray[np.uint8]


@st.composite
def some_tables(draw: st.DrawFn) -> Tables:
    share = draw(st.sampled_from([0.0, 0.01, 0.5, 1.0]))
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    bits = chance.integers(0, 256, (2, 128)) * (chance.random((2, 128)) < share)
    return bits.astype(np.uint8)


def bits_of(flags: list[bool]) -> bytes:
    return np.packbits(flags, bitorder="little").tobytes()


def plainly(table: Tables) -> bytes:
    if not table.any():
        return b"\0"
    words = [table[at : at + 8].tolist() for at in range(0, len(table), 8)]
    said = (bits_of([byte > 0 for byte in word]) + bytes(filter(None, word)) for word in words)
    return b"\1" + bits_of([any(word) for word in words]) + b"".join(one for one in said if one[0])


@given(some_tables())
def test_tables_are_written_as_described_and_read_back(tables: Tables) -> None:
    data = sparse(tables)
    assert data == b"".join(map(plainly, tables))
    found = np.zeros_like(tables)
    assert spread(np.frombuffer(b"ab" + data + b"c", np.uint8), 2, found) == 2 + len(data)
    assert np.array_equal(found, tables)


@given(some_tables(), st.data())
def test_what_is_cut_off_is_told(tables: Tables, data: st.DataObject) -> None:
    whole = sparse(tables)
    end = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ValueError, match="cut off"):
        spread(np.frombuffer(whole[:end], np.uint8), 0, np.zeros_like(tables))
