"""A whole crawl as arrays, in one pass over each table.

Rows leave the cursor in portions, and each portion becomes a few NumPy arrays: a million URLs take
seconds. What one pass can check is checked: ids without gaps, hosts and link targets that exist,
as many promises and flags as links.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frontier.states import State
from frontier.store import statements
from frontier.store.answers import LoadedPages, read_answers
from frontier.store.portions import InconsistentError, columns, require
from frontier.store.rows import LeaseRow, plain, typed


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
    types = np.int32, np.int64, np.int32, np.int32, np.bool_
    ids, fingerprints, hosts, depths, seeds = columns(cursor, statements.ALL_URLS, *types)
    n = len(ids)
    require(np.array_equal(ids, np.arange(n)), "URL ids")
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
