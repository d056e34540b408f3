"""The store of one running crawl: written by one process, in one transaction a commit.

Nothing touches the file until `commit`; rows that belong together (a page, the end of its lease,
its new URLs) are together in the buffer and hence in the file. Hosts and leases, which must be
known at once, are few and in memory. Requests and leases are in `request_writes`, the rows of rules
in `policy_writes`, what any reader may ask in `queries`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from numpy.typing import NDArray

from frontier.errors import StoreError
from frontier.records import PageRow
from frontier.store import row_groups, schema, sqlite
from frontier.store.blobs import joined, split
from frontier.store.loading import Loaded, count_answers, count_urls, read_all, read_hosts
from frontier.store.lock import DirectoryLock, FileIdentity
from frontier.store.open import check_directory, make_directory, open_to_write, reading
from frontier.store.policy_writes import PolicyWrites
from frontier.store.request_writes import RequestWrites
from frontier.store.rows import UrlRow, page_columns
from frontier.store.write_buffer import Batch, WriteBuffer, encodable
from frontier.utils import Closing

_MANY_ROWS = 2000
"""URLs and pages that wait in the buffer of a temporary crawl: a megabyte or two."""


class Store(RequestWrites, PolicyWrites, Closing):
    """The crawl of one directory, or of a temporary one; a context manager.

    Invariant: URL ids are dense from 0, and the file always holds the crawl as of the last commit.
    Queries on pages and counts read the last commit; `fetch_urls`, `url_row`, `urls_of`,
    `request_body`, `settings`, `load_array`, `leases`, `hosts`, `revisit` and `robots` also see
    what is not committed.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        *,
        keep_leases: bool = False,
        temporary: bool = False,
    ) -> None:
        """Begin; the file of a `temporary` crawl is not read any more once it is closed."""
        self._on_error: Callable[[StoreError], None] = lambda _: None
        self._beside: Callable[[], AbstractContextManager[None]] = nullcontext
        super().__init__(path, connection, keep_leases=keep_leases)
        self._resources = ExitStack()
        self._closed = self._abandoned = False
        self.temporary = temporary
        self._presence = FileIdentity(path)
        self._host_ids = {name: number for number, name in enumerate(read_hosts(self._cursor))}
        self._n_urls = count_urls(self._cursor)
        self._url_rows: dict[int, UrlRow] = {}  # read since the last commit, by leases above all
        self._next_seq = count_answers(self._cursor)
        self._groups = row_groups.written(self._cursor)
        if not keep_leases and self.settings().get(schema.EXCHANGE) is not None:
            self.set_setting(schema.EXCHANGE, None)

    @classmethod
    def open(cls, directory: Path | None = None, *, keep_leases: bool = False) -> Store:
        """Open or create the crawl in `directory`; without one it is gone after `close`.

        URLs that a process had leased when it died are queued again by the first commit; with
        `keep_leases` those of a served crawl stay leased to its fetchers.
        Raises StoreBusyError while another process crawls there, StoreForeignError for another
        program's file or a job of Scrapy's own scheduler, StoreVersionError for another version,
        StoreDamagedError for a broken file; none of them changes anything.
        """
        with ExitStack() as resources:
            temporary = directory is None
            if directory is None:
                directory = Path(resources.enter_context(TemporaryDirectory(prefix="frontier-")))
            check_directory(directory)
            make_directory(directory)
            resources.callback(DirectoryLock(directory).release)
            path, connection = open_to_write(directory)
            resources.callback(connection.close)
            with reading(path):
                store = cls(path, connection, keep_leases=keep_leases, temporary=temporary)
            store._resources = resources.pop_all()
        return store

    def on_error(self, act: Callable[[StoreError], None]) -> None:
        """Call a function with every error of the file before it is raised."""
        self._on_error = act

    def commit_within(self, context: Callable[[], AbstractContextManager[None]]) -> None:
        """Make each commit inside a context, which ends when the commit has succeeded."""
        self._beside = context

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            self._on_error(error)
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._reporting(), reading(self.path):
            yield

    def close(self) -> None:
        """Commit, checkpoint the WAL and release the directory, also when that fails.

        Closing again does nothing.
        """
        if self._closed:
            return
        self._closed = True
        with self._resources:
            self._resources.callback(self.abandon)  # later writes have no file
            if not self.temporary:
                self.commit()
                self._settle()

    def _settle(self) -> None:
        """Checkpoint the WAL into the file, unless another file is in its place."""
        if self._presence.lost:
            return
        with self._reporting(), sqlite.translated(self.path):
            self._presence.check()
            sqlite.settle(self.path, self._cursor)

    def load(self) -> Loaded:
        """Return the crawl so far as arrays; to be called before anything is added.

        `leases` are those of a process that died: their URLs are QUEUED again, answered or not.
        """
        assert not self._buffer.urls, "a crawl is loaded before it goes on"
        assert not self._buffer.pages, "a crawl is loaded before it goes on"
        with self.reading(), sqlite.snapshot(self._cursor):
            return self._without_dead_leases(read_all(self._cursor))

    @property
    def next_seq(self) -> int:
        """Number of the next answer, which is the number of answers so far."""
        return self._next_seq

    @property
    def dirty(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self._buffer)

    def add_host(self, name: str) -> int:
        """Return the id of a host, a new id where the host is not known yet."""
        host = self._host_ids.get(name)
        if host is None:
            host = self._host_ids[name] = len(self._host_ids)
            self._buffer.hosts.append((host, name))
        return host

    def add_urls(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add unknown URLs, in state QUEUED: plain tuples, which SQLite takes faster than rows.

        They have the fields of `UrlRow`; the canonical URL is None where it equals `url`.
        """
        first, last = rows[0][0], rows[-1][0]
        assert (first, last - first) == (self._n_urls, len(rows) - 1), "URL ids are dense"
        self._n_urls += len(rows)
        self._buffer.urls += rows

    def mark_seed(self, url_id: int) -> None:
        """Make a seed of a URL that was discovered otherwise."""
        assert 0 <= url_id < self._n_urls, "a seed has a row"
        self._buffer.mark_seed(int(url_id))

    def page(self, page: PageRow, *, held: bool = False) -> int:
        """Record an answer and end the URL's lease and pending request, if it was leased.

        With `held` both stay in the file until `finish`: after a crash before that, the URL is
        to be fetched once more. Returns the answer number, which counts up over the crawl.
        """
        self.end_lease(page.url_id, held=held)
        seq = self._next_seq
        self._next_seq += 1
        self._buffer.pages.append(page_columns(page, seq))
        return seq

    def set_setting(self, key: str, value: object) -> None:
        """Store a value that JSON can express."""
        self._buffer.settings.put(key, (key, json.dumps(value)))

    def save_array(self, name: str, epoch: int, array: NDArray[Any]) -> None:
        """Store a copy of an array, made now, in place of the one under that name."""
        self._buffer.arrays[name] = int(epoch), split(array)

    def commit(self) -> None:
        """Write the buffer in one transaction; on an error nothing is written and nothing lost.

        Raises StoreError where the machine refuses or the file is gone, StoreDamagedError where it
        is broken.
        """
        if not self.dirty or self._abandoned:
            return
        with self._reporting(), sqlite.translated(self.path):
            self._presence.check()
            with self._beside():
                try:
                    self._write(self._buffer.batches())
                except UnicodeEncodeError:
                    # A lone surrogate in a URL or title must not cost a crawl.
                    self._write(encodable(batch) for batch in self._buffer.batches())
        self._url_rows.clear()
        self._buffer = WriteBuffer()

    def commit_leases(self) -> None:
        """Commit what must be in the file before a request leaves.

        That is everything, where the crawl can go on after its process; a temporary crawl ends with
        its process, and is written only to keep the buffer small.
        """
        if not self.temporary or len(self._buffer.urls) + len(self._buffer.pages) >= _MANY_ROWS:
            self.commit()

    def abandon(self) -> None:
        """Commit nothing any more: URLs answered since the last commit are to be fetched again."""
        self._abandoned = True

    def _write(self, batches: Iterable[Batch]) -> None:
        with sqlite.writing(self._cursor):
            for statement, rows in batches:
                self._cursor.executemany(statement, rows)
            seeds = (url_id for (url_id,) in self._buffer.seeds)
            sizes = self._n_urls, self._next_seq
            groups = row_groups.complete(self._cursor, self._groups, *sizes, seeds)
        self._groups = groups

    def fetch_urls(self, ids: Iterable[int]) -> dict[int, UrlRow]:
        """Return the rows of the ids that exist, in the order of the ids."""
        wanted, buffered, kept = [*map(int, ids)], self._buffer.url, self._url_rows
        rows = {url_id: buffered(url_id) or kept.get(url_id) for url_id in wanted}
        missing = [url_id for url_id, row in rows.items() if row is None]
        if missing:
            kept |= super().fetch_urls(missing)
            rows |= {url_id: kept.get(url_id) for url_id in missing}
        return {url_id: row for url_id, row in rows.items() if row is not None}

    def hosts(self) -> list[str]:
        """Return the host names by id."""
        return list(self._host_ids)

    def settings(self) -> dict[str, Any]:
        """Return the settings that the crawl has stored."""
        new = self._buffer.settings.rows.values()
        return super().settings() | {key: json.loads(value) for key, value in new}

    def load_array(self, name: str) -> tuple[int, NDArray[Any]] | None:
        """Return the epoch and the array stored under a name, or None."""
        if name not in self._buffer.arrays:
            return super().load_array(name)
        epoch, chunks = self._buffer.arrays[name]
        return epoch, joined(chunks)
