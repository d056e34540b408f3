"""Which remembered pages share a key with this one: found in constant time, in bounded memory.

Every page has KEYS keys of 64 bits: its signature cut into bands of 8 bytes, the hash of its text,
and that of its body. Two texts that are alike to 0.8 share a band with probability 0.95, to 0.9
with 0.9999, to 0.5 with 0.06 (locality-sensitive hashing; Indyk and Motwani 1998).

The pages are rows of one array. For each kind of key a table of buckets tells which rows may have a
key; the rows say whether they do. Both are doubled while they fill, up to `capacity` pages; from
then on the oldest page is forgotten for each new one. A page takes 300 to 450 bytes.

Invariant: a bucket holds the newest 4 of the remembered rows whose key leads there, so that what is
found depends on the pages alone, not on when a crawl was resumed.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from frontier.duplicates._keys import forget, remember, sharing
from frontier.duplicates.minhash import SIZE, Signature

BANDS: Final = SIZE // 8
TEXT: Final = BANDS
BODY: Final = BANDS + 1
KEYS: Final = BANDS + 2
NO_KEY: Final = 0
"""Stands for a key that a page does not have."""
EMPTY: Final = -1
_WAYS: Final = 4
_FIRST: Final = 1024
_FEW: Final = 2**15

_OTHERS: Final = struct.Struct("<QQ")
_NO_BANDS: Final = bytes(8 * BANDS)

KeyArray = NDArray[np.uint64]


def keys_of(signature: Signature | None, text: int, body: int) -> KeyArray:
    """Return the keys of a page, (KEYS,) uint64; of a short text the body alone has one."""
    bands = _NO_BANDS if signature is None else signature.tobytes()
    keys = bands + _OTHERS.pack(0 if signature is None else text, body)
    return np.frombuffer(keys, "<u8").astype(np.uint64, copy=False)


class KeyIndex:
    """Rows of pages by their keys.

    Row `p` holds the page that was added as the `p + k * capacity`-th, for the largest such k.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._added = 0
        self._resize(min(capacity, _FIRST))

    def __len__(self) -> int:
        """Pages that are remembered."""
        return min(self._added, self._capacity)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self._keys.nbytes + self._tables.nbytes

    @property
    def next_row(self) -> int:
        """Row of the next page."""
        return self._added % self._capacity

    def sharing(self, keys: KeyArray) -> tuple[set[int], set[int]]:
        """Rows that share a band with a page of such keys, and those with its text or its body."""
        return sharing(self._keys, self._tables, self._bits, keys, BANDS)

    def signatures(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Signatures of rows (k,), (k, SIZE); all 0 of a page that has none."""
        bands = np.ascontiguousarray(self._keys[rows, :BANDS], dtype="<u8")
        return bands.view(np.uint8)

    def add(self, keys: KeyArray) -> int:
        """Remember a page, and return its row; the page it held is forgotten."""
        row = self.next_row
        if row == len(self._keys):
            self._resize(min(2 * row, self._capacity))
        elif self._added >= self._capacity:
            forget(self._keys, self._tables, self._bits, row)
        self._keys[row] = keys
        remember(self._keys, self._tables, self._bits, row, 1, self._capacity)
        self._added += 1
        return row

    def load(self, keys: KeyArray) -> None:
        """Remember n pages, (n, KEYS), in this order; the index must be empty."""
        assert not self._added, "pages are loaded before any is added"
        rows = np.arange(len(keys))[-self._capacity :] % self._capacity
        self._added = len(keys)
        self._keys = np.zeros((_power(len(rows), self._capacity), KEYS), dtype=np.uint64)
        self._keys[rows] = keys[-self._capacity :]
        self._fill(int(rows[0]) if len(rows) else 0, len(rows))

    def _resize(self, rows: int) -> None:
        """Make room for so many rows; there is none to forget before all are in use."""
        before = self._keys if self._added else np.zeros((0, KEYS), dtype=np.uint64)
        self._keys = np.zeros((rows, KEYS), dtype=np.uint64)
        self._keys[: len(before)] = before
        self._fill(0, len(before))

    def _fill(self, first: int, n: int) -> None:
        """Make the tables anew, of n rows from the oldest on."""
        self._bits = _bits(len(self._keys))
        kind_of = np.int16 if len(self._keys) <= _FEW else np.int32
        self._tables = np.full((KEYS, 1 << self._bits, _WAYS), EMPTY, kind_of)
        remember(self._keys, self._tables, self._bits, first, n, self._capacity)


def _bits(rows: int) -> int:
    return max((rows // 2 - 1).bit_length(), 1)


def _power(rows: int, capacity: int) -> int:
    """Rows that there is room for once so many were added one by one."""
    room = min(capacity, _FIRST)
    while room < rows:
        room = min(2 * room, capacity)
    return room
