"""Sets of numbers as bits, for numbers of which many occur: each that does has a place among them.

A table of places would take 32 bits for each number up to the highest, this takes 1, and half a
one more once they have places.
"""

from __future__ import annotations

import numpy as np

from ranking.arrays import BoolArray, IntArray
from ranking.offline._numbers import count_before, list_marked, mark, renumber


class Marks:
    """A set of numbers >= 0, and the place of each in it: see the module.

    Attributes:
        marked: how many, once they are counted.

    """

    def __init__(self) -> None:
        self._bits = np.zeros(1024, np.uint64)
        self._before: IntArray = np.empty(0, np.int32)
        self.marked = 0

    def add(self, numbers: IntArray) -> None:
        """Take numbers (k,) in."""
        words = (int(numbers.max(initial=0)) >> 6) + 1
        if words > len(self._bits):
            bits = np.zeros(max(words, len(self._bits) * 5 // 4), np.uint64)
            bits[: len(self._bits)] = self._bits
            self._bits = bits
        mark(numbers, self._bits)

    def count(self) -> None:
        """From now on numbers have places, and no more are taken in."""
        self._before = np.empty(len(self._bits), np.int32)
        self.marked = count_before(self._bits, self._before)

    def holds(self, numbers: IntArray) -> BoolArray:
        """(k,) whether each number is in the set."""
        within = numbers < 64 * len(self._bits)
        words = self._bits[np.where(within, numbers >> 6, 0)]
        found = (words >> (numbers & 63).astype(np.uint64)) & np.uint64(1)
        held: BoolArray = found.astype(np.bool_) & within
        return held

    def place(self, numbers: IntArray) -> None:
        """Replace numbers (k,), all in the set, by their places in it."""
        renumber(numbers, self._bits, self._before)

    def listed(self) -> IntArray:
        """(marked,) int32, ascending."""
        numbers = np.empty(self.marked, np.int32)
        list_marked(self._bits, numbers)
        return numbers
