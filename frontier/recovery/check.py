"""What of a crawl's file is intact: each table row by row, and what must hold between them.

Nothing is changed, and nothing is taken for granted: a table that cannot be read says how far it
could be, and the others are looked at all the same. What one finds is a list of `Finding`s, each of
which is told in words.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from frontier.errors import StoreDamagedError
from frontier.recovery.damaged_tables import BROKEN, Scan, array_of, arrays_in, scanned
from frontier.recovery.rehearsal import fault_of
from frontier.states import State
from frontier.store import schema, sqlite, statements
from frontier.store.highwater import Mark as HighMark
from frontier.store.highwater import read_mark, what_is_missing
from frontier.store.open import FILE_NAME, file_of
from frontier.store.rows import check_page, page_of_columns

_PROBLEMS = 5
"""Problems of a kind that are told one by one."""


@dataclass(frozen=True)
class Finding:
    """Something that was looked at, and whether it is as it must be."""

    what: str
    intact: bool
    said: str


@dataclass(frozen=True)
class Report:
    """All that was found in the file of a crawl."""

    path: str
    findings: list[Finding]

    @property
    def intact(self) -> bool:
        return all(one.intact for one in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can say."""
        return {**asdict(self), "intact": self.intact}


def check(directory: Path) -> Report:
    """Look through the crawl in `directory`, finished, running or broken.

    Raises StoreMissingError where there is none, StoreForeignError and StoreVersionError for what
    is not a crawl or one of another version, and StoreError where the file may not be read.
    """
    path = file_of(directory)
    try:
        sqlite.check_header(path)
        mark = read_mark(directory)
        with closing(open_damaged(path)) as connection:
            findings = list(_findings(connection, mark))
        fault = fault_of(directory)
        findings.append(Finding("the crawl can go on", fault is None, fault or "holds"))
        return Report(str(path), findings)
    except StoreDamagedError as error:
        return Report(str(path), [Finding("file", intact=False, said=str(error))])


def open_damaged(path: Path) -> sqlite3.Connection:
    """Open a file that may be broken, to read; StoreDamagedError where not even its tables are."""
    with sqlite.translated(path):
        if sqlite.journal_of(path).exists():
            sqlite.connect_to_read(path).close()
        connection = sqlite.connect_to_broken(path)
        with sqlite.closed_on_error(connection):
            cursor = connection.cursor()
            cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
    # A text that is no UTF-8 any more is a broken row, not the end of the table.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def _findings(connection: sqlite3.Connection, mark: HighMark | None) -> Iterator[Finding]:
    yield _integrity(connection)
    if mark is not None:
        yield _committed(connection, mark)
    scans = {}
    for table in schema.TABLES:
        scans[table] = scan = scanned(connection, table)
        yield Finding(f"table {table}", scan.whole, scan.described())
    for what, problems in _invariants(connection, scans):
        found = list(problems)
        yield Finding(what, not found, _told(found))


def _integrity(connection: sqlite3.Connection) -> Finding:
    try:
        rows = [row[0] for row in connection.execute("PRAGMA integrity_check(10)")]
    except sqlite3.DatabaseError as error:
        rows = [str(error)]
    return Finding("SQLite's integrity_check", rows == ["ok"], "; ".join(map(str, rows)))


def _committed(connection: sqlite3.Connection, mark: HighMark) -> Finding:
    """Compare with what a crawl that was not closed had noted."""
    try:
        missing = what_is_missing(mark, connection.cursor())
    except sqlite3.DatabaseError as error:
        missing = str(error)
    return Finding("all that was committed is there", missing is None, missing or "holds")


def _told(problems: list[str]) -> str:
    if not problems:
        return "holds"
    more = len(problems) - _PROBLEMS
    rest = f" and {more:,} more" if more > 0 else ""
    return "; ".join(problems[:_PROBLEMS]) + rest


Problems = Iterator[str]


