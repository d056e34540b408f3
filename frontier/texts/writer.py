"""Texts of a running crawl: written right before the store commits the rows of their pages.

So after a kill each page of the store has its text. A text whose row was not committed belongs to
no row, and is not read; the text that it replaces is deleted only after the row was committed.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from frontier.states import GONE_ERROR, State
from frontier.store import sqlite
from frontier.texts.file import FILE_NAME, open_to_write, translated
from frontier.utils import Closing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from frontier.records import PageRow

_DROPPED_AT_ONCE: Final = 8
_INSERT: Final = "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)"
_REPLACED: Final = "DELETE FROM texts WHERE id = ? AND n < ?"
_OLDEST: Final = "DELETE FROM texts WHERE n IN (SELECT n FROM texts ORDER BY n LIMIT ?)"
_LAST: Final = "SELECT ifnull(max(n), 0) FROM texts"
_PAGES: Final = ("page_count", "freelist_count", "page_size")


class TextWriter(Closing):
    """Writes the file of texts of one directory; `kept` and `dropped` count texts of this run.

    Where the file would grow beyond `most` bytes, the oldest texts go first: what follows the crawl
    has read them by then. Raises StoreError where the file cannot be used.
    """

    def __init__(self, directory: Path, most: int) -> None:
        self._path = directory / FILE_NAME
        self._most = most
        self._connection = open_to_write(self._path)
        self._cursor = self._connection.cursor()
        self.kept = self.dropped = self.bytes = 0
        self._new: list[tuple[int, int, int, bytes | None, bytes, bytes]] = []
        self._replaces: list[tuple[int, int]] = []
        self._replaced: list[tuple[int, int]] = []
        with translated(self._path):
            # Numbers grow also where the file was removed: who has read up to one goes on.
            last = self._cursor.execute(_LAST).fetchone()[0]
            self._next = max(last + 1, int(time.time() * 1000))
            self.bytes = self._size()

    def put(self, row: PageRow, host: int, text: tuple[bytes, bytes] | None) -> None:
        """Keep the text of a row that the store is about to commit; None: the page has none.

        `host` is the number of its host, `text` a `PackedText`.
        """
        if text is not None and row.state is State.CRAWLED:
            data, blocks = text
            self._new.append((self._next, row.url_id, host, row.hash, blocks, data))
        # A failure that does not mean that the page is gone leaves what is known of it.
        if row.state is not State.ERROR or (row.error or "").startswith(GONE_ERROR):
            self._replaces.append((row.url_id, self._next))
        self._next += 1

    @contextmanager
    def committing(self) -> Iterator[None]:
        """Commit the new texts, then have the store commit their rows."""
        if self._new or self._replaced:
            self._write()
        yield
        self._replaced += self._replaces
        self._replaces = []

    def _write(self) -> None:
        with translated(self._path):
            with sqlite.writing(self._cursor):
                self._cursor.executemany(_REPLACED, self._replaced)
                self._cursor.executemany(_INSERT, self._new)
                while (size := self._size()) > self._most:
                    dropped = self._cursor.execute(_OLDEST, (_DROPPED_AT_ONCE,)).rowcount
                    self.dropped += dropped
                    if not dropped:
                        break
            self.bytes = size
        self.kept += len(self._new)
        self._new, self._replaced = [], []

    def _size(self) -> int:
        """Bytes in use; what was deleted is written over."""
        pages, free, each = (
            int(self._cursor.execute(f"PRAGMA {name}").fetchone()[0]) for name in _PAGES
        )
        return (pages - free) * each

    def close(self) -> None:
        """Delete what was replaced, and release the file."""
        with translated(self._path):
            try:
                if self._replaced:
                    self._new = []
                    self._write()
                sqlite.settle(self._path, self._cursor)
            finally:
                self._connection.close()
