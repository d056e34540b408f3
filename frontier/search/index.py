"""The file of the index: `search.sqlite` in the directory of a crawl.

One FTS5 table holds, by the crawl's id of a URL, which terms a page has in which field and how
much each weighs there (`_tokens`), no places: so BM25 has frequencies and lengths of each field for
itself, at half the size. Beside it stand the texts, compressed, for what is shown, for words that
must stand together, and for taking a page out of the table, which needs to be told what it holds;
the link texts; and the numbers that ranking adds. All that comes at once is one transaction, in WAL
mode: readers see the last whole one, and so does whoever opens the file after a kill.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from math import log2
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.errors import SearchError
from frontier.search.words import term_list, url_words
from frontier.store.open import file_of
from frontier.store.sqlite import settle, snapshot, writing
from frontier.utils import Closing
from ranking.topics.terms import MAX_TEXT

FILE_NAME: Final = "search.sqlite"
SCHEMA_VERSION: Final = 1
"""Raise it when a table changes, or what terms are: pages are taken out by their terms."""

_APPLICATION_ID: Final = 0x4C4E4B53  # "LNKS"
_BUSY_MS = 30_000
_LEVEL = 1  # of zlib: 6 takes twice the time for a tenth less
_PAGE_SIZE = 1024  # bytes: the last page of a text is half empty, and a text is some 3 kB
_BLOCK = 4_180  # bytes of one of FTS5's: with its key four pages and little more
_MERGED = 2_000  # pages of FTS5's, 4 kB each, that are merged in one transaction
_TABLES = (
    "CREATE VIRTUAL TABLE words USING fts5(terms, content='', columnsize=0, detail=none, "
    """tokenize="ascii tokenchars '_'")""",
    f"INSERT INTO words (words, rank) VALUES ('pgsz', {_BLOCK})",  # noqa: S608 - ours
    "CREATE TABLE pages (id INTEGER NOT NULL PRIMARY KEY, page BLOB NOT NULL)",
    "CREATE INDEX page_ids ON pages (id)",  # counted and listed without reading the texts
    "CREATE TABLE link_texts (id INTEGER NOT NULL PRIMARY KEY, terms TEXT NOT NULL)",
    "CREATE TABLE numbers (id INTEGER NOT NULL PRIMARY KEY, authority FLOAT, relevance FLOAT, "
    "twin INTEGER)",
    "CREATE TABLE about (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
)
_INSERT = "INSERT INTO words (rowid, terms) VALUES (?, ?)"
_DELETE = "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)"

_B = 0.75  # BM25's
_USUAL: Final = {"title": 6, "text": 1_000, "links": 6, "url": 8}
"""Terms of a field. BM25 has their mean, which grows with a crawl; what is written stays."""
FIELDS: Final = tuple(_USUAL)
_STEPS = "0123456789abcdefghijklmnopqrstuvwxyz"
_TWICE = 3  # steps to twice as often
_ONCE = 14  # the step of a term that a field of usual length has once
_WEIGHTS = {step: 2 ** ((at - _ONCE) / _TWICE) for at, step in enumerate(_STEPS)}
"""Step -> how often, by the length of the field."""


def _tokens(field: str, said: list[str]) -> str:
    """What the table holds of terms of a field: each with the field's number and its step."""
    counts, number = Counter(said), FIELDS.index(field)
    length = 1 - _B + _B * len(said) / _USUAL[field]
    ends = {}
    for n in set(counts.values()):
        step = round(_TWICE * log2(n / length)) + _ONCE
        ends[n] = f"_{number}{_STEPS[min(max(step, 0), len(_STEPS) - 1)]}"
    return " ".join([term + ends[n] for term, n in counts.items()])


class IndexedPage(NamedTuple):
    """A page as it is indexed, by the crawl's number of its URL."""

    url_id: int
    url: str
    title: str
    text: str

    def lined(self) -> IndexedPage:
        """Return the page as it can be kept: of texts the beginning, each a line of UTF-8."""
        texts = (self.url, self.title, self.text)
        cut = (one[:MAX_TEXT].replace("\n", " ") for one in texts)
        kept = (one.encode("utf-8", "replace").decode() for one in cut)
        return IndexedPage(self.url_id, *kept)

    def packed(self) -> bytes:
        """Return what is kept of a page of lines."""
        return zlib.compress("\n".join(self[1:]).encode(), _LEVEL)

    @classmethod
    def unpacked(cls, url_id: int, kept: bytes) -> IndexedPage:
        """Return the page that was kept."""
        return cls(url_id, *zlib.decompress(kept).decode().split("\n"))

    def terms(self) -> dict[str, list[str]]:
        """Return the terms of each field that is its own."""
        return {
            "title": term_list(self.title),
            "text": term_list(self.text),
            "url": term_list(url_words(self.url)),
        }

    def tokens(self) -> str:
        """Return what the table of words holds of its own."""
        return " ".join([_tokens(field, said) for field, said in self.terms().items()])