def _invariants(
    connection: sqlite3.Connection, scans: dict[str, Scan]
) -> Iterator[tuple[str, Problems]]:
    """Yield what docs/store.md promises, each with what contradicts it."""
    urls, pages = scans["urls"], scans["pages"]
    n_urls = len(urls.keys)
    known = set(urls.keys)
    yield "URL ids are dense from 0", _gaps(urls)
    yield "answer numbers are dense from 0", _gaps(pages)
    yield "host ids are dense from 0", _gaps(scans["hosts"])
    yield "a fingerprint has one row", _twice(urls)
    yield "hosts and referrers of URLs exist", _url_references(urls, set(scans["hosts"].keys))
    yield "answers belong to URLs, in a state that exists", _answers(pages, known)
    yield "link records fit together and lead to URLs", _links(connection, pages, n_urls)
    for table in ("leases", "requests", "attempts", "samples", "signatures"):
        yield f"{table} belong to URLs", _owners(scans[table], known)
    yield "settings are JSON", _settings(scans["crawl"])
    yield "saved arrays are whole", _arrays(scans["arrays"])


def _gaps(scan: Scan) -> Problems:
    missing = sorted(set(range(max(scan.keys, default=-1) + 1)) - set(scan.keys))
    yield from (f"{scan.table} {key} is missing" for key in missing)


def _twice(urls: Scan) -> Problems:
    first: dict[int, int] = {}
    for row in urls.rows:
        other = first.setdefault(row["fp"], row["id"])
        if other != row["id"]:
            yield f"URLs {other} and {row['id']} have the same"
        if not isinstance(row["fp"], int):
            yield f"that of URL {row['id']} is no number"


def _url_references(urls: Scan, hosts: set[int]) -> Problems:
    n_urls = max(urls.keys, default=-1) + 1
    for row in urls.rows:
        if row["host"] not in hosts:
            yield f"URL {row['id']} is of host {row['host']}"
        referrer = row["referrer"]
        if referrer is not None and not (isinstance(referrer, int) and 0 <= referrer < n_urls):
            yield f"URL {row['id']} was found on page {referrer}"


def _answers(pages: Scan, known: set[int]) -> Problems:
    states = {int(state) for state in State}
    for row in pages.rows:
        if row["id"] not in known:
            yield f"answer {row['seq']} is to URL {row['id']}"
        if row["state"] not in states:
            yield f"answer {row['seq']} has state {row['state']!r}"
        if row["twin"] is not None and row["twin"] not in known:
            yield f"answer {row['seq']} repeats page {row['twin']}"


def _links(connection: sqlite3.Connection, pages: Scan, n_urls: int) -> Problems:
    for key in pages.keys:
        try:
            row = connection.execute(statements.PAGE_RANGE, (key, key)).fetchone()
            page = page_of_columns(row)
            check_page(page)
            links = page.links
        except (*BROKEN, sqlite3.DatabaseError) as error:
            yield f"answer {key}: {error}"
            continue
        if links is None or not len(links.targets):
            continue
        if links.targets.min() < 0 or links.targets.max() >= n_urls:
            yield f"answer {key} links to URL {int(links.targets.max())}"


def _owners(scan: Scan, known: set[int]) -> Problems:
    for row in scan.rows:
        if row["id"] not in known:
            yield f"one belongs to URL {row['id']}"


def _settings(crawl: Scan) -> Problems:
    for row in crawl.rows:
        if not is_json(row["value"]):
            yield f"{row['key']!r} is none"


def is_json(value: object) -> bool:
    """Whether a value of the table `crawl` can be read."""
    try:
        json.loads(value)  # type: ignore[arg-type]  # a broken row may hold anything
    except (ValueError, TypeError):
        return False
    return True


def _arrays(arrays: Scan) -> Problems:
    for name, chunks in arrays_in(arrays).items():
        array = array_of(chunks)
        if array is None:
            yield f"{name!r} has chunks missing, or a header that says something else"


def how_to_go_on(report: Report, directory: Path) -> str:
    """Return what to do with a crawl that was checked."""
    if report.intact:
        return "The crawl is intact: it can go on, or be looked into."
    return (
        f"The crawl is damaged. Restore {FILE_NAME} from a copy, or recover what is readable into "
        f"a new directory and resume there: scrapy frontier check {directory} --salvage NEWDIR"
    )
