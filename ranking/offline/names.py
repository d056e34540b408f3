"""Ids and their names, for graphs too large for a dict of Python strings.

Two kinds of names, behind one interface: arbitrary text, interned in a compact table, and
numbers. Both are sequences of str by id, and find the ids of tokens: names as they lie in a piece
of text, by position and length.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray, LongArray
from ranking.offline._names import NameTable
from ranking.offline._numbers import count_before, list_marked, mark, parse_numbers, renumber

UNKNOWN = -1

Text = bytes | bytearray


class Names(Sequence[str]):
    """Names by id, and ids by name."""

    @abstractmethod
    def take(self, ids: LongArray) -> list[str]:
        """Names of ids in [0, n), faster than one by one."""

    @abstractmethod
    def find(self, text: Text, starts: LongArray, lengths: IntArray) -> IntArray:
        """Ids (k,) of the tokens; UNKNOWN where there is no such name."""

    @abstractmethod
    def holds(self, character: str) -> bool:
        """Whether an ASCII character occurs in any name."""

    def drop_index(self) -> None:
        """Give back the memory that finding takes; the next `find` takes it again."""

    def ids(self, names: Iterable[str]) -> IntArray:
        """Ids (k,) of names; UNKNOWN where there is no such name."""
        coded = [name.encode() for name in names]
        lengths = np.array([len(name) for name in coded], np.int32)
        stops = np.cumsum(lengths, dtype=np.int64)
        return self.find(b"".join(coded), stops - lengths, lengths)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return self.take(np.array(places, np.int64))
        return self.take(np.array([places], np.int64))[0]


class TextNames(Names):
    """Any text, in the order of first appearance."""

    def __init__(self, table: NameTable) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    def take(self, ids: LongArray) -> list[str]:
        if ids.size and not (ids.min() >= 0 and ids.max() < len(self)):
            raise IndexError(
                f"ids must be from 0 to {len(self) - 1}, got {ids.min()} to {ids.max()}"
            )
        return self._table.take(ids)

    def find(self, text: Text, starts: LongArray, lengths: IntArray) -> IntArray:
        found = np.empty(len(starts), np.int32)
        self._table.find(text, starts, lengths, found)
        return found

    def drop_index(self) -> None:
        self._table.drop_slots()

    def holds(self, character: str) -> bool:
        return self._table.holds(ord(character))


class NumberNames(Names):
    """Integers, ascending.

    Attributes:
        numbers: (n,) int32, ascending, each once.

    """

    def __init__(self, numbers: IntArray) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, ids: LongArray) -> list[str]:
        return [str(number) for number in self.numbers[ids].tolist()]

    def find(self, text: Text, starts: LongArray, lengths: IntArray) -> IntArray:
        found = np.full(len(starts), UNKNOWN, np.int32)
        values = np.empty(len(starts), np.int32)
        done = 0
        while done < len(starts):
            read, _ = parse_numbers(text, starts[done:], lengths[done:], values[done:])
            span = slice(done, done + read)
            found[span] = self._places(values[span])
            done += read + 1  # what stopped the parser is no number, so no name
        return found

    def holds(self, character: str) -> bool:
        return character.isdigit() and any(character in name for name in self)

    def _places(self, values: IntArray) -> IntArray:
        place = np.searchsorted(self.numbers, values).astype(np.int32)
        inside = np.minimum(place, len(self.numbers) - 1)
        place[self.numbers[inside] != values] = UNKNOWN
        return place


def close_gaps(*columns: IntArray) -> NumberNames:
    """Replace numbers >= 0 by ids 0 to n - 1 in the same order, in place.

    Args:
        columns: arrays (L,); every number that occurs in one of them is a name.

    Returns:
        The names, by id.

    """
    highest = max(int(column.max(initial=-1)) for column in columns)
    bits = np.zeros((highest >> 6) + 1, np.uint64)
    for column in columns:
        mark(column, bits)
    before = np.empty(len(bits), np.int32)
    numbers = np.empty(count_before(bits, before), np.int32)
    list_marked(bits, numbers)
    if len(numbers) <= highest:
        for column in columns:
            renumber(column, bits, before)
    return NumberNames(numbers)


def take(names: Sequence[str], ids: npt.NDArray[Any]) -> list[str]:
    """Names of ids (k,) out of any sequence of names."""
    if isinstance(names, Names):
        return names.take(ids.astype(np.int64, copy=False))
    return [names[i] for i in ids.tolist()]
