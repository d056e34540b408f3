"""How far a crawl had come, noted outside its file: a WAL that is lost or foreign is not missed.

SQLite opens a database whose WAL was deleted, cut or exchanged without a word. So each commit
overwrites a line of fixed width in `frontier.mark`: how many URLs and answers there are, and the
fingerprint of the last URL. It is taken away when the crawl is closed in order, and not believed
after a power cut, which may cost the last commits but not this line.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from frontier.errors import StoreDamagedError
from frontier.store import statements
from frontier.store.loading import count_answers, count_urls

MARK_NAME = "frontier.mark"
_WIDTH = 120
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_UNKNOWN = "unknown"


class Mark(NamedTuple):
    """What had been committed."""

    urls: int
    answers: int
    fingerprint: int
    """Of the last URL; 0 without one."""


class HighWater:
    """Notes what was committed, from the opening of a crawl until it is closed."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / MARK_NAME
        self._file = -1

    def write(self, mark: Mark) -> None:
        """Replace the line; a disk that does not take it costs only the certainty."""
        said = f"{_boot()} {mark.urls} {mark.answers} {mark.fingerprint}"
        line = f"{said} {crc32(said.encode())}".ljust(_WIDTH) + "\n"
        with suppress(OSError):
            if self._file < 0:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o644)
            os.pwrite(self._file, line.encode("ascii"), 0)

    def close(self) -> None:
        """Close the file, which stays."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def clear(self) -> None:
        """Take the note away: the crawl is in its one file."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def read_mark(directory: Path) -> Mark | None:
    """Return what was noted since the machine was started, None without it."""
    try:
        line = (directory / MARK_NAME).read_text(encoding="ascii").strip()
        said, _, check = line.rpartition(" ")
        boot, *numbers = said.split()
        whole = int(check) == crc32(said.encode()) and len(numbers) == len(Mark._fields)
        return Mark(*map(int, numbers)) if whole and boot == _boot() != _UNKNOWN else None
    except (OSError, ValueError):
        return None


def check_mark(directory: Path, cursor: sqlite3.Cursor) -> None:
    """Raise StoreDamagedError where something that was committed is not there."""
    mark = read_mark(directory)
    missing = None if mark is None else what_is_missing(mark, cursor)
    if missing is not None:
        raise StoreDamagedError(
            f"{directory} is damaged: {missing}, so frontier.sqlite-wal was lost, cut or exchanged "
            f"after the crawl was killed. Put it back, or delete {directory / MARK_NAME} to go on "
            f"from what is there."
        )


def what_is_missing(mark: Mark, cursor: sqlite3.Cursor) -> str | None:
    """Return in words what of `mark` the crawl lacks."""
    urls, answers = count_urls(cursor), count_answers(cursor)
    if urls < mark.urls or answers < mark.answers:
        return (
            f"{mark.urls:,} URLs and {mark.answers:,} answers had been committed, {urls:,} and "
            f"{answers:,} are there"
        )
    if mark.urls:
        row = cursor.execute(statements.URL, (mark.urls - 1,)).fetchone()
        if row is None or row[1] != mark.fingerprint:
            return f"URL {mark.urls - 1:,} is another one than was committed"
    return None


@cache
def _boot() -> str:
    """Return what tells this run of the machine from others."""
    try:
        return _BOOT.read_text(encoding="ascii").strip() or _UNKNOWN
    except OSError:
        return _UNKNOWN
