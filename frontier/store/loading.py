"""A whole crawl as arrays.

URLs and answers are read from copies of their numbers (`row_groups`), the other tables in portions
of rows, so that no row is in memory twice: a million URLs take tenths of a second. Checked are ids
without gaps, hosts and link targets that exist, as many predictions and flags as links.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.records import LinkArrays
from frontier.states import State
from frontier.store import statements
from frontier.store.row_groups import AnswerNumbers, read_linking_answers, read_urls
from frontier.store.rows import LeaseRow, plain, typed

_PORTION = 8192


class InconsistentError(ValueError):
    """The rows contradict each other; the opener raises StoreDamagedError from it."""


def require(condition: bool | np.bool_, what: str) -> None:  # noqa: FBT001  # an assertion
    """Raise InconsistentError where a condition is false."""
    if not condition:
        raise InconsistentError(f"{what} do not fit together")


def portions(cursor: sqlite3.Cursor, statement: str) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Yield the columns of some thousand rows at a time."""
    cursor.execute(statement)
    while rows := cursor.fetchmany(_PORTION):
        yield tuple(zip(*rows, strict=True))


def columns(
    cursor: sqlite3.Cursor, statement: str, *types: type[np.generic]
) -> tuple[NDArray[Any], ...]:
    """Return the columns of all rows as arrays of these types; a null is NaN."""
    parts: list[list[NDArray[Any]]] = [[np.empty(0, kind)] for kind in types]
    for portion in portions(cursor, statement):
        for of_column, kind, values in zip(parts, types, portion, strict=True):
            of_column.append(np.array(values, kind))
    return tuple(np.concatenate(parts.pop(0)) for _ in types)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedPages:
    """The m pages of the link graph by their last answer, in the order of these answers.

    The links of page i are `indptr[i]:indptr[i + 1]` of the three arrays of `links`.
    """

    ids: NDArray[np.int32]
    relevance: NDArray[np.float64]
    """NaN where a page was not judged."""
    indptr: NDArray[np.int64]
    links: LinkArrays


class PendingRequests(NamedTuple):
    """Pending requests, oldest first."""

    rids: NDArray[np.int64]
    ids: NDArray[np.int64]
    """Ids of their URLs."""
    classes: NDArray[np.int64]

    @property
    def next_of_each(self) -> PendingRequests:
        """The first request of each URL."""
        first = np.unique(self.ids, return_index=True)[1]
        return PendingRequests._make(column[first] for column in self)


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """All that a resumed crawl needs in memory; n URLs, indexed by id."""

    fingerprints: NDArray[np.int64]
    hosts: NDArray[np.int32]
    depths: NDArray[np.int32]
    seeds: NDArray[np.bool_]
    states: NDArray[np.uint8]
    marks: NDArray[np.uint16]
    """Bits of `Mark`, as `twins` of the last answer that has links or marks."""
    twins: NDArray[np.int32]
    """Id of the page that a page repeats or names as canonical, -1 without."""
    host_names: list[str]
    pages: LoadedPages
    pending: PendingRequests
    leases: list[LeaseRow]
    """In the order of lease. For a resumed crawl: the leases of the process that died."""
    attempts: dict[int, int]
    """URL id -> leases so far, of URLs that were leased and not answered."""
    next_rid: int
    next_seq: int
    next_lease_number: int

    @property
    def requests(self) -> dict[int, list[tuple[int, int]]]:
        """URL id -> (rid, class) of its pending requests, oldest first."""
        by_url: dict[int, list[tuple[int, int]]] = {}
        for rid, url_id, priority_class in zip(*map(np.ndarray.tolist, self.pending), strict=True):
            by_url.setdefault(url_id, []).append((rid, priority_class))
        return by_url


def read_hosts(cursor: sqlite3.Cursor) -> list[str]:
    """Return the host names by id."""
    rows = cursor.execute(statements.ALL_HOSTS).fetchall()
    names = [name for _, name in rows]
    # One comparison: there may be a hundred thousand hosts.
    require([number for number, _ in rows] == list(range(len(rows))), "host ids")
    require({*map(type, names)} <= {str}, "names of hosts")
    return names


def read_leases(cursor: sqlite3.Cursor) -> list[LeaseRow]:
    """Return the leases in the order of lease."""
    return [typed(LeaseRow, row) for row in cursor.execute(statements.ALL_LEASES)]


