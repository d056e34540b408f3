"""A whole crawl as arrays, in one pass over each table.

Rows leave the cursor in portions, so that no row is alive twice, and each portion becomes a few
NumPy arrays: a million URLs take seconds. The blobs of the links are joined before they are decoded
once. What one pass can check is checked: ids without gaps, hosts and link targets that exist, as
many predicted and flags as links.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontier.records import LinkArrays
from frontier.states import State
from frontier.store import statements
from frontier.store.rows import LeaseRow, links_of_blobs, plain, typed

_PORTION = 8192
_BLOBS = 3


class InconsistentError(ValueError):
    """The rows contradict each other; the opener says so as StoreDamagedError."""


def require(condition: bool | np.bool_, what: str) -> None:  # noqa: FBT001  # an assertion
    """Raise InconsistentError where a condition does not hold."""
    if not condition:
        raise InconsistentError(f"{what} do not fit together")


def portions(cursor: sqlite3.Cursor, statement: str) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Yield the columns of a few thousand rows at a time."""
    cursor.execute(statement)
    while rows := cursor.fetchmany(_PORTION):
        yield tuple(zip(*rows, strict=True))


def columns(
    cursor: sqlite3.Cursor, statement: str, *types: type[np.generic]
) -> tuple[NDArray[Any], ...]:
    """Return the columns of all rows as arrays of these types; a null is NaN."""
    found: list[list[NDArray[Any]]] = [[np.empty(0, one)] for one in types]
    for portion in portions(cursor, statement):
        for parts, kind, column in zip(found, types, portion, strict=True):
            parts.append(np.array(column, kind))
    return tuple(np.concatenate(found.pop(0)) for _ in types)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedPages:
    """The m pages of the link graph by their last answer, in the order of these answers.

    The links of page i are `indptr[i]:indptr[i + 1]` of the three arrays of `links`.
    """

    ids: NDArray[np.int32]
    relevance: NDArray[np.float64]
    """NaN where it was not judged."""
    indptr: NDArray[np.int64]
    links: LinkArrays


@dataclass(frozen=True, slots=True, eq=False)
class LoadedAnswers:
    """States uint8, marks uint16 and twins int32 of n URLs, as in `Loaded`, and the pages."""

    states: NDArray[np.uint8]
    marks: NDArray[np.uint16]
    twins: NDArray[np.int32]
    pages: LoadedPages
    last_seq: int
    last_handout: int


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """All that a crawl needs in memory to go on; n URLs, indexed by their id."""

    fingerprints: NDArray[np.int64]
    hosts: NDArray[np.int32]
    depths: NDArray[np.int32]
    seeds: NDArray[np.bool_]
    states: NDArray[np.uint8]
    marks: NDArray[np.uint16]
    """Bits of `Mark`, as the next one of the last answer that has links or marks."""
    twins: NDArray[np.int32]
    """Id of the page that it repeats or names as the one to keep, -1 without one."""
    host_names: list[str]
    pages: LoadedPages
    requests: dict[int, list[tuple[int, int]]]
    """URL id -> (rid, class) of its pending requests, oldest first."""
    leases: list[LeaseRow]
    """In the order of hand-out. For a crawl that goes on: those of the process that died."""
    attempts: dict[int, int]
    """URL id -> hand-outs so far, for those that were handed out and not answered."""
    next_rid: int
    next_seq: int
    next_handout: int


def read_hosts(cursor: sqlite3.Cursor) -> list[str]:
    """Return the host names by id."""
    rows = [plain(row, int, str) for row in cursor.execute(statements.ALL_HOSTS)]
    if [number for number, _ in rows] != list(range(len(rows))):
        raise InconsistentError("host ids have gaps")
    return [name for _, name in rows]


def read_leases(cursor: sqlite3.Cursor) -> list[LeaseRow]:
    """Return the leases in the order of hand-out."""
    return [typed(LeaseRow, row) for row in cursor.execute(statements.ALL_LEASES)]


