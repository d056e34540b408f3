"""The file of texts: its table, and errors that say what to do.

A page may have several texts for a moment, as it was fetched again: each has the hash of the body
that it was read from, by which it belongs to the row of its page in the store.
"""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from frontier.errors import StoreError
from frontier.store import sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE_NAME: Final = "texts.sqlite"
_CREATE: Final = (
    "CREATE TABLE IF NOT EXISTS texts (n INTEGER NOT NULL PRIMARY KEY, id INTEGER NOT NULL, "
    "host INTEGER NOT NULL, hash BLOB, blocks BLOB NOT NULL, packed BLOB NOT NULL)",
    "CREATE INDEX IF NOT EXISTS texts_id ON texts (id)",
    "CREATE INDEX IF NOT EXISTS texts_host ON texts (host)",
)


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open or make the file; the caller holds the lock of its directory. Raises StoreError."""
    with translated(path):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement in _CREATE:
                connection.execute(statement)
        return sqlite.connect_to_write(path)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise StoreError for whatever is wrong with the file."""
    try:
        yield
    except (sqlite3.DatabaseError, zlib.error, ValueError) as error:
        raise StoreError(
            f"{path} cannot be used ({error}). Check free space and permissions; where it is "
            f"damaged, remove it: the crawl is whole without it, only the texts so far are gone."
        ) from error
