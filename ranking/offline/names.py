"""Ids and their names: sequences of text by id, and how names that are read get their ids.

Names that were read are an array of pyarrow, of strings or of integers: a name costs its bytes and
8 more, where a Python string costs 60 more.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray, LongArray
from ranking.offline.extras import pyarrow

UNKNOWN = -1
HELD = 1 << 21  # names that wait for their ids at least; more at a time are faster
BLOCK = 1 << 20  # numbers replaced at a time
DENSE = 8  # numbers up to so many times their count have a table of their places


class Names(Sequence[str]):
    """Names by id."""

    @abstractmethod
    def take(self, ids: LongArray) -> list[str]:
        """Names of ids in [0, n), faster than one by one."""

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return self.take(np.array(places, np.int64))
        return self.take(np.array([places], np.int64))[0]


class ReadNames(Names):
    """Names that were read from a file.

    Attributes:
        array: (n,) pyarrow array by id: large_string, or int32 in ascending order.

    """

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def integers(self) -> bool:
        """Whether the names are integers."""
        return bool(pyarrow("reading links").types.is_integer(self.array.type))

    def __len__(self) -> int:
        return len(self.array)

    def take(self, ids: LongArray) -> list[str]:
        names = self.array.take(pyarrow("reading links").array(ids)).to_pylist()
        return [str(name) for name in names] if self.integers else names

    def find(self, names: Any) -> IntArray:
        """Ids (k,) of a pyarrow array of strings; UNKNOWN where there is no such name."""
        compute = pyarrow("reading values", "pyarrow.compute")
        known = self.array
        if self.integers:
            arrow = pyarrow("reading values")
            written = compute.match_substring_regex(names, r"^[0-9]{1,18}$")
            names = compute.if_else(written, names, None).cast(arrow.int64())
            known = known.cast(arrow.int64())
        places = compute.index_in(names, value_set=known, skip_nulls=True)
        return np.asarray(places.fill_null(UNKNOWN), np.int32)


class NameIds:
    """Ids of strings in the order in which they come, given to many at a time.

    The names of each array wait, once each, until there are as many as all names that have ids;
    then these and those are encoded together. So a name is hashed a few times, however long the
    file is.
    """

    def __init__(self) -> None:
        arrow = pyarrow("reading links")
        self.names = arrow.array([], arrow.large_string())
        self._waiting: list[Any] = []
        self._count = 0

    def add(self, *columns: Any) -> list[IntArray]:
        """Take arrays of strings; returns the ids of all arrays that waited, if it is time."""
        for column in columns:
            self._waiting.append(column.dictionary_encode())
            self._count += len(self._waiting[-1].dictionary)
        return self.ids() if self._count > max(HELD, len(self.names)) else []

    def ids(self) -> list[IntArray]:
        """Ids of the arrays that wait, one array for each, in their order."""
        waiting, self._waiting, self._count = self._waiting, [], 0
        known = len(self.names)
        names = [self.names, *(array.dictionary for array in waiting)]
        encoded = pyarrow("reading links").chunked_array(names).dictionary_encode()
        if not len(encoded):
            return [np.empty(0, np.int32) for _ in waiting]
        self.names = encoded.chunk(0).dictionary
        ids = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
        ends = known + np.cumsum([len(array.dictionary) for array in waiting])
        return [
            ids[end - len(array.dictionary) : end][array.indices.to_numpy()]
            for array, end in zip(waiting, ends.tolist(), strict=True)
        ]


def close_gaps(*columns: IntArray) -> IntArray:
    """Replace numbers >= 0 by ids 0 to n - 1 in the same order, in place.

    Args:
        columns: arrays (L,); every number that occurs in one of them is a name.

    Returns:
        (n,) the numbers by id.

    """
    highest = max(int(column.max(initial=-1)) for column in columns)
    # Zeros of pages that are never touched cost nothing.
    occurs = np.zeros(highest + 1, np.bool_)
    for column in columns:
        occurs[column] = True
    numbers = np.flatnonzero(occurs).astype(np.int32)
    if len(numbers) == highest + 1:
        return numbers
    table = None
    if highest < DENSE * len(numbers):
        table = np.cumsum(occurs, dtype=np.int32)
        table -= 1
    for column in columns:
        for start in range(0, len(column), BLOCK):
            block = column[start : start + BLOCK]
            block[:] = np.searchsorted(numbers, block) if table is None else table[block]
    return numbers


def take(names: Sequence[str], ids: npt.NDArray[Any]) -> list[str]:
    """Names of ids (k,) out of any sequence of names."""
    if isinstance(names, Names):
        return names.take(ids.astype(np.int64, copy=False))
    return [names[i] for i in ids.tolist()]
