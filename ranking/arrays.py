"""Columns that grow with the crawl, and the checks an array passes before a kernel trusts it.

A column is a buffer with room to spare and a view of its used part. Growing past the room moves
to a bigger buffer; a view taken before keeps the old one. Values that are only ever appended may
therefore be read by another thread without a lock.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from ranking.errors import RankingInputError

IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
SingleArray = npt.NDArray[np.float32]
BoolArray = npt.NDArray[np.bool_]

_SINGLE = np.dtype(np.float32)
FINITE = float(np.finfo(np.float64).max)
MAX_ID = 2**31 - 1  # ids are stored as int32 in every column and in the store
GROWTH = 1.5  # spare room bought at each move: amortised O(1), at most a third unused

Scalar = TypeVar("Scalar", bound=np.generic)


class Column(Generic[Scalar]):
    """One growable array.

    Invariant: `array` is the first `len(array)` values of the buffer, and no method changes a
    value that was once in it.
    """

    __slots__ = ("_buffer", "_fill", "array")

    def __init__(self, dtype: type[Scalar], fill: float = 0) -> None:
        self._fill = fill
        self._buffer: npt.NDArray[Scalar] = np.empty(0, dtype)
        self.array = self._buffer

    @classmethod
    def adopt(cls, values: npt.NDArray[Scalar], fill: float = 0) -> Column[Scalar]:
        """A column that starts with `values` themselves, which the caller no longer changes."""
        column = cls(values.dtype.type, fill)
        column._buffer = column.array = values
        return column

    def anew(self) -> Column[Scalar]:
        """An empty column of the same type and fill value."""
        return Column(self.array.dtype.type, self._fill)

    def resize(self, n: int) -> None:
        """Make `array` n values long; new ones hold the fill value. Never shrinks."""
        used = len(self.array)
        if n > used:
            self._make_room(n)
            if self._fill:  # only what becomes used: room that is not touched costs nothing
                self._buffer[used:n] = self._fill
            self.array = self._buffer[:n]

    def extend(self, values: Sequence[float] | npt.NDArray[Any]) -> None:
        """Append `values` (1-d, of a type that casts to the column's)."""
        used = len(self.array)
        n = used + len(values)
        if n > used:  # else nothing moves, and what was adopted may be read-only
            self._make_room(n)
            self._buffer[used:n] = values
            self.array = self._buffer[:n]

    def push(self, value: float) -> None:
        """Append one value."""
        n = len(self.array) + 1
        self._make_room(n)
        self._buffer[n - 1] = value
        self.array = self._buffer[:n]

    def _make_room(self, n: int) -> None:
        if n > len(self._buffer):
            # Zeros come from untouched pages of memory: spare room costs nothing until used.
            size = max(n, int(len(self.array) * GROWTH), 16)
            bigger = np.zeros(size, self._buffer.dtype)
            bigger[: len(self.array)] = self.array
            self._buffer = bigger


class Columns:
    """Columns by name, one row an id, that are saved and restored together."""

    def __init__(self, columns: Mapping[str, Column[Any]]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self._columns[name].array

    @property
    def names(self) -> frozenset[str]:
        """What the columns are called."""
        return frozenset(self._columns)

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known."""
        for column in self._columns.values():
            column.resize(n)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of the columns by their names."""
        return {name: column.array.copy() for name, column in self._columns.items()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError, with nothing changed, if one is missing."""
        fresh = {name: column.anew() for name, column in self._columns.items()}
        for name, column in fresh.items():
            column.extend(arrays[name])
        self._columns = fresh


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view of `array` that cannot be written through."""
    view = array[:]
    view.flags.writeable = False
    return view


def distinct(values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Each of `values` once, sorted, (k,): numpy.unique without numpy.ma, which costs 1.4 MiB."""
    # Only without counts does it ask numpy.ma whether the values are masked.
    once: npt.NDArray[Scalar] = np.unique(values, return_counts=True)[0]
    return once


def as_ids(name: str, values: npt.ArrayLike) -> IntArray:
    """`values` as a 1-d int32 array of ids in [0, 2**31 - 1).

    Raises RankingInputError for another shape, for non-integers and for ids out of range.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise RankingInputError(f"{name} must be one-dimensional, got shape {array.shape}")
    if array.size == 0:
        return np.empty(0, np.int32)
    if array.dtype.kind not in "iu":
        raise RankingInputError(f"{name} must be integer ids, got dtype {array.dtype}")
    low, high = array.min(), array.max()
    if low < 0 or high >= MAX_ID:
        raise RankingInputError(f"{name} must be ids from 0 to {MAX_ID - 1}, got {low} to {high}")
    return np.ascontiguousarray(array, np.int32)


def as_known_ids(name: str, values: npt.ArrayLike, n: int) -> IntArray:
    """Like `as_ids`, and every id below n."""
    ids = as_ids(name, values)
    if ids.size == 0:
        return ids
    highest = int(ids.max())
    if highest >= n:
        raise RankingInputError(
            f"{name} must be ids below n={n}, got {highest}; call grow() before using new ids"
        )
    return ids


def as_page(page: int) -> int:
    """`page` as a plain int in [0, 2**31 - 1); raises RankingInputError otherwise."""
    number = _whole("a page", page)
    if not 0 <= number < MAX_ID:
        raise RankingInputError(f"a page must be an id from 0 to {MAX_ID - 1}, got {page}")
    return number


def as_count(n: int) -> int:
    """`n` as a number of ids, in [0, 2**31 - 1]; raises RankingInputError otherwise."""
    number = _whole("n", n)
    if number < 0:
        raise RankingInputError(f"n must not be negative, got {n}")
    if number > MAX_ID:
        raise RankingInputError(f"n must be at most {MAX_ID}, got {n}; number the ids densely")
    return number


def _whole(name: str, value: int) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise RankingInputError(f"{name} must be a whole number, got {value!r}") from None


def as_values(name: str, values: npt.ArrayLike, size: int) -> npt.NDArray[Any]:
    """`values` as a 1-d float array of `size` finite numbers >= 0 (float32 stays float32).

    Raises RankingInputError for another dtype or length, for NaN, infinite or negative numbers.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise RankingInputError(f"{name} must be numbers, got dtype {array.dtype}")
    if array.dtype.char not in "fd" or not array.dtype.isnative:
        array = array.astype(np.float64)
    if array.shape != (size,):
        raise RankingInputError(f"{name} must have shape ({size},), got {array.shape}")
    array = np.ascontiguousarray(array)
    if size and not _within(array, FINITE):
        raise RankingInputError(
            f"{name} must be finite and not negative, got {array.min()} to {array.max()}"
        )
    return array


def _within(array: npt.NDArray[Any], most: float) -> bool:
    """Whether all numbers are from 0 to `most`; NaN fails every comparison."""
    return float(array.min(initial=0)) >= 0 and float(array.max(initial=0)) <= most


def as_weights(name: str, values: npt.ArrayLike, size: int) -> SingleArray:
    """`values` as `size` float32 weights, 0 or from about 1e-38 to 3e38.

    Raises RankingInputError otherwise: a weight must not turn into 0 or infinity unseen.
    """
    array = as_values(name, values, size)
    if array.dtype == _SINGLE:
        return array
    with np.errstate(over="ignore"):
        single: SingleArray = array.astype(np.float32)
    if not np.isfinite(single.max(initial=0)) or ((single == 0) & (array > 0)).any():
        raise RankingInputError(
            f"{name} must be 0 or lie between 1e-38 and 3e38, got {array.min()} to "
            f"{array.max()}; scale them"
        )
    return single


def as_fractions(name: str, values: npt.ArrayLike, size: int) -> SingleArray:
    """`values` as `size` float32 numbers in [0, 1]; raises RankingInputError otherwise."""
    array = as_values(name, values, size)
    if array.dtype != _SINGLE:
        array = array.astype(np.float32)
    if size and not _within(array, 1):
        raise RankingInputError(f"{name} must lie in [0, 1], got {array.max()}")
    return array


def as_fraction(name: str, value: float) -> float:
    """`value` as a float in [0, 1]; raises RankingInputError otherwise, NaN included."""
    if not 0 <= value <= 1:
        raise RankingInputError(f"{name} must lie in [0, 1], got {value}")
    return float(value)
