"""The memory of one running crawl: written by one process, in one transaction a commit.

Nothing touches the file until `commit`; what belongs together (a page, the end of its lease, the
URLs it led to) is together in the buffer and hence in the file. The two things that must be known
at once, which hosts exist and what is leased, are small and held in memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontier.errors import StoreError
from frontier.records import PageRow, RevisitRow, RobotsRow, Sample
from frontier.states import State
from frontier.store import row_groups, schema, sqlite
from frontier.store.blobs import deflated, joined, split
from frontier.store.loading import (
    Loaded,
    PendingRequests,
    count_answers,
    count_urls,
    read_all,
    read_hosts,
    read_leases,
    read_undone,
)
from frontier.store.lock import DirectoryLock, FileIdentity
from frontier.store.open import check_directory, make_directory, open_to_write, reading
from frontier.store.queries import Queries
from frontier.store.rows import PLAIN, LeaseRow, UrlRow, page_columns
from frontier.store.write_buffer import Batch, PolicyWrites, WriteBuffer, encodable
from frontier.utils import Closing

_MANY_ROWS = 2000
"""URLs and pages that wait in the buffer of a temporary crawl: a megabyte or two."""


class Store(PolicyWrites, Queries, Closing):
    """The crawl of one directory, or of a temporary one; a context manager.

    Invariant: a URL has at most one lease, URL ids are dense from 0, and the file always holds
    the crawl as it was at the last commit. The lease of an answer that is held stays there until
    `let_go`. What looks at pages and counts sees the last commit;
    `fetch_urls`, `url_row`, `urls_of`, `request_body`, `settings`, `load_array`, `leases`,
    `hosts` and `robots` see now.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection, *, keep_leases: bool = False
    ) -> None:
        super().__init__(path, connection)
        self._resources = ExitStack()
        self._closed = self._abandoned = False
        self.temporary = False
        """Whether nobody reads the file once it is closed."""
        self._on_error: Callable[[StoreError], None] = lambda _: None
        self._presence = FileIdentity(path)
        self._buffer = WriteBuffer()
        self._host_ids = {name: number for number, name in enumerate(read_hosts(self._cursor))}
        self._n_urls = count_urls(self._cursor)
        self._url_rows: dict[int, UrlRow] = {}  # read since the last commit, by leases above all
        self._next_seq = count_answers(self._cursor)
        self._groups = row_groups.written(self._cursor)
        self._leases: dict[int, LeaseRow] = {}
        self._held: dict[int, LeaseRow] = {}
        self._held_requests: dict[int, int] = {}
        served = self.settings().get(schema.EXCHANGE) is not None
        kept = served and keep_leases
        self._undone = {} if kept else read_undone(self._cursor)
        for url_id, rid in self._undone.items():
            self.add_request(rid, url_id, 0, PLAIN)
        leases = read_leases(self._cursor)
        if kept:
            self._leases = {lease.url_id: lease for lease in leases}
            return
        for lease in leases:
            self._end(lease)
        if served:
            self.set_setting(schema.EXCHANGE, None)

    @classmethod
    def open(cls, directory: Path | None = None, *, keep_leases: bool = False) -> Store:
        """Open or create the crawl in `directory`; without one it is gone after `close`.

        Whatever a process that died had leased is queued again by the first commit; but what
        was leased to the fetchers of a served crawl stays so where that is wanted.
        Raises StoreBusyError while another process crawls there, StoreForeignError for a file or
        a Scrapy job that is not ours, StoreVersionError for one of another version,
        StoreDamagedError for a broken one; none of them changes anything.
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
                store = cls(path, connection, keep_leases=keep_leases)
            store.temporary = temporary
            store._resources = resources.pop_all()
        return store

    def on_error(self, act: Callable[[StoreError], None]) -> None:
        """Have a function called with every error of the file before that is raised."""
        self._on_error = act

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            self._on_error(error)
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._telling(), reading(self.path):
            yield

    def close(self) -> None:
        """Commit, leave one plain file behind and give the directory free, also when that fails.

        Closing again does nothing.
        """
        if self._closed:
            return
        self._closed = True
        with self._resources:
            self._resources.callback(self.abandon)  # what still runs has nowhere to write to
            if not self.temporary:
                self.commit()
                self._settle()

    def _settle(self) -> None:
        """Bring everything into the one file, unless another one lies in its place by now."""
        if self._presence.lost:
            return
        with self._telling(), sqlite.translated(self.path):
            self._presence.check()
            sqlite.settle(self.path, self._cursor)

    def load(self) -> Loaded:
        """Return the crawl so far as arrays; to be called before anything is added.

        `leases` are those of a process that died: their URLs are QUEUED again, whether they were
        answered or not.
        """
        assert not self._buffer.urls, "a crawl is loaded before it goes on"
        assert not self._buffer.pages, "a crawl is loaded before it goes on"
        with self.reading(), sqlite.snapshot(self._cursor):
            loaded = read_all(self._cursor)
        undone = list(self._undone)
        loaded.states[undone] = State.QUEUED
        new = np.array([*self._undone.values()]), np.array(undone), np.zeros(len(undone))
        both = zip(loaded.pending, new, strict=True)
        pending = PendingRequests(*(np.append(*of).astype(np.int64) for of in both))
        loaded.states[list(self._leases)] = State.LEASED
        died = [lease for lease in loaded.leases if lease.url_id not in self._leases]
        return replace(
            loaded, pending=pending, leases=died, next_rid=loaded.next_rid + len(self._undone)
        )

    @property
    def next_seq(self) -> int:
        """Number of the next answer: how many there are."""
        return self._next_seq

    @property
    def dirty(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self._buffer)

    def add_host(self, name: str) -> int:
        """Return the id of a host, a new one where it is not known yet."""
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
        """Make a URL a seed that was found as something else."""
        assert 0 <= url_id < self._n_urls, "a seed has a row"
        self._buffer.mark_seed(int(url_id))

    def add_request(self, rid: int, url_id: int, priority_class: int, body: bytes | None) -> None:
        """Add a pending request of a URL, which is QUEUED once more when it has been answered."""
        row = (int(rid), int(url_id), int(priority_class), body)
        self._buffer.requests.add(row[0], row)

    def drop_request(self, rid: int) -> None:
        """Delete a pending request."""
        self._buffer.requests.drop(int(rid))

    def lease(self, lease: LeaseRow) -> None:
        """Record that a URL is leased."""
        assert lease.url_id not in self._leases, "a URL has at most one lease"
        assert lease.url_id not in self._held, "an answer that is held has a row of its own"
        self._leases[lease.url_id] = lease
        self._buffer.leases.add(lease.url_id, lease)

    def release(self, url_id: int) -> None:
        """Queue a leased URL again, with its pending request; its attempts are remembered."""
        self._end(self._leases.pop(url_id))

    def _end(self, lease: LeaseRow) -> None:
        """Take a lease back without an answer."""
        self._buffer.leases.drop(lease.url_id)
        self._buffer.attempts.put(lease.url_id, (lease.url_id, lease.attempts))

    def page(self, page: PageRow, *, held: bool = False) -> int:
        """Record an answer and end the URL's lease and pending request, if it was leased.

        With `held` both stay in the file until `let_go`: after a crash before that, the URL is
        to be fetched once more. Returns the answer number, which counts up over the crawl.
        """
        self._answered(page.url_id, held=held)
        seq = self._next_seq
        self._next_seq += 1
        self._buffer.pages.append(page_columns(page, seq))
        return seq

    def revisited(self, url_id: int, *, held: bool) -> None:
        """End the lease of a page that stays as it is: as `page`, without another answer."""
        self._answered(url_id, held=held)

    def _answered(self, url_id: int, *, held: bool) -> None:
        lease = self._leases.pop(url_id, None)
        self._buffer.attempts.drop(url_id)
        if lease is not None:
            if held:
                self._held[lease.url_id] = lease
            else:
                self._forget(lease)

    def _forget(self, lease: LeaseRow) -> None:
        self._buffer.leases.drop(lease.url_id)
        if lease.rid is not None:
            self._buffer.requests.drop(lease.rid)

    def holds(self, url_id: int) -> LeaseRow | None:
        """Return the lease of a URL that was answered and is held, None without one."""
        return self._held.get(int(url_id))

    def hold_as_request(self, url_id: int, rid: int) -> None:
        """Hold an answer by a pending request instead: its URL is to be leased once more."""
        lease = self._held.pop(int(url_id))
        self._held_requests[lease.seq] = int(rid)
        self._buffer.leases.drop(lease.url_id)

    def let_go(self, url_id: int, seq: int) -> None:
        """End what holds the answer to lease number `seq`, if anything does."""
        rid = self._held_requests.pop(seq, None)
        if rid is not None:
            self._buffer.requests.drop(rid)
            return
        lease = self._held.get(int(url_id))
        if lease is not None and lease.seq == seq:
            del self._held[lease.url_id]
            self._forget(lease)

    @property
    def holding(self) -> bool:
        """Whether any answer is held."""
        return bool(self._held or self._held_requests)

    def set_setting(self, key: str, value: object) -> None:
        """Remember something about the crawl that JSON can say."""
        self._buffer.settings.put(key, (key, json.dumps(value)))

    def keep_sample(self, sample: Sample) -> None:
        """Keep the text of a page, in place of what is kept of it."""
        row = (int(sample.url_id), float(sample.relevance), deflated(sample.text))
        self._buffer.samples.put(row[0], row)

    def drop_sample(self, url_id: int) -> None:
        """Keep the text of a page no longer."""
        self._buffer.samples.drop(int(url_id))

    def save_array(self, name: str, epoch: int, array: NDArray[Any]) -> None:
        """Replace the array of that name by a copy of this one, made now."""
        self._buffer.arrays[name] = int(epoch), split(array)

    def commit(self) -> None:
        """Write all of it in one transaction; on an error nothing is written and nothing lost.

        Raises StoreError where the machine refuses or the file is not there any more,
        StoreDamagedError where it is broken.
        """
        if not self.dirty or self._abandoned:
            return
        with self._telling(), sqlite.translated(self.path):
            self._presence.check()
            try:
                self._write(self._buffer.batches())
            except UnicodeEncodeError:
                # A lone surrogate in some URL or title is no reason to lose a crawl.
                self._write(encodable(batch) for batch in self._buffer.batches())
        self._url_rows.clear()
        self._buffer = WriteBuffer()

    def commit_leases(self) -> None:
        """Commit what must be in the file before a request leaves.

        That is everything, where the crawl can go on after its process; a temporary one ends with
        it, and is written only so that the buffer stays small.
        """
        if not self.temporary or len(self._buffer.urls) + len(self._buffer.pages) >= _MANY_ROWS:
            self.commit()

    def abandon(self) -> None:
        """Commit nothing any more: what came since the last commit is to be fetched again."""
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
        rows = {one: buffered(one) or kept.get(one) for one in wanted}
        missing = [one for one, row in rows.items() if row is None]
        if missing:
            kept |= super().fetch_urls(missing)
            rows |= {one: kept.get(one) for one in missing}
        return {one: row for one, row in rows.items() if row is not None}

    def request_body(self, rid: int) -> bytes | None:
        """Return a pending request as it was serialised; None without one."""
        row = self._buffer.requests.rows.get(rid)
        if row is not None:
            return row[3]  # type: ignore[no-any-return]  # the body
        return None if rid in self._buffer.requests.gone else super().request_body(rid)

    def robots(self, origin: str) -> RobotsRow | None:
        row = self._buffer.robots.rows.get(origin)
        return super().robots(origin) if row is None else RobotsRow(*row)

    def revisit(self, url_id: int) -> RevisitRow | None:
        row = self._buffer.revisits.rows.get(url_id)
        return super().revisit(url_id) if row is None else RevisitRow(*row)

    def leases(self) -> list[LeaseRow]:
        """Return what is leased, in that order."""
        return list(self._leases.values())

    def hosts(self) -> list[str]:
        """Return the host names by id."""
        return list(self._host_ids)

    def settings(self) -> dict[str, Any]:
        """Return what the crawl remembers about itself."""
        new = self._buffer.settings.rows.values()
        return super().settings() | {key: json.loads(value) for key, value in new}

    def load_array(self, name: str) -> tuple[int, NDArray[Any]] | None:
        """Return the epoch and the array stored under a name, or None."""
        if name not in self._buffer.arrays:
            return super().load_array(name)
        epoch, chunks = self._buffer.arrays[name]
        return epoch, joined(chunks)