def read_undone(cursor: sqlite3.Cursor) -> dict[int, int]:
    """Return the leased URLs that were answered and have no request, each with a free `rid`.

    What was made of the answer was not done when the process died: they are to be fetched again,
    and a page and no request would say that they are not.
    """
    leases = read_leases(cursor)
    undone = [
        lease.url_id
        for lease in leases
        if lease.rid is None and cursor.execute(statements.PAGE_OF_URL, (lease.url_id,)).fetchone()
    ]
    leased = max((lease.rid for lease in leases if lease.rid is not None), default=-1)
    free = 1 + max(leased, _last(cursor, statements.LAST_REQUEST))
    return {url_id: free + number for number, url_id in enumerate(undone)}


def count_urls(cursor: sqlite3.Cursor) -> int:
    """Return how many URLs are stored; counting them would read the whole table."""
    return _last(cursor, statements.LAST_URL) + 1


def count_answers(cursor: sqlite3.Cursor) -> int:
    """Return how many answers are stored."""
    return _last(cursor, statements.LAST_PAGE) + 1


def _last(cursor: sqlite3.Cursor, statement: str) -> int:
    last = cursor.execute(statement).fetchone()[0]
    return -1 if last is None else int(last)


def read_all(cursor: sqlite3.Cursor) -> Loaded:
    """Read the crawl; a leased URL has the state it had without its lease.

    Raises InconsistentError, and sqlite3.DatabaseError where the file itself is broken.
    """
    names = read_hosts(cursor)
    types = np.int64, np.int32, np.int32, np.bool_
    fingerprints, hosts, depths, seeds = columns(cursor, statements.ALL_URLS, *types)
    n = len(hosts)
    require(n == count_urls(cursor), "URL ids")
    answers = read_answers(cursor, n)
    requests = _read_requests(cursor, answers.states)
    leases = read_leases(cursor)
    handed = cursor.execute(statements.ALL_ATTEMPTS)
    attempts: dict[int, int] = dict(plain(row, int, int) for row in handed)
    attempts.update((lease.url_id, lease.attempts) for lease in leases)
    require(all(0 <= url_id < n for url_id in attempts), "leases and URLs")
    require(n == 0 or (hosts.min() >= 0 and hosts.max() < len(names)), "hosts")
    rids = [rid for of_url in requests.values() for rid, _ in of_url]
    return Loaded(
        fingerprints=fingerprints,
        hosts=hosts,
        depths=depths,
        seeds=seeds,
        states=answers.states,
        marks=answers.marks,
        twins=answers.twins,
        host_names=names,
        pages=answers.pages,
        requests=requests,
        leases=leases,
        attempts=attempts,
        next_rid=1
        + max(rids + [lease.rid for lease in leases if lease.rid is not None], default=-1),
        next_seq=answers.last_seq + 1,
        next_handout=1 + max([answers.last_handout, *(lease.seq for lease in leases)]),
    )


def _read_requests(
    cursor: sqlite3.Cursor, states: NDArray[np.uint8]
) -> dict[int, list[tuple[int, int]]]:
    """Return the pending requests of each URL, and mark these URLs as QUEUED."""
    pending: dict[int, list[tuple[int, int]]] = {}
    for row in cursor.execute(statements.ALL_REQUESTS):
        rid, url_id, priority_class = plain(row, int, int, int)
        pending.setdefault(url_id, []).append((rid, priority_class))
        require(0 <= url_id < len(states), "requests and URLs")
        states[url_id] = State.QUEUED
    return pending


def read_answers(cursor: sqlite3.Cursor, n_urls: int) -> LoadedAnswers:
    """Read all answers and the links of their pages."""
    return _Reading(n_urls).run(cursor)


