"""An index of remembered pages by keys: constant time, bounded memory.

Every page has KEYS keys of 64 bits: its signature cut into bands of 8 bytes, the hash of its text,
and that of its body. Two texts that are alike to 0.8 share a band with probability 0.95, to 0.9
with 0.9999, to 0.5 with 0.06 (locality-sensitive hashing; Indyk and Motwani 1998).

The pages are rows of one array. For each kind of key a table of buckets has the newest rows that
may have a key; the rows themselves decide. Both are doubled while they fill, up to `capacity`
pages; from then on the oldest page is forgotten for each new one. A page takes 300 to 450 bytes.
(rensa's own index keeps Python objects: 2 KB a page, and forgets none.)
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from frontier.duplicates._kernels import remember, sharing
from frontier.duplicates.minhash import SIZE, Signature

BANDS: Final = SIZE // 8
KEYS: Final = BANDS + 2
_WAYS: Final = 4
_FIRST: Final = 1024
_OTHERS: Final = struct.Struct("<QQ")
_NO_BANDS: Final = bytes(8 * BANDS)

KeyArray = NDArray[np.uint64]


def keys_of(signature: Signature | None, text: int, body: int) -> KeyArray:
    """Return the keys of a page, (KEYS,) uint64, 0 for none; of a short text that of the body."""
    bands = _NO_BANDS if signature is None else signature.tobytes()
    keys = bands + _OTHERS.pack(0 if signature is None else text, body)
    return np.frombuffer(keys, "<u8").astype(np.uint64, copy=False)


class KeyIndex:
    """Rows of pages by their keys.

    Row `p` holds the page that was added as the `p + k * capacity`-th, for the largest such k.

    Invariant: a bucket begins with the newest 4 of the remembered rows whose key leads there, so
    that what is found depends on the pages alone, not on when a crawl was resumed.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._added = 0
        self._keys = np.zeros((min(capacity, _FIRST), KEYS), np.uint64)
        self._make_tables(0, 0)

    def __len__(self) -> int:
        """Number of remembered pages."""
        return min(self._added, self._capacity)

    def sharing(self, keys: KeyArray) -> tuple[set[int], set[int]]:
        """Rows that share a band with a page of such keys, and rows with its text or its body."""
        return sharing(self._keys, self._tables, self._shift, keys, BANDS)

    def signatures(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Signatures (k, SIZE) of rows (k,); all 0 of a page without a signature."""
        bands = np.ascontiguousarray(self._keys[rows, :BANDS], dtype="<u8")
        return bands.view(np.uint8)

    def add(self, keys: KeyArray) -> int:
        """Remember a page, and return its row; the page it held is forgotten."""
        row = self._added % self._capacity
        if row == len(self._keys):
            more = np.zeros((min(row, self._capacity - row), KEYS), np.uint64)
            self._keys = np.concatenate([self._keys, more])
            self._make_tables(0, row)
        self._keys[row] = keys
        remember(self._keys, self._tables, self._shift, row, 1, self._capacity)
        self._added += 1
        return row

    def load(self, keys: KeyArray) -> None:
        """Remember the last of n pages, (n, KEYS), in this order; the index must be empty."""
        assert not self._added, "pages are loaded before any is added"
        room = min(self._capacity, _FIRST)
        while room < min(len(keys), self._capacity):
            room = min(2 * room, self._capacity)
        self._added = len(keys)
        self._keys = np.zeros((room, KEYS), np.uint64)
        rows = np.arange(len(keys))[-self._capacity :] % self._capacity
        self._keys[rows] = keys[-self._capacity :]
        self._make_tables(int(rows[0]) if len(rows) else 0, len(rows))

    def _make_tables(self, first: int, n: int) -> None:
        """Make tables for the rows there is room for, of n rows from the oldest on."""
        bits = max((len(self._keys) // 2 - 1).bit_length(), 1)
        self._shift = 64 - bits
        self._tables = np.full((KEYS, 1 << bits, _WAYS), -1, np.int32)
        remember(self._keys, self._tables, self._shift, first, n, self._capacity)
