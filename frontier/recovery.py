"""What of a crawl's file is intact, and a new crawl made of the rows that SQLite still reads.

`check` runs SQLite's own integrity check, looks at the type of every value, and asks for what
contradicts docs/store.md. `salvage` copies URLs, answers and requests row by row: URLs keep their
order and lose their gaps, links to a URL that is lost are left out, and a page whose row or links
cannot be read is no page any more, so that its URL is queued and fetched again. What a crawl has
made of its pages and hosts (scores, budgets, the topic model, robots.txt) is made again.
"""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontier.errors import StoreDamagedError, StoreForeignError
from frontier.records import LinkArrays, PageRow, RevisitRow
from frontier.refresh.changes import past_revisits
from frontier.states import Change
from frontier.store import row_groups, schema, sqlite
from frontier.store.blobs import joined
from frontier.store.fingerprints import FingerprintIndex
from frontier.store.lock import DirectoryLock
from frontier.store.open import FILE_NAME, NONSENSE, file_of
from frontier.store.rows import PLAIN, UrlRow, check_page, page_columns, page_of_columns, typed
from frontier.store.store import Store
from frontier.urls.canonical import slot_of
from frontier.urls.rules import UrlRules
from ranking.arrays import Column

_PROBLEMS = 5
"""Problems of a kind that are named one by one."""
_MISSES = 100_000
"""Successive keys that cannot be read before the rest of a table is given up: more than the rows
below any one page that leads to others."""
_LEAST_ROW = 16
"""Bytes of the smallest row: ids that a file of its size cannot hold are damage."""
_BROKEN = (*NONSENSE, AssertionError, sqlite3.DatabaseError)

_COPIED = {
    schema.IDENTITY: dict,
    schema.URL_RULES: dict,
    schema.EXAMPLES: list,
    schema.NOT_EXAMPLES: list,
    schema.LABELLED: dict,
}
"""Settings that are copied: what the crawl was asked to do, and the texts that people gave."""
_STORED_AS = {"TEXT": ("text",), "BLOB": ("blob",), "FLOAT": ("real", "integer")}
"""Type of a column -> SQLite's names for what it holds; in the others there are integers."""
_GAPS = "SELECT {0} FROM {1} WHERE {0} AND {0} - 1 NOT IN (SELECT {0} FROM {1})"
_LOST = "SELECT {0} FROM {1} WHERE {2} NOT IN (SELECT id FROM {3})"
_CONTRADICTIONS = {
    "URL ids are dense from 0": _GAPS.format("id", "urls"),
    "answer numbers are dense from 0": _GAPS.format("seq", "pages"),
    "host ids are dense from 0": _GAPS.format("id", "hosts"),
    "a fingerprint has one row": "SELECT max(id) FROM urls GROUP BY fp HAVING count(*) > 1",
    "hosts of URLs exist": _LOST.format("id", "urls", "host", "hosts"),
    "referrers of URLs exist": _LOST.format("id", "urls", "referrer", "urls"),
    "states of answers exist": "SELECT seq FROM pages WHERE state NOT BETWEEN 3 AND 8",
    "answers belong to URLs": _LOST.format("seq", "pages", "id", "urls"),
    "twins of pages exist": _LOST.format("seq", "pages", "twin", "urls"),
    **{
        f"{table} belong to URLs": _LOST.format("id", table, "id", "urls")
        for table in ("leases", "requests", "attempts", "samples", "signatures", "revisits")
    },
    "settings are JSON": "SELECT key FROM crawl WHERE NOT json_valid(value)",
}
"""What must hold -> a query for the keys of the rows that contradict it."""


@dataclass(frozen=True)
class Finding:
    """A thing that was checked, whether it is as it must be, and the problems or the size of it."""

    what: str
    intact: bool
    details: str


@dataclass(frozen=True)
class CheckReport:
    """All findings about the file of a crawl."""

    path: str
    findings: list[Finding]

    @property
    def intact(self) -> bool:
        return all(finding.intact for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "intact": self.intact}


@dataclass(frozen=True)
class Salvaged:
    """What was written into the new directory, and how much at least was lost, by the numbers."""

    directory: str
    urls: int
    pages: int
    lost_urls: int
    lost_pages: int


def check(directory: Path) -> CheckReport:
    """Check the crawl in `directory`, finished, running or broken; nothing is changed.

    Raises StoreMissingError where there is none, StoreForeignError and StoreVersionError for what
    is not a crawl or one of another version, and StoreError where the file may not be read.
    """
    path = file_of(directory)
    try:
        sqlite.check_header(path)
        with closing(_opened(path)) as connection:
            return CheckReport(str(path), list(_findings(connection)))
    except StoreDamagedError as error:
        return CheckReport(str(path), [Finding("file", intact=False, details=str(error))])


