"""Fingerprint -> id of every known URL, at about 16 bytes a URL, the fingerprints included.

An id is the place of its fingerprint in one column, which all users of fingerprints share; the
table beside it holds ids alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from frontier.store._fingerprint_table import FingerprintTable
from ranking.arrays import Column


class FingerprintIndex:
    """The fingerprints by id, and the ids by fingerprint; it only grows.

    `fingerprints` (int64) has one row an id, and is written to by this class alone.
    """

    def __init__(self, fingerprints: NDArray[np.int64] | None = None) -> None:
        """Begin with distinct fingerprints, of the ids from 0 on; the array is not copied."""
        self.fingerprints = Column(np.int64)
        self._table = FingerprintTable()
        if fingerprints is not None:
            self.fingerprints = Column.adopt(fingerprints)
            self._enter(0)

    def __len__(self) -> int:
        return len(self.fingerprints.array)

    def lookup(self, fingerprints: Iterable[int]) -> list[int]:
        """Return the id of each fingerprint, -1 for those never added."""
        return self._table.find(self.fingerprints.array, fingerprints)

    def add(self, fingerprints: Sequence[int]) -> None:
        """Give distinct fingerprints that `lookup` does not know yet the next ids."""
        first = len(self)
        self.fingerprints.extend(fingerprints)
        self._enter(first)

    def _enter(self, first: int) -> None:
        entered = self._table.enter(self.fingerprints.array, first)
        assert entered, "a fingerprint has one id"
