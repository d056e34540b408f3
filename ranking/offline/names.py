"""Ids and their names, for graphs too large for a dict of Python strings.

Two kinds of names, behind one interface: arbitrary text, interned in a compact table, and
numbers. Both are sequences of str by id, and find the ids of tokens: names as they lie in a piece
of text, by position and length.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, LongArray
from ranking.offline._names import NameTable
from ranking.offline._numbers import count_before, list_marked, mark, parse_numbers, renumber

UNKNOWN = -1

Text = bytes | bytearray


@dataclass(frozen=True, eq=False)
class Tokens:
    """Names and numbers of some rows of a file: of its lines, or of a table.

    Attributes:
        text: where the names lie, as UTF-8.
        starts: (rows * names a row,) positions of the names.
        lengths: (rows * names a row,) in bytes.
        values: (rows,) the numbers, 1 where a row has none.
        where: index of a name -> file and line, for messages.
        valued: whether any row has a number.
        numeric: names that look like numbers may be numbers.
        separator: of the columns.
        comments: lines that were skipped.

    """

    text: Text
    starts: LongArray
    lengths: IntArray
    values: FloatArray
    where: Callable[[int], str]
    valued: bool = True
    numeric: bool = True
    separator: str = "\t"
    comments: int = 0

    def name(self, k: int) -> str:
        """Name k as text."""
        start = int(self.starts[k])
        return self.text[start : start + int(self.lengths[k])].decode()


@dataclass(frozen=True, eq=False)
class NumberLinks:
    """Links between plain integers, as they lie in a table: tokens that need not be parsed.

    Attributes:
        ends: (2 * rows,) int32 in [0, MAX_ID), source, target, source, ...
        values: (rows,) the numbers; None: no row has one.
        rows: file and rows, for messages.

    """

    ends: IntArray
    values: FloatArray | None
    rows: str

    def where(self, _: int) -> str:
        """See `Tokens`."""
        return self.rows

    def tokens(self) -> Tokens:
        """The same as text."""
        values = np.ones(len(self.ends) // 2) if self.values is None else self.values
        valued = self.values is not None
        return Tokens(*as_text(self.ends), values, self.where, valued)


class Names(Sequence[str]):
    """Names by id, and ids by name."""

    @abstractmethod
    def take(self, ids: LongArray) -> list[str]:
        """Names of ids in [0, n), faster than one by one."""

    @abstractmethod
    def find(self, text: Text, starts: LongArray, lengths: IntArray) -> IntArray:
        """Ids (k,) of the tokens; UNKNOWN where there is no such name."""

    def holds(self, character: str) -> bool:
        """Whether a control character of ASCII is known to occur in a name."""
        return False

    def drop_index(self) -> None:
        """Give back the memory that finding takes; the next `find` takes it again."""

    def ids(self, names: Iterable[str]) -> IntArray:
        """Ids (k,) of names; UNKNOWN where there is no such name."""
        return self.find(*packed(names))

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
        self._table.intern(text, starts, lengths, found, add=False)
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
        values, done = np.full(len(starts), UNKNOWN, np.int32), 0
        while done < len(starts):
            read, _ = parse_numbers(text, starts[done:], lengths[done:], values[done:])
            done += read + 1  # what stopped the parser is no number, so no name
        places = np.searchsorted(self.numbers, values).astype(np.int32)
        known = self.numbers[np.minimum(places, len(self.numbers) - 1)] == values
        return np.where(known, places, UNKNOWN).astype(np.int32)


def packed(names: Iterable[str]) -> tuple[bytes, LongArray, IntArray]:
    """Names (k,) as tokens: a text, and starts and lengths in it; "?" for lone surrogates."""
    coded = [name.encode("utf-8", "replace") for name in names]
    lengths = np.array([len(one) for one in coded], np.int32)
    return b"".join(coded), np.cumsum(lengths, dtype=np.int64) - lengths, lengths


def as_text(numbers: IntArray) -> tuple[bytes, LongArray, IntArray]:
    """Numbers (k,) as tokens."""
    coded = numbers.astype("S10")  # a number below 2**31 has 10 digits at most
    starts = np.arange(len(coded), dtype=np.int64) * coded.itemsize
    return coded.tobytes(), starts, np.char.str_len(coded).astype(np.int32)


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
    if highest >= len(numbers):
        for column in columns:
            renumber(column, bits, before)
    return NumberNames(numbers)


def take(names: Sequence[str], ids: npt.NDArray[Any]) -> list[str]:
    """Names of ids (k,) out of any sequence of names."""
    if isinstance(names, Names):
        return names.take(ids.astype(np.int64, copy=False))
    return [names[i] for i in ids.tolist()]
