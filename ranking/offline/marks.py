"""Sets of numbers as bits, for numbers of which many occur: each that does has a place among them.

A table of places would take 32 bits for each number up to the highest, this takes 1, and half a
one more once they have places.
"""

from __future__ import annotations

import numpy as np

from ranking.arrays import IntArray, SingleArray
from ranking.external.sorting import Keys
from ranking.offline._numbers import count_before, keys_of, list_marked, mark, renumber


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

    def place(self, numbers: IntArray) -> None:
        """Replace numbers (k,), all in the set, by their places in it."""
        renumber(numbers, self._bits, self._before)

    def listed(self) -> IntArray:
        """(marked,) int32, ascending."""
        numbers = np.empty(self.marked, np.int32)
        list_marked(self._bits, numbers)
        return numbers


def link_keys(ends: IntArray, weights: SingleArray | None, rows: Marks, used: Marks) -> Keys:
    """Keys (k,) of `ranking.external.sorting` of links, without self-loops.

    Args:
        ends: (2l,) source, target, source, ...
        weights: (l,) or None; its first k are those of the keys afterwards.
        rows: all sources, counted.
        used: all ends, counted.

    """
    keys = np.empty(len(ends) // 2, np.uint64)
    marks = rows._bits, rows._before, used._bits, used._before
    return keys[: keys_of(ends, weights, *marks, rows.marked, keys)]
