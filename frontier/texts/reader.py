"""Texts of pages, as they belong to the rows of the store: also beside a running crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from frontier.states import State
from frontier.store import sqlite
from frontier.store.open import is_there, open_to_read
from frontier.texts.file import FILE_NAME, translated
from frontier.texts.page_text import StoredText
from frontier.texts.repeats import PAGES, HostRepeats, KnownPage
from frontier.utils import Closing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from pathlib import Path

# The store is named first, and so read as of an earlier moment than the texts, which are written
# before it: no row is read without its text. A text belongs to the last row, by its body, or to the
# last row of a page, behind which there may be failures.
_ROW = "JOIN main.pages AS page ON page.id = text.id AND page.hash IS text.hash AND page.state = ?1"
_SEQ = "SELECT max(seq) FROM main.pages WHERE id = text.id"
_LAST_ROW = f"{_ROW} AND page.seq = ({_SEQ})"
_LAST_PAGE = f"{_ROW} AND page.seq = ({_SEQ} AND state = ?1)"
_OF_URL = f"""
SELECT text.hash, text.host, url.url, text.packed FROM kept.texts AS text {_LAST_PAGE}
JOIN main.urls AS url ON url.id = text.id
WHERE text.id = ?2 ORDER BY text.n DESC LIMIT 1"""  # noqa: S608 - ours
_AFTER = f"""
SELECT text.n, text.id, text.host, url.url, text.packed FROM kept.texts AS text CROSS {_LAST_ROW}
JOIN main.urls AS url ON url.id = text.id
WHERE text.n > ?2 ORDER BY text.n LIMIT ?3"""  # noqa: S608 - ours
_OF_HOST = """
SELECT url.url, text.blocks FROM kept.texts AS text JOIN main.urls AS url ON url.id = text.id
WHERE text.host = ? ORDER BY text.n DESC LIMIT ?"""


class NumberedText(NamedTuple):
    """A text with its number, which grows with each text that is kept, and its URL."""

    number: int
    url_id: int
    url: str
    text: StoredText


class TextReader(Closing):
    """The texts of a crawl to read; a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection
        self._cursor = connection.cursor()
        self._repeats: dict[int, HostRepeats] = {}

    @classmethod
    def open(cls, directory: Path) -> TextReader | None:
        """Open the texts of the crawl in `directory`; None where none were kept.

        Raises the errors of `StoreReader.open`, and StoreError for a file that cannot be used.
        """
        path = directory / FILE_NAME
        if not is_there(path):
            return None
        _, connection = open_to_read(directory)
        with sqlite.closed_on_error(connection), translated(path):
            sqlite.connect_to_read(path).close()  # rolls back what a killed process had begun
            uri = f"{path.absolute().as_uri()}?mode=ro"
            connection.execute("ATTACH DATABASE ? AS kept", (uri,))
        return cls(path, connection)

    def close(self) -> None:
        """Close the connection; closing again does nothing."""
        self._connection.close()

    def texts_of(self, ids: Iterable[int]) -> dict[int, tuple[bytes | None, StoredText]]:
        """Return the texts of pages by their last answers, as far as they were kept.

        A main text is without the blocks that repeat across its host. Each has the hash of the body
        that it was read from, as in `PageRow`; all are of one moment.
        """
        texts = {}
        with translated(self._path), sqlite.snapshot(self._cursor):
            for url_id in map(int, ids):
                row = self._cursor.execute(_OF_URL, (State.CRAWLED, url_id)).fetchone()
                if row is not None:
                    texts[url_id] = row[0], self._text(*row[1:])
        return texts

    def _text(self, host: int, url: str, packed: bytes) -> StoredText:
        page = StoredText.unpacked(packed)
        if not page.markdown:
            return page
        repeats = self._repeats.get(host)
        if repeats is None:
            rows = self._cursor.execute(_OF_HOST, (host, PAGES)).fetchall()
            repeats = self._repeats[host] = HostRepeats([KnownPage(*row) for row in rows])
        return repeats.without(url, page)

    def after(self, number: int, most: int) -> list[NumberedText]:
        """Return the next texts that were kept after the one of a number, oldest first."""
        with translated(self._path):
            rows = self._cursor.execute(_AFTER, (State.CRAWLED, number, most)).fetchall()
            return [
                NumberedText(n, url_id, url, self._text(host, url, data))
                for n, url_id, host, url, data in rows
            ]
