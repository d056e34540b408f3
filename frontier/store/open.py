"""From a directory to a connection, or to an error that names what is there instead.

Checks that cannot change the file come before those that may: header bytes, then a read-only
connection, then the lock and the writing connection. A refused opening leaves the directory as it
was.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from frontier.errors import StoreError, StoreForeignError, StoreMissingError
from frontier.store import sqlite
from frontier.store.loading import count_answers, count_urls, read_hosts, read_leases
from ranking.errors import LinkRankError

FILE_NAME = "frontier.sqlite"
NONSENSE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, zlib.error)
"""Errors of Python and NumPy on values that no crawl writes."""
SCRAPY_QUEUE = "requests.queue"
"""Where Scrapy's own scheduler keeps the requests of a job."""


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raise StoreDamagedError for whatever cannot be read or makes no sense."""
    try:
        with sqlite.translated(path):
            yield
    except LinkRankError:
        raise
    except NONSENSE as error:
        raise sqlite.damaged(path, error) from error


def is_there(path: Path) -> bool:
    """Whether a path exists; StoreError where that cannot be found out."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise sqlite.unusable(path, error.strerror) from error
    return True


def file_of(directory: Path) -> Path:
    """Return the file of the crawl in a directory; StoreMissingError where there is none."""
    path = directory / FILE_NAME
    if not is_there(path):
        raise StoreMissingError(
            f"No crawl in {directory}: expected a file {FILE_NAME}. Name the directory that the "
            f"crawl was given as JOBDIR."
        )
    return path


def open_to_read(directory: Path) -> tuple[Path, sqlite3.Connection]:
    """Open the file for reading only; see StoreReader.open for the errors."""
    path = file_of(directory)
    sqlite.check_header(path)
    with reading(path):
        connection = sqlite.connect_to_read(path)
        with sqlite.closed_on_error(connection):
            read_leases(connection.cursor())
        return path, connection


def check_directory(directory: Path) -> None:
    """Refuse a directory with another program's files, before anything is written into it."""
    path = directory / FILE_NAME
    if is_there(path):
        sqlite.check_header(path)
    elif is_there(directory / SCRAPY_QUEUE):
        raise StoreForeignError(
            f"{directory} holds a job of Scrapy's own scheduler ({SCRAPY_QUEUE}), which cannot be "
            f"continued by this one. Choose another JOBDIR; nothing was changed."
        )


def make_directory(directory: Path) -> None:
    """Make a directory and its parents; StoreError where that fails."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{directory} cannot be made ({error.strerror}). Expected a directory for the crawl: "
            f"check permissions and free space, or choose another JOBDIR."
        ) from error


def open_to_write(directory: Path) -> tuple[Path, sqlite3.Connection]:
    """Open or create the file; the caller holds the directory's lock."""
    path = directory / FILE_NAME
    check_directory(directory)
    with reading(path):
        if not path.exists():
            sqlite.create_file(path)
        _check_content(path)
        return path, sqlite.connect_to_write(path)


def _check_content(path: Path) -> None:
    """Read a little of a file before anything may write to it.

    Skipped where SQLite must first roll back a transaction of a killed process, which takes a
    writer.
    """
    if sqlite.journal_of(path).exists():
        return
    with closing(sqlite.connect_to_read(path)) as connection:
        cursor = connection.cursor()
        for read in (read_hosts, read_leases, count_urls, count_answers):
            read(cursor)


def directory_for(given: str) -> Path:
    """Return the given directory, or the next unused one in `crawls`; makes none."""
    return Path(given) if given else _unused(Path("crawls"))


def make_writable(directory: Path) -> None:
    """Make the directory of a crawl; StoreError where nothing can be written there."""
    make_directory(directory)
    try:
        TemporaryFile(dir=directory).close()
    except OSError as error:
        raise StoreError(
            f"Nothing can be written in {directory} ({error.strerror}). Expected a directory for "
            f"the crawl: check permissions and free space, or choose another."
        ) from error


def _unused(folder: Path) -> Path:
    numbers = (int(path.name) for path in folder.glob("[0-9]*") if path.name.isdecimal())
    return folder / f"{max(numbers, default=0) + 1:03d}"
