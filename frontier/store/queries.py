"""Queries on a crawl's file, for the process that writes it and for inspection.

Every method is one short read transaction, because a lingering reader keeps the crawl's WAL from
shrinking; the iterators therefore read in portions and may see URLs that are added while they run.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from frontier.records import HostPause, PageRow, RevisitRow, RobotsRow, Sample
from frontier.states import State
from frontier.store import statements
from frontier.store.blobs import inflated, joined
from frontier.store.loading import Loaded, columns, read_all, read_hosts
from frontier.store.loading import count_urls as _count_urls
from frontier.store.loading import read_leases as _read_leases
from frontier.store.open import reading
from frontier.store.row_groups import read_answers, read_urls
from frontier.store.rows import (
    LeaseRow,
    PolitenessRow,
    RefusalRow,
    RevisitColumns,
    Row,
    SnapshotRow,
    UrlRow,
    page_of_columns,
    plain,
    typed,
    update_of_columns,
)
from frontier.store.sqlite import snapshot

_BATCH = 1000
_Value = TypeVar("_Value")


class Queries:
    """Queries over an open connection."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._cursor = connection.cursor()

    def reading(self) -> AbstractContextManager[None]:
        """Return the context in which stored values are read: what fails in it is damage."""
        return reading(self.path)

    def _rows(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self.reading():
            return self._cursor.execute(statement, parameters).fetchall()

    def _typed(self, kind: type[Row], rows: Iterable[tuple[Any, ...]]) -> list[Row]:
        with self.reading():
            return [typed(kind, row) for row in rows]

    def count_urls(self) -> int:
        """Return how many URLs are stored."""
        with self.reading():
            return _count_urls(self._cursor)

    def url_row(self, url_id: int) -> UrlRow | None:
        """Return the row of a URL; None where it does not exist."""
        return self.fetch_urls([url_id]).get(url_id)

    def fetch_urls(self, ids: Iterable[int]) -> dict[int, UrlRow]:
        """Return the rows of the ids that exist, in the order of the ids."""
        wanted, rows = list(ids), []
        for at in range(0, len(wanted), statements.IDS_AT_ONCE):
            some = wanted[at : at + statements.IDS_AT_ONCE]
            again = [some[-1]] * (statements.IDS_AT_ONCE - len(some))
            rows += self._rows(statements.URLS, *some, *again)
        by_id = {row.url_id: row for row in self._typed(UrlRow, rows)}
        return {url_id: by_id[url_id] for url_id in wanted if url_id in by_id}

    def urls_of(self, ids: Iterable[int]) -> list[str]:
        """Return the URL of each id; KeyError for one that does not exist."""
        wanted = list(ids)
        rows = self.fetch_urls(wanted)
        return [rows[url_id].url for url_id in wanted]

    def urls_in(self, ids: range) -> list[str]:
        """Return the URLs of successive ids, as of the last commit."""
        return self._values_in(statements.URLS_IN, ids, str)

    def zones_in(self, ids: range) -> list[int]:
        """Return the zones of the links to successive ids, as of the last commit."""
        return self._values_in(statements.ZONES_IN, ids, int)

    def _values_in(self, statement: str, ids: range, kind: type[_Value]) -> list[_Value]:
        values = [
            value for rows in self._ranges(statement, ids.start, ids.stop) for (value,) in rows
        ]
        with self.reading():
            for other in {*map(type, values)} - {kind}:
                raise ValueError(f"a column holds a {other.__name__}")
        return values

    def page_row(self, url_id: int) -> PageRow | None:
        """Return the latest answer of a URL."""
        rows = self._rows(statements.PAGE_OF_URL, url_id)
        return self._page(rows[0]) if rows else None

    def last_state(self, url_id: int) -> State | None:
        """Return the state of the latest answer of a URL; None where there is no answer."""
        rows = self._rows(statements.FETCH_OF_URL, url_id)
        with self.reading():
            return State(rows[0][0]) if rows else None

    def fetched_at(self, url_id: int) -> float | None:
        """Return the time of the latest answer of a URL in Unix seconds; None if it is no page."""
        rows = self._rows(statements.FETCH_OF_URL, url_id)
        with self.reading():
            answers = [plain(row, int, float) for row in rows]
        return answers[0][1] if answers and answers[0][0] == State.CRAWLED else None

    def _page(self, row: tuple[Any, ...]) -> PageRow:
        with self.reading():
            return page_of_columns(row)

    def request_body(self, rid: int) -> bytes | None:
        """Return a pending request as it was serialised; None without one."""
        rows = self._rows(statements.REQUEST_BODY, rid)
        with self.reading():
            body: bytes | None = plain(rows[0], bytes | None)[0] if rows else None
        return body

    def leases(self) -> list[LeaseRow]:
        """Return the leases in their order."""
        with self.reading():
            return _read_leases(self._cursor)

    def hosts(self) -> list[str]:
        """Return the host names by id."""
        with self.reading():
            return read_hosts(self._cursor)

    def settings(self) -> dict[str, Any]:
        """Return the settings that the crawl has stored."""
        with self.reading():
            return {key: json.loads(value) for key, value in self._rows(statements.ALL_SETTINGS)}

    def load_array(self, name: str) -> tuple[int, NDArray[Any]] | None:
        """Return the epoch and the array stored under a name, or None."""
        rows = self._rows(statements.ARRAY, name)
        if not rows:
            return None
        with self.reading():
            epochs, chunks = zip(*(plain(row, int, bytes) for row in rows), strict=True)
            return epochs[0], joined(chunks)

    def saved_arrays(self, names: str) -> tuple[dict[str, NDArray[Any]], int]:
        """Return the arrays that the setting `names` lists, all of one moment, and their epoch.

        The key of an array is `names` followed by its name.
        """
        arrays: dict[str, NDArray[Any]] = {}
        epoch = 0
        with self.reading(), snapshot(self._cursor):
            for name in self.settings().get(names, []):
                array = self.load_array(names + name)
                if array is None:
                    raise ValueError(f"the array {names + name!r} is missing")
                epoch, arrays[name] = array
        return arrays, epoch

    def last_epoch(self) -> int:
        """Return the last epoch of scores that were saved, 0 before the first."""
        with self.reading():
            return max((int(epoch) for _, epoch in self._rows(statements.SAVED_SCORES)), default=0)

    def updates(self, first: int, before: int) -> Iterator[PageRow]:
        """Yield the records of the link graph from number `first` on, in their order.

        Of the first `before` answers, including those that a later answer replaced.
        """
        with self.reading(), snapshot(self._cursor):
            linking = np.flatnonzero(read_answers(self._cursor).linking)
        start = int(linking[first]) if first < len(linking) else before
        for portion in self._ranges(statements.UPDATE_RANGE, start, before):
            with self.reading():
                updates = [update_of_columns(row) for row in portion]
            yield from updates

    def _ranges(self, statement: str, start: int, end: int) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows with keys from `start` to below `end`, in portions."""
        for first in range(start, end, _BATCH):
            yield self._rows(statement, first, min(first + _BATCH, end) - 1)

    def samples(self) -> list[Sample]:
        """Return the pages whose text is kept, by id."""
        with self.reading():
            return [
                typed(Sample, (url_id, relevance, inflated(text)))
                for url_id, relevance, text in self._rows(statements.ALL_SAMPLES)
            ]

    def sampled_relevance(self) -> dict[int, float]:
        """Return the relevance of the pages whose text is kept, by id, without reading the text."""
        with self.reading():
            return dict(plain(row, int, float) for row in self._rows(statements.SAMPLED_RELEVANCE))

    def error_counts(self, *states: State) -> dict[str, int]:
        """Return how many URLs ended in one of these states by reason, the most frequent first.

        Without states: in any state, including pages with a note that they were cut.
        """
        counts: Counter[str] = Counter()
        for state, error, count in self._rows(statements.ERROR_COUNTS):
            if error and (state in states or not states):
                counts[error] += count
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def robots(self, origin: str) -> RobotsRow | None:
        """Return what is known of an origin's robots.txt, in a running store also uncommitted."""
        rows = self._typed(RobotsRow, self._rows(statements.ROBOTS, origin))
        return rows[0] if rows else None

    def signatures(self) -> Iterator[tuple[int, bytes]]:
        """Yield the id and the signature of each page that has one, by id."""
        last = -1
        while rows := self._rows(statements.SIGNATURES_AFTER, last):
            with self.reading():
                signed: list[tuple[int, bytes]] = [plain(row, int, bytes) for row in rows]
            yield from signed
            last = rows[-1][0]

    def revisit(self, url_id: int) -> RevisitRow | None:
        """Return the results of a page's revisits, in a running store also uncommitted."""
        rows = self._typed(RevisitRow, self._rows(statements.REVISIT, url_id))
        return rows[0] if rows else None

    def revisits(self) -> Iterator[RevisitRow]:
        """Yield the results of all pages' revisits, by id."""
        last = -1
        while rows := self._rows(statements.REVISITS_AFTER, last):
            yield from self._typed(RevisitRow, rows)
            last = rows[-1][0]

    def revisit_columns(self) -> RevisitColumns:
        """Return the results of all pages' revisits as arrays."""
        types = (
            np.int64,
            np.float64,
            np.float64,
            np.int64,
            np.int64,
            np.float64,
            np.uint8,
            np.float64,
            np.bool_,
        )
        with self.reading(), snapshot(self._cursor):
            return RevisitColumns(*columns(self._cursor, statements.REVISIT_COLUMNS, *types))

    def fetch_times(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Return id, time in Unix seconds, and marks of all answers that were pages, in order."""
        with self.reading(), snapshot(self._cursor):
            answers = read_answers(self._cursor)
        pages = answers.states == State.CRAWLED
        ids, marks = answers.ids[pages].astype(np.int64), answers.marks[pages].astype(np.int64)
        return ids, answers.fetched[pages], marks

    def renderings(self) -> list[tuple[int, str, str]]:
        """Return id, URL and note of the pages that a browser might show, in order."""
        return self._rows(statements.RENDERINGS)

    def folder_keys(self) -> NDArray[np.uint32]:
        """Return the `folder_places` of all URLs, by id."""
        with self.reading(), snapshot(self._cursor):
            return read_urls(self._cursor).folders

    def refusals(self) -> list[RefusalRow]:
        """Return the counts of refused links, by reason and domain."""
        return self._typed(RefusalRow, self._rows(statements.ALL_REFUSALS))

    def politeness(self) -> list[PolitenessRow]:
        """Return the pauses and delays of slots, by slot."""
        return self._typed(PolitenessRow, self._rows(statements.ALL_POLITENESS))

    def pauses(self) -> list[HostPause]:
        """Return the pauses that hosts still need, by slot."""
        now = time.time()
        rests = ((row, max(0.0, (row.until or 0.0) - now)) for row in self.politeness())
        return [
            HostPause(row.slot, seconds, row.delay or 0.0, row.note or "")
            for row, seconds in rests
            if seconds or row.delay
        ]

    def snapshots(self, after: int = -1) -> list[SnapshotRow]:
        """Return the snapshots with larger numbers, oldest first."""
        return self._typed(SnapshotRow, self._rows(statements.SNAPSHOTS_AFTER, after))

    def load(self) -> Loaded:
        """Return the whole crawl as arrays; StoreDamagedError where it contradicts itself."""
        return self._load(statements.ALL_REQUESTS)

    def _load(self, requests: str) -> Loaded:
        with self.reading(), snapshot(self._cursor):
            loaded = read_all(self._cursor, requests)
        loaded.states[[lease.url_id for lease in loaded.leases]] = State.LEASED
        return loaded