class PageNumbers(NamedTuple):
    """What ranking adds to words, of one page; None: unknown.

    `authority` is the share of pages with a lower score, `twin` the id of the page that this one
    repeats or names as the one to keep.
    """

    authority: float | None
    relevance: float | None
    twin: int | None


NO_NUMBERS: Final = PageNumbers(None, None, None)


class SearchIndex(Closing):
    """The index of a crawl's pages; a context manager, for one thread at a time.

    All methods raise SearchError where the file cannot be used.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, *, writes: bool) -> None:
        self.path = path
        self._connection = connection
        self._cursor = connection.cursor()
        self._writes = writes
        self._asked = False

    @classmethod
    def open(cls, directory: Path, *, write: bool = False) -> SearchIndex:
        """Open the index in `directory`; one that is to be written is made where there is none.

        Raises StoreMissingError where there is neither an index nor a crawl, SearchError where
        there is no index, or one of another version.
        """
        path = directory / FILE_NAME
        with _translated(path):
            if write:
                connection = _connected(path, "rwc")
                _prepare(path, connection)
            elif not path.exists():
                file_of(directory)
                raise SearchError(
                    f"No index in {directory}: expected a file {FILE_NAME}. Make one from the "
                    f"crawl's WARC files or its feed: scrapy frontier index {directory} "
                    f"--warc FILE, or crawl with FRONTIER_INDEX = True."
                )
            else:
                connection = _connected(path, "ro")
            _check(path, connection)
        return cls(path, connection, writes=write)

    def close(self) -> None:
        """Close the file; one that was written to becomes one plain file where nobody reads it."""
        if self._writes:
            self._writes = False
            with _translated(self.path):
                settle(self._cursor)
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Cursor]:
        """Run the block as one transaction."""
        with _translated(self.path), writing(self._cursor):
            yield self._cursor

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads of a block see one moment of the index."""
        return snapshot(self._cursor)

    def rows(self, statement: str, parameters: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement."""
        with _translated(self.path):
            return self._cursor.execute(statement, tuple(parameters)).fetchall()

    def __len__(self) -> int:
        """Number of pages."""
        return int(self.rows("SELECT count(*) FROM pages INDEXED BY page_ids")[0][0])

    def ids(self) -> NDArray[np.int64]:
        """Return the ids of all pages, ascending."""
        rows = self.rows("SELECT id FROM pages INDEXED BY page_ids ORDER BY id")
        return np.array([one for (one,) in rows], np.int64)

    def said(self, term: str) -> list[tuple[int, float, int]]:
        """Return the number of the field, the weight there, and the id of pages that say a term."""
        if not self._asked:
            with _translated(self.path):
                self._cursor.execute(
                    "CREATE VIRTUAL TABLE temp.said USING fts5vocab(main, words, instance)"
                )
            self._asked = True
        statement = "SELECT substr(term, -2), doc FROM temp.said WHERE term >= ? AND term < ?"
        rows = self.rows(statement, (f"{term}_", f"{term}`"))  # what follows _ in ASCII
        return [(int(end[0]), _WEIGHTS[end[1]], url_id) for end, url_id in rows]

    def link_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """Return what others say of pages, as terms joined by blanks."""
        return dict(self.rows(f"SELECT * FROM link_texts WHERE id IN ({_listed(ids)})"))  # noqa: S608

    def pages(self, ids: Iterable[int]) -> dict[int, IndexedPage]:
        """Return those of some pages that are there, in any order."""
        found = self.rows(f"SELECT id, page FROM pages WHERE id IN ({_listed(ids)})")  # noqa: S608
        return {url_id: IndexedPage.unpacked(url_id, kept) for url_id, kept in found}

    def add(self, pages: Iterable[IndexedPage]) -> int:
        """Index pages, replacing what was indexed of them; return how many are new or changed.

        One transaction. Their link texts and numbers stay, or come with the next sync.
        """
        changed = 0
        with self.transaction() as cursor:
            # In order: FTS5 writes a piece of its own at each step back.
            for given in sorted(pages):
                page = given.lined()
                kept = page.packed()
                known = _kept(cursor, page.url_id)
                if known == kept:
                    continue
                if known is not None:
                    _take_out(cursor, page.url_id, known)
                cursor.execute(_INSERT, (page.url_id, page.tokens()))
                cursor.execute("INSERT INTO pages VALUES (?, ?)", (page.url_id, kept))
                changed += 1
        return changed

    def remove(self, ids: Iterable[int]) -> int:
        """Forget pages and what is said of them; return how many there were. One transaction."""
        removed = 0
        with self.transaction() as cursor:
            for url_id in sorted(ids):
                known = _kept(cursor, url_id)
                if known is not None:
                    _take_out(cursor, url_id, known)
                    removed += 1
                _put_links(cursor, url_id, "")
                cursor.execute("DELETE FROM numbers WHERE id = ?", (url_id,))
        return removed

    def set_links(self, texts: Mapping[int, str]) -> int:
        """Set what is said of pages, as terms joined by blanks; return how many differed."""
        with self.transaction() as cursor:
            return sum(_put_links(cursor, url_id, terms) for url_id, terms in sorted(texts.items()))

    def linked_ids(self) -> set[int]:
        """Return the ids of pages with link texts."""
        return {one for (one,) in self.rows("SELECT id FROM link_texts")}

    def set_numbers(self, numbers: Mapping[int, PageNumbers]) -> None:
        """Replace all numbers. One transaction."""
        with self.transaction() as cursor:
            cursor.execute("DELETE FROM numbers")
            rows = ((url_id, *known) for url_id, known in numbers.items() if known != NO_NUMBERS)
            cursor.executemany("INSERT INTO numbers VALUES (?, ?, ?, ?)", rows)

    def numbers(self, ids: Iterable[int]) -> dict[int, PageNumbers]:
        """Return the numbers of those pages that have any."""
        rows = self.rows(f"SELECT * FROM numbers WHERE id IN ({_listed(ids)})")  # noqa: S608
        return {url_id: PageNumbers(*known) for url_id, *known in rows}

    def note(self, key: str, value: str | None = None) -> str | None:
        """Return what is noted under a key; set it where a value is given."""
        if value is not None:
            with self.transaction() as cursor:
                cursor.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))
        found = self.rows("SELECT value FROM about WHERE key = ?", (key,))
        return str(found[0][0]) if found else None

    def merge(self) -> None:
        """Bring what was indexed in many batches into one piece, a quarter smaller.

        In steps, between which others can write.
        """
        pages, done = -_MERGED, 2  # the sign begins a whole merge, which the others go on with
        while done > 1:  # or there was nothing to do
            before = self._connection.total_changes
            with self.transaction() as cursor:
                cursor.execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", (pages,))
            pages, done = _MERGED, self._connection.total_changes - before
        with _translated(self.path):
            self._connection.executescript("PRAGMA incremental_vacuum")  # `execute` does one page


def _listed(ids: Iterable[int]) -> str:
    return ", ".join(map(str, map(int, ids)))


def _kept(cursor: sqlite3.Cursor, url_id: int) -> bytes | None:
    row = cursor.execute("SELECT page FROM pages WHERE id = ?", (url_id,)).fetchone()
    return None if row is None else row[0]


def _take_out(cursor: sqlite3.Cursor, url_id: int, kept: bytes) -> None:
    cursor.execute(_DELETE, (url_id, IndexedPage.unpacked(url_id, kept).tokens()))
    cursor.execute("DELETE FROM pages WHERE id = ?", (url_id,))


def _put_links(cursor: sqlite3.Cursor, url_id: int, terms: str) -> bool:
    row = cursor.execute("SELECT terms FROM link_texts WHERE id = ?", (url_id,)).fetchone()
    known = "" if row is None else row[0]
    if known == terms:
        return False
    if known:
        cursor.execute(_DELETE, (url_id, _tokens("links", known.split())))
        cursor.execute("DELETE FROM link_texts WHERE id = ?", (url_id,))
    if terms:
        cursor.execute(_INSERT, (url_id, _tokens("links", terms.split())))
        cursor.execute("INSERT INTO link_texts VALUES (?, ?)", (url_id, terms))
    return True


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    return connection


def _prepare(path: Path, connection: sqlite3.Connection) -> None:
    """Make the tables of a new file, whole or not at all, and write beside readers."""
    tables = "SELECT count(*) FROM sqlite_master"
    if connection.execute(tables).fetchone()[0]:
        _check(path, connection)  # before anything is changed
    connection.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    cursor = connection.cursor()
    with writing(cursor):
        if cursor.execute(tables).fetchone()[0]:
            return
        for statement in _TABLES:
            cursor.execute(statement)
        cursor.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        cursor.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _check(path: Path, connection: sqlite3.Connection) -> None:
    ours = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if (ours, version) == (_APPLICATION_ID, SCHEMA_VERSION):
        return
    connection.close()
    found = f"version {version}" if ours == _APPLICATION_ID else "another program's file"
    raise SearchError(
        f"{path} cannot be searched: expected an index of version {SCHEMA_VERSION}, found {found}. "
        f"Remove it and make it anew: scrapy frontier index {path.parent} --warc FILE."
    )


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Raise what SQLite says about the file as an error of ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise SearchError(
            f"{path} cannot be used now ({error}). Check free space, permissions and other "
            f"programs that hold it open, then try again: all that was committed is kept."
        ) from error
    except (sqlite3.DatabaseError, zlib.error, UnicodeDecodeError) as error:
        raise SearchError(
            f"{path} is damaged ({error}). Remove it and make it anew: scrapy frontier index "
            f"{path.parent} --warc FILE."
        ) from error
