"""Which parts of a crawl's file are intact.

SQLite's own integrity check runs, then the type of every value is checked, and every contradiction
of docs/store.md is searched.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from frontier.errors import StoreDamagedError
from frontier.recovery.readable import (
    BROKEN,
    open_broken,
    readable_page,
    readable_revisit,
    readable_rows,
)
from frontier.store import row_groups, schema, sqlite
from frontier.store.blobs import joined
from frontier.store.open import FILE_NAME, file_of

_PROBLEMS = 5
"""Problems of a kind that are named; the others are counted."""
_STORED_AS = {"TEXT": ("text",), "BLOB": ("blob",), "FLOAT": ("real", "integer")}
"""Type of a column -> SQLite's names for its values; other columns hold integers."""
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
"""What must hold -> a query for the keys of the rows that violate it."""


@dataclass(frozen=True)
class Finding:
    """A check, whether it found the crawl intact, and the problems or the size of what it read."""

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


def check(directory: Path) -> CheckReport:
    """Check the crawl in `directory`, finished, running or broken; nothing is changed.

    Raises StoreMissingError where there is none, StoreForeignError for a file that is no crawl,
    StoreVersionError for another version, and StoreError for a file that may not be read.
    """
    path = file_of(directory)
    try:
        sqlite.check_header(path)
        with closing(open_broken(path)) as connection:
            return CheckReport(str(path), list(_findings(connection)))
    except StoreDamagedError as error:
        return CheckReport(str(path), [Finding("file", intact=False, details=str(error))])


def how_to_go_on(report: CheckReport, directory: Path) -> str:
    """Return in words what to do with a checked crawl."""
    if report.intact:
        return "The crawl is intact: it can go on, or be looked into."
    return (
        f"The crawl is damaged. Restore {FILE_NAME} from a copy, or recover what is readable into "
        f"a new directory and resume there: scrapy frontier check {directory} --salvage NEWDIR"
    )


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
        f"page {row[0]}"
        for row in readable_rows(connection, "revisits")
        if readable_revisit(row) is None
    ]
    yield _finding("revisits of pages are whole", broken)
    chunks: dict[str, list[list[Any]]] = {}
    for name, *chunk in readable_rows(connection, "arrays", "name", "chunk", "data"):
        chunks.setdefault(str(name), []).append(chunk)
    broken = [name for name, of_array in chunks.items() if not _is_array(of_array)]
    yield _finding("saved arrays are whole", broken)


def _undecodable(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the errors of tables that hold a text which a crawl could not decode."""
    lenient, connection.text_factory = connection.text_factory, str
    for table in schema.TABLES:
        if failure := _failure(connection, f"SELECT * FROM {table}"):  # noqa: S608 - ours
            yield f"table {table}: {failure}"
    connection.text_factory = lenient


def _failure(connection: sqlite3.Connection, query: str) -> str:
    """Return SQLite's error when all rows of a query are read; "" without one."""
    try:
        for _ in connection.execute(query):
            pass
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter: of a column's name
        return str(error)
    return ""


def _asked(connection: sqlite3.Connection, query: str) -> list[str]:
    """Return the first column of a query's rows, and SQLite's error if there is one."""
    values: list[str] = []
    try:
        values += (str(row[0]) for row in connection.execute(query))
    except sqlite3.DatabaseError as error:
        values.append(str(error))
    return values


def _finding(what: str, problems: list[str], otherwise: str = "holds") -> Finding:
    more = len(problems) - _PROBLEMS
    rest = f" and {more:,} more" if more > 0 else ""
    named = f"violated by {'; '.join(problems[:_PROBLEMS])}{rest}"
    return Finding(what, not problems, named if problems else otherwise)


def _wrong_types(table: str) -> str:
    """Return the query for the rows of a table with a value of another type than its column's."""
    wrong = []
    columns = re.findall("^([a-z_]+) ([A-Z]+)(.*)$", schema.TABLES[table], re.MULTILINE)
    for name, kind, rest in columns:
        stored = _STORED_AS.get(kind, ("integer",))
        allowed = stored if "NOT NULL" in rest else (*stored, "null")
        wrong.append(f"typeof({name}) NOT IN ({', '.join(map(repr, allowed))})")
    return f"SELECT {columns[0][0]} FROM {table} WHERE {' OR '.join(wrong)}"  # noqa: S608 - ours


def _broken_pages(connection: sqlite3.Connection) -> Iterator[str]:
    n_urls = sum(1 for _ in readable_rows(connection, "urls", "id"))
    for row in readable_rows(connection, "pages"):
        page = readable_page(row)
        if page is None:
            yield f"answer {row[0]}"
        elif page.links is not None and len(page.links.targets):
            targets = page.links.targets
            if targets.min() < 0 or targets.max() >= n_urls:
                yield f"answer {row[0]}, with a link to URL {int(targets.max())}"


def _wrong_copies(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the groups of URLs and answers that are missing or differ from their rows."""
    cursor = connection.cursor()
    kinds: tuple[tuple[str, str, Callable[[int], list[bytes]]], ...] = (
        ("URLs", "url_groups", lambda number: [row_groups.url_group(cursor, number)]),
        ("answers", "answer_groups", lambda number: [*row_groups.answer_group(cursor, number)]),
    )
    for what, table, group in kinds:
        stored = {number: blobs for number, *blobs in readable_rows(connection, table)}
        for number in range(max(stored, default=-1) + 1):
            try:
                if stored.get(number) == group(number):
                    continue
            except BROKEN:
                pass
            yield f"group {number} of {what}"


def _is_array(chunks: list[list[Any]]) -> bool:
    """Whether chunks, each with number and data, make a whole array."""
    try:
        joined([data for _, data in sorted(chunks)])
    except BROKEN:
        return False
    return sorted(number for number, _ in chunks) == list(range(len(chunks)))
