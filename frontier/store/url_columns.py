"""The columns of all URLs, left beside the file of a crawl that was closed, for the next start.

SQLite and Python take seconds for each million rows, and a few milliseconds for these bytes. They
are not believed unless the crawl's file is the very one that was closed, by its size, its time and
the changes that SQLite counts in its header (sqlite.org/fileformat2, offset 24). A crawl that goes
on takes them away, so one that was killed is read from its rows, as a small one is.
"""

from __future__ import annotations

import json
from contextlib import suppress
from os import fstat
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

COLUMNS_NAME = "frontier.urls"
LEAST = 100_000
"""URLs of the smallest crawl that has them: the rows of fewer are read at once."""
_TYPES = tuple(map(np.dtype, ("<i8", "<i4", "<i4", "?")))


class UrlColumns(NamedTuple):
    """What a start needs of every URL, by id."""

    fingerprints: NDArray[np.int64]
    hosts: NDArray[np.int32]
    depths: NDArray[np.int32]
    seeds: NDArray[np.bool_]


def leave(path: Path, columns: UrlColumns) -> None:
    """Write the columns beside the closed crawl in the file `path`.

    A disk that does not take them costs time only.
    """
    if len(columns.hosts) < LEAST or path.with_name(path.name + "-wal").exists():
        return
    typed = zip(columns, _TYPES, strict=True)
    blobs = [np.ascontiguousarray(column, kind).view(np.uint8) for column, kind in typed]
    with suppress(OSError):
        head = json.dumps([*_stamp(path), len(columns.hosts), _sum(blobs)]).encode() + b"\n"
        unfinished = path.with_name(COLUMNS_NAME + ".new")
        try:
            with unfinished.open("wb") as file:
                file.writelines([head, *(blob.data for blob in blobs)])
            unfinished.replace(path.with_name(COLUMNS_NAME))
        except OSError:
            unfinished.unlink(missing_ok=True)


def left(path: Path) -> UrlColumns | None:
    """Return the columns that were left by the crawl in the file `path`, None without them.

    To be called before anything opens the file to write.
    """
    try:
        with path.with_name(COLUMNS_NAME).open("rb") as file:
            *stamp, n, checksum = json.loads(file.readline(200))
            if stamp != _stamp(path):
                return None
            blobs = [np.fromfile(file, np.uint8, n * kind.itemsize) for kind in _TYPES]
        if _sum(blobs) != checksum:
            return None
        return UrlColumns(*map(np.ndarray.view, blobs, _TYPES))
    except (OSError, ValueError, TypeError):
        return None


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


def _sum(blobs: list[NDArray[np.uint8]]) -> int:
    checksum = 0
    for blob in blobs:
        checksum = crc32(blob.data, checksum)
    return checksum