def how_to_go_on(report: CheckReport, directory: Path) -> str:
    """Return what to do with a crawl that was checked."""
    if report.intact:
        return "The crawl is intact: it can go on, or be looked into."
    return (
        f"The crawl is damaged. Restore {FILE_NAME} from a copy, or recover what is readable into "
        f"a new directory and resume there: scrapy frontier check {directory} --salvage NEWDIR"
    )


def salvage(directory: Path, target: Path) -> Salvaged:
    """Write what is readable of the crawl in `directory` into the empty directory `target`.

    Raises StoreForeignError where `target` is not empty, StoreBusyError while the crawl runs, and
    StoreDamagedError where SQLite finds no table of URLs.
    """
    if target.exists() and any(target.iterdir()):
        raise StoreForeignError(
            f"{target} is not empty: expected a new directory for the recovered crawl."
        )
    path = file_of(directory)
    sqlite.check_header(path)
    lock = DirectoryLock(directory)
    try:
        with closing(_opened(path)) as connection, Store.open(target) as new:
            return _Salvage(connection, new, path.stat().st_size // _LEAST_ROW).run(target)
    finally:
        lock.release()


def _opened(path: Path) -> sqlite3.Connection:
    """Open a file that may be broken, to read; StoreDamagedError where it has no table of URLs."""
    with sqlite.translated(path):
        if sqlite.journal_of(path).exists():
            sqlite.connect_to_read(path).close()
        connection = sqlite.connect_to_broken(path)
        with sqlite.closed_on_error(connection):
            connection.execute("SELECT id FROM urls LIMIT 0")
    # A text that is no UTF-8 any more is a broken row, not the end of the table.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


# -- reading what can be read --------------------------------------------------------------------


def _rows(connection: sqlite3.Connection, table: str, *columns: str) -> Iterator[Any]:
    """Yield the rows of a table that can be read, in the order of their keys."""
    names = ", ".join(columns or schema.COLUMNS[table])
    query = f"SELECT rowid, {names} FROM {table} WHERE rowid > ? ORDER BY rowid"  # noqa: S608
    key, misses = -1, 0
    while misses <= _MISSES:
        try:
            for rowid, *row in connection.execute(query, (key,)):
                key, misses = max(key, rowid), 0
                yield row
            break
        except (sqlite3.DatabaseError, OverflowError):
            key, misses = key + 1, misses + 1


def _page(row: list[Any]) -> PageRow | None:
    """The answer in a row; None where it is one that no crawl writes."""
    try:
        page = page_of_columns(row)
        page_columns(page, 0)
        check_page(page)
    except _BROKEN:
        return None
    return page if page.state.is_final and (page.seq or 0) >= 0 else None


def _revisit_row(row: list[Any]) -> RevisitRow | None:
    """The results of all revisits of a page; None where a row is one that no crawl writes."""
    try:
        revisit = typed(RevisitRow, row)
        Change(revisit.found)
        past_revisits(revisit.history)
    except _BROKEN:
        return None
    return revisit


def _is_array(chunks: list[list[Any]]) -> bool:
    """Whether (number, data) of some chunks are those of a whole array."""
    try:
        joined([data for _, data in sorted(chunks)])
    except _BROKEN:
        return False
    return sorted(number for number, _ in chunks) == list(range(len(chunks)))


# -- check ---------------------------------------------------------------------------------------


def _findings(connection: sqlite3.Connection) -> Iterator[Finding]:
    lines = _asked(connection, "PRAGMA integrity_check(10)")
    yield Finding("SQLite's integrity_check", lines == ["ok"], "; ".join(lines))
    for table in schema.TABLES:
        count = "".join(_asked(connection, f"SELECT count(*) FROM {table}"))  # noqa: S608 - ours
        yield _finding(f"table {table}", _asked(connection, _wrong_types(table)), f"{count} rows")
    for what, query in _CONTRADICTIONS.items():
        yield _finding(what, _asked(connection, query))
    yield _finding("texts are UTF-8", list(_undecodable(connection)))
    yield _finding("link records fit together and lead to URLs", list(_broken_pages(connection)))
    yield _finding("copied numbers are those of the rows", list(_wrong_copies(connection)))
    broken = [
        f"page {row[0]}" for row in _rows(connection, "revisits") if _revisit_row(row) is None
    ]
    yield _finding("revisits of pages are whole", broken)
    chunks: dict[str, list[list[Any]]] = {}
    for name, *chunk in _rows(connection, "arrays", "name", "chunk", "data"):
        chunks.setdefault(str(name), []).append(chunk)
    broken = [name for name, of_array in chunks.items() if not _is_array(of_array)]
    yield _finding("saved arrays are whole", broken)


def _undecodable(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what a crawl would fail with, of each table that holds a text it could not decode."""
    lenient, connection.text_factory = connection.text_factory, str
    for table in schema.TABLES:
        if failure := _failure(connection, f"SELECT * FROM {table}"):  # noqa: S608 - ours
            yield f"table {table}: {failure}"
    connection.text_factory = lenient


def _failure(connection: sqlite3.Connection, query: str) -> str:
    """What SQLite fails with when all rows of a query are read; empty where it does not."""
    try:
        for _ in connection.execute(query):
            pass
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter: of a column's name
        return str(error)
    return ""


def _asked(connection: sqlite3.Connection, query: str) -> list[str]:
    """Return the first column of a query's rows, and what SQLite fails with."""
    values: list[str] = []
    try:
        values += (str(row[0]) for row in connection.execute(query))
    except sqlite3.DatabaseError as error:
        values.append(str(error))
    return values


def _finding(what: str, problems: list[str], otherwise: str = "holds") -> Finding:
    more = len(problems) - _PROBLEMS
    rest = f" and {more:,} more" if more > 0 else ""
    named = f"not so: {'; '.join(problems[:_PROBLEMS])}{rest}"
    return Finding(what, not problems, named if problems else otherwise)


def _wrong_types(table: str) -> str:
    """The query for the rows of a table that hold a value of another type than its column's."""
    wrong = []
    columns = re.findall("^    ([a-z_]+) ([A-Z]+)(.*)$", schema.TABLES[table], re.MULTILINE)
    for name, kind, rest in columns:
        stored = _STORED_AS.get(kind, ("integer",))
        allowed = stored if "NOT NULL" in rest else (*stored, "null")
        wrong.append(f"typeof({name}) NOT IN ({', '.join(map(repr, allowed))})")
    return f"SELECT {columns[0][0]} FROM {table} WHERE {' OR '.join(wrong)}"  # noqa: S608 - ours


def _broken_pages(connection: sqlite3.Connection) -> Iterator[str]:
    n_urls = sum(1 for _ in _rows(connection, "urls", "id"))
    for row in _rows(connection, "pages"):
        page = _page(row)
        if page is None:
            yield f"answer {row[0]}"
        elif page.links is not None and len(page.links.targets):
            targets = page.links.targets
            if targets.min() < 0 or targets.max() >= n_urls:
                yield f"answer {row[0]}, with a link to URL {int(targets.max())}"


def _wrong_copies(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the groups of URLs and answers that are lacking or hold other numbers than the rows."""
    cursor = connection.cursor()
    urls, answers = (dict(_copies(connection, table)) for table in ("url_groups", "answer_groups"))
    for what, found, copied in (
        ("URLs", urls, lambda number: (row_groups.url_group(cursor, number),)),
        ("answers", answers, lambda number: row_groups.answer_group(cursor, number)),
    ):
        for number in range(max(found, default=-1) + 1):
            try:
                if found.get(number) == copied(number):
                    continue
            except _BROKEN:
                pass
            yield f"group {number} of {what}"


def _copies(connection: sqlite3.Connection, table: str) -> Iterator[tuple[int, tuple[object, ...]]]:
    for number, *blobs in _rows(connection, table):
        yield number, tuple(blobs)


class _Salvage:
    """One pass over what can be read, table by table."""

    def __init__(self, old: sqlite3.Connection, new: Store, most: int) -> None:
        """`most`: ids that are higher are damage."""
        self._old, self._new, self._most = old, new, most
        self._ids = Column(np.int32, -1)
        """New id by old id, -1 for a URL that is lost."""
        self._n_urls = 0
        self._answered: set[int] = set()

    def run(self, target: Path) -> Salvaged:
        self._copy_urls()
        pages, answers = self._copy_pages()
        self._copy_requests()
        self._copy_revisits()
        self._copy_settings()
        self._new.commit()
        lost = len(self._ids.array) - self._n_urls
        return Salvaged(str(target), self._n_urls, pages, lost, answers - pages)

    def _id(self, old: Any) -> int:
        """New id of a URL; -1 for one that is lost."""
        ids = self._ids.array
        return int(ids[old]) if isinstance(old, int) and 0 <= old < len(ids) else -1

    def _copy_urls(self) -> None:
        hosts = dict(_rows(self._old, "hosts"))
        copied = FingerprintIndex()
        for values in _rows(self._old, "urls"):
            try:
                row = typed(UrlRow, values)
            except ValueError:
                continue
            known = copied.lookup([row.fingerprint])[0] >= 0
            if known or not row.url or not 0 <= row.url_id < self._most:
                continue
            copied.add([row.fingerprint])
            self._ids.resize(max(row.url_id + 1, len(self._ids.array)))
            self._ids.array[row.url_id] = self._n_urls
            host = str(hosts.get(row.host) or slot_of(row.url) or "unknown")
            self._new.add_urls([self._renumbered_url(row, self._new.add_host(host))])
            self._n_urls += 1
            self._commit_at(self._n_urls)

    def _renumbered_url(self, row: UrlRow, host: int) -> tuple[Any, ...]:
        referrer = self._id(row.referrer)
        return tuple(
            row._replace(
                url_id=self._n_urls,
                host=host,
                depth=max(0, min(row.depth, 1 << 30)),
                referrer=None if referrer < 0 else referrer,
                seed=int(row.seed == 1),
            )
        )

    def _copy_pages(self) -> tuple[int, int]:
        """Returns how many answers were copied, and how many there had been at least."""
        copied = last = 0
        for values in _rows(self._old, "pages"):
            page = _page(values)
            url_id = -1 if page is None else self._id(page.url_id)
            if isinstance(values[0], int) and values[0] < self._most:
                last = max(last, values[0])
            if page is not None and url_id >= 0:
                self._new.page(self._renumbered_page(page, url_id))
                self._answered.add(url_id)
                copied += 1
                self._commit_at(copied)
        return copied, max(copied, last + 1)

    def _renumbered_page(self, page: PageRow, url_id: int) -> PageRow:
        twin, features = self._id(page.twin), page.features
        if features is not None:
            features = features if np.isfinite(features).all() else None
        links = None if page.links is None else self._links(page.links)
        other = None if twin < 0 else twin
        return replace(page, url_id=url_id, twin=other, features=features, links=links)

    def _links(self, links: LinkArrays) -> LinkArrays:
        known = (links.targets >= 0) & (links.targets < len(self._ids.array))
        new = np.full(len(known), -1, np.int32)
        new[known] = self._ids.array[links.targets[known]]
        left = new >= 0
        return LinkArrays(
            targets=new[left],
            predicted=links.predicted[left],
            flags=links.flags[left],
            anchors=_left(links.anchors, left),
            matches=None if links.matches is None else links.matches[left],
            contexts=_left(links.contexts, left),
        )

    def _of_urls(self, table: str, *columns: str) -> Iterator[tuple[int, Any, Any]]:
        """Yield the new id and two columns of each row that is of a URL which is left."""
        for old, first, second in _rows(self._old, table, "id", *columns):
            if self._id(old) >= 0 and isinstance(first, int | None):
                yield self._id(old), first, second

    def _copy_requests(self) -> None:
        pending = [
            (url_id, priority or 0, body)
            for url_id, priority, body in self._of_urls("requests", "class", "body")
            if isinstance(body, bytes | None)
        ]
        # What was leased without a request is fetched again, whether or not there is an answer.
        leases = self._of_urls("leases", "rid", "attempts")
        pending += [(url_id, 0, PLAIN) for url_id, rid, _ in leases if rid is None]
        for rid, request in enumerate(pending):
            self._new.add_request(rid, *request)
        for url_id, _, bands in self._of_urls("signatures", "id", "bands"):
            if isinstance(bands, bytes):
                self._new.add_signature(url_id, bands)

    def _copy_revisits(self) -> None:
        """Copy the revisits of pages that keep an answer; the others are fetched as new pages."""
        for number, values in enumerate(_rows(self._old, "revisits"), start=1):
            revisit = _revisit_row(values)
            if revisit is not None and self._id(revisit.url_id) in self._answered:
                self._new.keep_revisit(revisit._replace(url_id=self._id(revisit.url_id)))
                self._commit_at(number)

    def _copy_settings(self) -> None:
        copied = {}
        for key, text in _rows(self._old, "crawl"):
            try:
                value = json.loads(text)
                if key == schema.URL_RULES:
                    UrlRules.stored(value)
            except _BROKEN:
                continue
            if isinstance(value, _COPIED.get(key, ())):
                copied[key] = value
        if schema.URL_RULES not in copied:  # the one is never there without the other
            copied.pop(schema.IDENTITY, None)
        for key, value in copied.items():
            self._new.set_setting(key, value)

    def _commit_at(self, count: int) -> None:
        if count % 2000 == 0:
            self._new.commit()


def _left(texts: tuple[str, ...] | None, left: NDArray[np.bool_]) -> tuple[str, ...] | None:
    return None if texts is None else tuple(itertools.compress(texts, left))