class _Reading:
    """One pass over the answers, of which a later one of the same URL replaces the earlier."""

    def __init__(self, n_urls: int) -> None:
        self._states = np.full(n_urls, State.QUEUED, dtype=np.uint8)
        self._marks = np.zeros(n_urls, dtype=np.uint16)
        self._twins = np.full(n_urls, -1, dtype=np.int32)
        self._last_seq = self._last_handout = -1
        self._ids: list[NDArray[np.int32]] = []
        self._relevance: list[NDArray[np.float64]] = []
        self._in_graph: list[NDArray[np.bool_]] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._blobs = tuple(bytearray() for _ in range(_BLOBS))

    def run(self, cursor: sqlite3.Cursor) -> LoadedAnswers:
        for columns in portions(cursor, statements.ALL_PAGES):
            self._take(*columns)
        of_urls = self._states, self._marks, self._twins
        return LoadedAnswers(*of_urls, self._pages(), self._last_seq, self._last_handout)

    def _take(
        self,
        seqs: Any,
        ids: Any,
        states: Any,
        handouts: Any,
        relevance: Any,
        marks: Any,
        twins: Any,
        linking: Any,
        *blobs: Any,
    ) -> None:
        rows = np.array(ids, dtype=np.int64)
        require(rows.min() >= 0 and rows.max() < len(self._states), "pages and URLs")
        # Of repeated indices NumPy keeps the last value: the latest answer, as rows ascend.
        self._states[rows] = states
        self._last_seq = seqs[-1]
        self._last_handout = max(self._last_handout, *(-1 if h is None else h for h in handouts))
        self._ids.append(rows.astype(np.int32))
        self._relevance.append(np.array(relevance, dtype=np.float64))
        in_graph = np.array(linking, dtype=np.bool_)
        self._mark(rows, in_graph, np.array(marks, dtype=np.int64), twins)
        self._in_graph.append(in_graph)
        self._lengths.append(np.array([len(blob or b"") for blob in blobs[0]]) // 4)
        for joined, parts in zip(self._blobs, blobs, strict=True):
            joined += b"".join([part for part in parts if part])

    def _mark(
        self,
        rows: NDArray[np.int64],
        in_graph: NDArray[np.bool_],
        marks: NDArray[np.int64],
        twins: Any,
    ) -> None:
        numbers = np.array([-1 if twin is None else twin for twin in twins], dtype=np.int64)
        require(numbers.min() >= -1 and numbers.max() < len(self._twins), "twins and URLs")
        require(marks.min() >= 0 and marks.max() <= np.iinfo(np.uint16).max, "marks")
        # A page that could not be fetched again stays what it was.
        of_page = in_graph | (marks != 0)
        self._marks[rows[of_page]] = marks[of_page]
        self._twins[rows[of_page]] = numbers[of_page]

    def _pages(self) -> LoadedPages:
        ids = np.concatenate([np.empty(0, np.int32), *self._ids])
        relevance = np.concatenate([np.empty(0), *self._relevance])
        in_graph = np.concatenate([np.empty(0, np.bool_), *self._in_graph])
        lengths = np.concatenate([np.empty(0, np.int64), *self._lengths])
        links = self._links(int(lengths.sum()))
        # A page that could not be fetched again keeps the links it had.
        kept = in_graph.copy()
        kept[in_graph] = _is_last(ids[in_graph])
        if not kept[in_graph].all():
            of_kept = np.repeat(kept, lengths)
            links = LinkArrays(
                links.targets[of_kept], links.predicted[of_kept], links.flags[of_kept]
            )
        indptr = np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64)
        return LoadedPages(ids[kept], relevance[kept], indptr, links)

    def _links(self, expected: int) -> LinkArrays:
        sizes = [len(blob) for blob in self._blobs]
        require(sizes == [4 * expected, 2 * expected, expected], "link records")
        targets, predicted, flags = (bytes(blob) for blob in self._blobs)
        links = links_of_blobs(targets, predicted, flags)
        require(
            expected == 0 or (links.targets.min() >= 0 and links.targets.max() < len(self._states)),
            "links and URLs",
        )
        return links


def _is_last(ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return bool[len(ids)]: whether the id does not occur again further on."""
    last = np.zeros(len(ids), dtype=np.bool_)
    _, from_end = np.unique(ids[::-1], return_index=True)
    last[len(ids) - 1 - from_end] = True
    return last
