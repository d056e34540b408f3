"""The rows on every leaf of every table in a file, whether or not anything leads there.

A table is a tree; where the file was cut or broken near a root, SQLite finds none of the leaves
below, though they may all be there. Here they are read page by page, after
sqlite.org/fileformat2.html, sections 1.6 (b-tree pages) and 2.1 (records). What is read may be old:
pages that are free hold what they held. That does not matter for rows that are never changed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

_TABLE_LEAF = 13
_USUAL_SIZE = 4096
_HEADER = 100
_MOST_BYTES = 1 << 26
"""Of a row: a page of a crawl with all its links has some 100 KiB."""
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Serial type -> bytes."""
_BROKEN = (IndexError, ValueError, struct.error)

Row = tuple[int, list[Any]]


def leaf_rows(path: Path) -> Iterator[Row]:
    """Yield the key of each row that can be read, and its columns as they are stored."""
    if path.stat().st_size < _HEADER:
        return
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        pages = _Pages(data)
        for number in range(1, pages.count + 1):
            yield from pages.rows(number)


class _Pages:
    def __init__(self, data: mmap) -> None:
        self._data = data
        said = int.from_bytes(data[16:18], "big")
        size = 1 << 16 if said == 1 else said
        self._size = size if size >= 512 and size & (size - 1) == 0 else _USUAL_SIZE
        self.count = len(data) // self._size

    def _page(self, number: int) -> bytes:
        if not 1 <= number <= self.count:
            raise ValueError(f"there is no page {number}")
        return self._data[(number - 1) * self._size : number * self._size]

    def rows(self, number: int) -> Iterator[Row]:
        """Yield the rows of a page; none where it is no leaf of a table."""
        page, start = self._page(number), _HEADER if number == 1 else 0
        if page[start] != _TABLE_LEAF:
            return
        cells = int.from_bytes(page[start + 3 : start + 5], "big")
        for at in range(start + 8, min(start + 8 + 2 * cells, self._size - 1), 2):
            with suppress(*_BROKEN):
                yield self._row(page, int.from_bytes(page[at : at + 2], "big"))

    def _row(self, page: bytes, at: int) -> Row:
        length, at = _varint(page, at)
        key, at = _varint(page, at)
        if length > min(_MOST_BYTES, len(self._data)):
            raise ValueError("a row is longer than the file")
        return key, list(_values(self._payload(page, at, length)))

    def _payload(self, page: bytes, at: int, length: int) -> bytes:
        """Return so many bytes that begin on a page and may go on elsewhere."""
        least = (self._size - 12) * 32 // 255 - 23
        here = length
        if length > self._size - 35:
            here = least + (length - least) % (self._size - 4)
            here = here if here <= self._size - 35 else least
        parts, following = [page[at : at + here]], page[at + here : at + here + 4]
        left = length - here
        while left > 0:
            more = self._page(int.from_bytes(following, "big"))
            parts.append(more[4 : 4 + left])
            left, following = left - (self._size - 4), more[:4]
        return b"".join(parts)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of 64 bits with a sign, and where it ends."""
    value = 0
    for length in range(1, 9):
        byte = data[at + length - 1]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + length
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _values(record: bytes) -> Iterator[Any]:
    """Yield the values of a record."""
    end, at = _varint(record, 0)
    start = end
    while at < end:
        kind, at = _varint(record, at)
        value, length = _value(record, start, kind)
        if start + length > len(record):
            raise ValueError("a record ends early")
        yield value
        start += length


def _value(record: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind >= 12:
        length = (kind - 12) // 2
        data = record[at : at + length]
        return (data.decode("utf-8", "replace") if kind % 2 else data), length
    if kind in _INTEGERS:
        length = _INTEGERS[kind]
        return int.from_bytes(record[at : at + length], "big", signed=True), length
    if kind == 7:
        return struct.unpack_from(">d", record, at)[0], 8
    if kind in (0, 8, 9):
        return (None, 0, 1)[max(kind - 7, 0)], 0
    raise ValueError(f"there is no serial type {kind}")