def read_undone(cursor: sqlite3.Cursor) -> dict[int, int]:
    """Return the leased URLs that were answered and have no request, each with a free `rid`.

    Their items were not through the pipelines when the process died: they are to be fetched again,
    which takes a request, since a page without a request is not fetched again.
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
    """Return how many URLs are stored, without reading the whole table."""
    return _last(cursor, statements.LAST_URL) + 1


def count_answers(cursor: sqlite3.Cursor) -> int:
    """Return how many answers are stored."""
    return _last(cursor, statements.LAST_PAGE) + 1


def _last(cursor: sqlite3.Cursor, statement: str) -> int:
    last = cursor.execute(statement).fetchone()[0]
    return -1 if last is None else int(last)


def read_all(cursor: sqlite3.Cursor, requests: str = statements.ALL_REQUESTS) -> Loaded:
    """Read the crawl, with the requests that a statement selects.

    A leased URL gets the state that it has without its lease.

    Raises InconsistentError, and sqlite3.DatabaseError where the file itself is broken.
    """
    names = read_hosts(cursor)
    urls = read_urls(cursor)
    hosts = urls.hosts
    n = len(hosts)
    require(n == count_urls(cursor), "URL ids")
    answers, links = read_linking_answers(cursor)
    require(len(answers.ids) == count_answers(cursor), "answer numbers")
    states, marks, twins = last_of_each(answers, n)
    pending = PendingRequests(*columns(cursor, requests, np.int64, np.int64, np.int64))
    ids = pending.ids
    require(ids.min(initial=0) >= 0 and ids.max(initial=-1) < n, "requests and URLs")
    states[ids] = State.QUEUED
    leases = read_leases(cursor)
    rows = cursor.execute(statements.ALL_ATTEMPTS)
    attempts: dict[int, int] = dict(plain(row, int, int) for row in rows)
    attempts.update((lease.url_id, lease.attempts) for lease in leases)
    require(all(0 <= url_id < n for url_id in attempts), "leases and URLs")
    require(n == 0 or (hosts.min() >= 0 and hosts.max() < len(names)), "hosts")
    rids = [lease.rid for lease in leases if lease.rid is not None]
    numbers = [lease.seq for lease in leases]
    return Loaded(
        fingerprints=urls.fingerprints,
        hosts=hosts,
        depths=urls.depths,
        seeds=urls.seeds,
        states=states,
        marks=marks,
        twins=twins,
        host_names=names,
        pages=_linking_pages(answers, links, n),
        pending=pending,
        leases=leases,
        attempts=attempts,
        next_rid=1 + max(int(pending.rids.max(initial=-1)), *rids, -1),
        next_seq=len(answers.ids),
        next_lease_number=1 + max(int(answers.lease_numbers.max(initial=-1)), *numbers, -1),
    )


def last_of_each(
    answers: AnswerNumbers, n_urls: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint16], NDArray[np.int32]]:
    """Return states, marks and twins of URLs as in `Loaded`, by their last answers alone."""
    ids, twins = answers.ids, answers.twins
    require(ids.min(initial=0) >= 0 and ids.max(initial=-1) < n_urls, "pages and URLs")
    require(twins.min(initial=0) >= -1 and twins.max(initial=-1) < n_urls, "twins and URLs")
    states = np.full(n_urls, State.QUEUED, dtype=np.uint8)
    marks_of, twin_of = np.zeros(n_urls, np.uint16), np.full(n_urls, -1, np.int32)
    # Of repeated indices NumPy keeps the last value: the latest answer, since rows ascend.
    states[ids] = answers.states
    # A page that could not be fetched again stays what it was.
    of_page = answers.linking | (answers.marks != 0)
    marks_of[ids[of_page]] = answers.marks[of_page]
    twin_of[ids[of_page]] = twins[of_page]
    return states, marks_of, twin_of


def _linking_pages(answers: AnswerNumbers, links: LinkArrays, n_urls: int) -> LoadedPages:
    targets = links.targets
    require(targets.min(initial=0) >= 0 and targets.max(initial=-1) < n_urls, "links and URLs")
    lengths = answers.lengths.clip(0)
    # A page that could not be fetched again keeps the links it had.
    kept = answers.linking.copy()
    kept[answers.linking] = _is_last(answers.ids[answers.linking])
    if not kept[answers.linking].all():
        of_kept = np.repeat(kept, lengths)
        links = LinkArrays(targets[of_kept], links.predicted[of_kept], links.flags[of_kept])
    indptr = np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64)
    return LoadedPages(answers.ids[kept], answers.relevance[kept], indptr, links)


def _is_last(ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return bool[len(ids)]: whether the id does not occur again further on."""
    last = np.zeros(len(ids), dtype=np.bool_)
    _, from_end = np.unique(ids[::-1], return_index=True)
    last[len(ids) - 1 - from_end] = True
    return last
