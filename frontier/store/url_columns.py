"""The columns of a crawl, left beside the file of one that was closed, for the next start.

SQLite and Python take seconds for each million rows, and a few milliseconds for these bytes. They
are not believed unless the crawl's file is the very one that was closed, by its size, its time and
the changes that SQLite counts in its header (sqlite.org/fileformat2, offset 24). A crawl that goes
on takes them away, so one that was killed is read from its rows, as a small one is.

Beside what stands in the rows of its URLs lies what the parts of a crawl have made of all pages. It
is of use to a crawl with the same settings for it, which the parts name by a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from io import BufferedReader
from os import fstat
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ranking.arrays import Column

COLUMNS_NAME = "frontier.urls"
LEAST = 100_000
"""URLs of the smallest crawl that has them: the rows of fewer are read at once."""
Parts = Mapping[str, Column[Any]]
_FORMAT = 1
_TYPES = tuple(map(np.dtype, ("<i8", "<i4", "<i4", "?")))
_LONGEST = 2**16  # bytes of the head


class UrlColumns(NamedTuple):
    """What a start needs of every URL, by id."""

    fingerprints: NDArray[np.int64]
    hosts: NDArray[np.int32]
    depths: NDArray[np.int32]
    seeds: NDArray[np.bool_]


class Left(NamedTuple):
    """What is left for a start: the URLs, and 1-d arrays of the parts of the crawl by name."""

    urls: UrlColumns
    parts: Mapping[str, NDArray[Any]] = {}
    made_for: str = ""
    """What a crawl that takes the parts must say of itself."""


class Found(NamedTuple):
    """What was left, in columns that whoever takes one may go on with."""

    urls: UrlColumns
    parts: Parts
    made_for: str


def part(prefix: str, parts: Parts) -> dict[str, Column[Any]]:
    """Return the columns whose names begin so, without that."""
    return {name[len(prefix) :]: one for name, one in parts.items() if name.startswith(prefix)}


def leave(path: Path, left: Left) -> None:
    """Write the columns beside the closed crawl in the file `path`.

    A disk that does not take them costs time only.
    """
    if len(left.urls.hosts) < LEAST or path.with_name(path.name + "-wal").exists():
        return
    typed = zip(left.urls, _TYPES, strict=True)
    arrays = [np.ascontiguousarray(column, kind) for column, kind in typed]
    arrays += [np.ascontiguousarray(array) for array in left.parts.values()]
    kinds = [(array.dtype.str, len(array)) for array in arrays]
    blobs = [array.view(np.uint8) for array in arrays]
    with suppress(OSError):
        head = [_FORMAT, *_stamp(path), _sum(blobs), left.made_for, list(left.parts), kinds]
        unfinished = path.with_name(COLUMNS_NAME + ".new")
        try:
            with unfinished.open("wb") as file:
                file.writelines([json.dumps(head).encode() + b"\n", *(one.data for one in blobs)])
            unfinished.replace(path.with_name(COLUMNS_NAME))
        except OSError:
            unfinished.unlink(missing_ok=True)


def left(path: Path) -> Found | None:
    """Return the columns that were left by the crawl in the file `path`, None without them.

    To be called before anything opens the file to write.
    """
    try:
        with path.with_name(COLUMNS_NAME).open("rb") as file:
            *stamp, checksum, made_for, names, kinds = json.loads(file.readline(_LONGEST))
            if stamp != [_FORMAT, *_stamp(path)]:
                return None
            if sum(np.dtype(kind).itemsize * n for kind, n in kinds) != _rest(file):
                return None
            columns = [_read(file, np.dtype(kind), n) for kind, n in kinds]
        if _sum(column.array.view(np.uint8) for column in columns) != checksum:
            return None
        urls = UrlColumns(*(column.array for column in columns[: len(_TYPES)]))
        return Found(urls, dict(zip(names, columns[len(_TYPES) :], strict=True)), made_for)
    except (OSError, ValueError, TypeError):
        return None


def _rest(file: BufferedReader) -> int:
    return fstat(file.fileno()).st_size - file.tell()


def _read(file: BufferedReader, kind: np.dtype[Any], n: int) -> Column[Any]:
    """Read a column into room in which it can grow: to copy it takes as long as to read it."""
    column: Column[Any] = Column(kind.type)
    column.resize(n)
    file.readinto(column.array.view(np.uint8).data)
    return column


def clear(path: Path) -> None:
    """Take the columns away."""
    with suppress(OSError):
        path.with_name(COLUMNS_NAME).unlink(missing_ok=True)


def _stamp(path: Path) -> list[int]:
    """What tells a file from any later state of it: size, time, and how often it was changed.

    In WAL mode SQLite need not count every change.
    """
    with path.open("rb") as file:
        changes = int.from_bytes(file.read(28)[24:28], "big")
        status = fstat(file.fileno())
        return [status.st_size, status.st_mtime_ns, changes]


def _sum(blobs: Iterable[NDArray[np.uint8]]) -> int:
    checksum = 0
    for blob in blobs:
        checksum = crc32(blob.data, checksum)
    return checksum
