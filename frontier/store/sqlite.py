"""SQLite: the file's header, the connections, the transactions, the errors.

A crawl's file is in WAL mode only while the crawl runs, so that a closed crawl is one plain file
and inspecting it creates no other. The file is made under another name and renamed when it is
complete: a file of the final name with another header is foreign or broken, never half-made.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from frontier.errors import StoreDamagedError, StoreError, StoreForeignError, StoreVersionError
from frontier.store import schema

logger = logging.getLogger(__name__)

APPLICATION_ID = 0x4C4E4B52
"""\"LNKR\" in the header of every file of ours (sqlite.org/fileformat2, offset 68)."""
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_BUSY_MS = 10_000
_SETTLE_MS = 5_000
_CACHE_KIB = 512
_REFUSALS = ("full", "readonly", "unable to open", "disk I/O", "locked")
"""Parts of SQLite's errors where the machine refuses."""


def check_header(path: Path) -> None:
    """Refuse a file that is no crawl of this version, without SQLite, which might recover it.

    Raises StoreForeignError for another program's file, StoreVersionError for another version,
    StoreDamagedError for a file that is empty or ends within the header, StoreError for a file that
    cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except IsADirectoryError:
        raise StoreForeignError(
            f"{path} is a directory: expected a file that holds a crawl. Choose another directory; "
            f"nothing was changed."
        ) from None
    except OSError as error:
        raise unusable(path, error.strerror) from error
    if not head or (head.startswith(_MAGIC) and len(head) < _HEADER_BYTES):
        raise damaged(path, "it should hold a crawl but ends early")
    if not head.startswith(_MAGIC) or int.from_bytes(head[68:72], "big") != APPLICATION_ID:
        raise StoreForeignError(
            f"{path} was not written by this library: expected an SQLite file that is marked as "
            f"a crawl. Choose another directory; nothing was changed."
        )
    version = int.from_bytes(head[60:64], "big")
    if version != schema.SCHEMA_VERSION:
        raise StoreVersionError(
            f"{path} has schema version {version}, expected {schema.SCHEMA_VERSION}. Use the "
            f"version of scrapy-linkrank that wrote it, or start a new crawl in another directory."
        )


def create_file(path: Path) -> None:
    """Create an empty crawl at `path`, whole or not at all."""
    unfinished = path.with_name(path.name + ".new")
    try:
        # Rests of a process that was killed here, which SQLite would take for this file's.
        for left in (unfinished, journal_of(unfinished)):
            left.unlink(missing_ok=True)
    except OSError as error:
        raise unusable(unfinished, error.strerror) from error
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("BEGIN IMMEDIATE")
        for statement in schema.CREATE:
            connection.execute(statement)
        named = schema.CRAWL, json.dumps(uuid4().hex)
        connection.execute("INSERT INTO crawl (key, value) VALUES (?, ?)", named)
        connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION}")
        connection.execute("COMMIT")
    try:
        unfinished.replace(path)
    except OSError as error:
        raise unusable(path, error.strerror) from error


def connect_to_write(path: Path) -> sqlite3.Connection:
    """Open the only writing connection, in WAL mode: readers never wait for it."""
    connection = _connect(path, "rw")
    with closed_on_error(connection):
        connection.execute("PRAGMA journal_mode = WAL")
        # Survives a killed process; a power cut may cost the last commits, never the file.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def journal_of(path: Path) -> Path:
    """The file that SQLite would undo something from."""
    return path.with_name(path.name + "-journal")


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a connection that cannot change the crawl.

    The transaction of a process that was killed while it opened or closed the file is rolled back
    first: a reading connection may not do that, and cannot read before. Where the process lives,
    SQLite knows that, and nothing is rolled back.
    """
    if journal_of(path).exists():
        _connect(path, "rw").close()
    return _connect(path, "ro")


def connect_to_broken(path: Path) -> sqlite3.Connection:
    """Open a connection that reads as much of a file as it can, even of a file that is cut."""
    return _connect(path, "ro", "PRAGMA writable_schema = ON")


def _connect(path: Path, mode: str, *first: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    # isolation_level=None: Python's sqlite3 begins no transactions by itself.
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    with closed_on_error(connection):
        for pragma in first:
            connection.execute(pragma)
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return connection


@contextmanager
def closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    """Close a connection if the block fails."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


@contextmanager
def writing(cursor: sqlite3.Cursor) -> Iterator[None]:
    """Run the block as one transaction that holds the write lock from its start.

    A transaction that starts as a reader and then writes fails at once, without waiting, if another
    process wrote in between.
    """
    cursor.execute("BEGIN IMMEDIATE")
    try:
        yield
        cursor.execute("COMMIT")
    except BaseException:
        # SQLite may have rolled back by itself, for example on a full disk.
        with suppress(sqlite3.OperationalError):
            cursor.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(cursor: sqlite3.Cursor) -> Iterator[None]:
    """Let all reads of the block see one moment of the crawl, that of an outer block if any."""
    if cursor.connection.in_transaction:
        yield
        return
    cursor.execute("BEGIN")
    try:
        yield
    finally:
        with suppress(sqlite3.OperationalError):
            cursor.execute("COMMIT")


def version_of(cursor: sqlite3.Cursor) -> int:
    """Return the schema version."""
    return int(cursor.execute("PRAGMA user_version").fetchone()[0])


def settle(path: Path, cursor: sqlite3.Cursor) -> None:
    """Checkpoint the WAL into the file; waits a little for readers of an earlier moment.

    Changes that they block stay in the WAL, without which the file is incomplete: that is logged.
    The cursor is closed.
    """
    cursor.execute(f"PRAGMA busy_timeout = {_SETTLE_MS}")
    busy, in_wal, moved = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    cursor.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.OperationalError):
        cursor.execute("PRAGMA journal_mode = DELETE").fetchall()
    cursor.close()  # otherwise a refused change of the mode keeps its lock on the file
    if busy and moved < max(in_wal, 0):
        logger.error(
            "%s is not complete by itself: another program was still reading it, so the last "
            "changes are in %s. To copy or move it, end that program and take both files; the "
            "next program that writes to it brings them together",
            path,
            wal_of(path).name,
        )


def wal_of(path: Path) -> Path:
    """Return the path of the WAL: changes that are not in the database file yet."""
    return path.with_name(path.name + "-wal")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise SQLite's errors about the file as errors of ours.

    StoreError where the machine refuses (disk full, no permission, locked), StoreDamagedError where
    the content is broken. Violated constraints are bugs of ours and pass through.
    """
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.DatabaseError as error:
        refused = any(refusal in str(error) for refusal in _REFUSALS)
        raise (unusable if refused else damaged)(path, error) from error


def unusable(path: Path, why: object) -> StoreError:
    """Return the error for a file that the machine does not let us use."""
    return StoreError(
        f"{path} cannot be used now ({why}). Check free space, permissions and other programs "
        f"that hold it open, then start again: all that was committed is kept."
    )


def damaged(path: Path, why: object) -> StoreDamagedError:
    """Return the error for a crawl's file whose content is broken."""
    return StoreDamagedError(
        f"{path} is damaged ({why}). Restore it from a copy, or recover what is readable into a "
        f"new directory and resume there: scrapy frontier check {path.parent} --salvage NEWDIR."
    )
