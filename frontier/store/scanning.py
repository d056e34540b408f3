"""Reading a table that may be broken: all rows that can be read, and how many could not.

A range of keys that cannot be read is halved until what is left is a row that cannot: so a page of
junk in the file costs the rows on it, and not those behind.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from frontier.store import statements

KEYS: dict[str, tuple[str, ...]] = {
    "crawl": ("key",),
    "hosts": ("id",),
    "urls": ("id",),
    "pages": ("seq",),
    "requests": ("rid",),
    "leases": ("id",),
    "attempts": ("id",),
    "samples": ("id",),
    "robots": ("origin",),
    "signatures": ("id",),
    "refusals": ("reason", "domain"),
    "politeness": ("slot",),
    "arrays": ("name", "chunk"),
}
"""Table -> the columns of its primary key."""
_SKIPPED = {
    "pages": {"adj", "promises", "flags", "cues", "voices", "anchors", "contexts", "features"}
}
"""Columns that are read with a row only when they are asked for."""
_BY_TEXT = ("crawl", "robots", "refusals", "politeness", "arrays")
"""Tables whose keys cannot be cut into ranges."""
_PORTION = 4096
_FAILURES = 100_000
"""Ranges that may fail before the rest of a table is given up."""
_FIRST_GUESS = 1 << 40
_TYPES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "SMALLINT": (int,),
    "BIGINT": (int,),
    "FLOAT": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
}

Row = dict[str, Any]
BROKEN = (ValueError, TypeError, EOFError, AssertionError, OverflowError)
"""What Python and NumPy say to values that no crawl writes."""


@dataclass
class Scan:
    """The rows of a table that could be read."""

    table: str
    rows: list[Row] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)
    lost: int = 0
    """Ranges that could not be read."""
    error: str = ""

    @property
    def whole(self) -> bool:
        return not self.error

    def described(self) -> str:
        """Return in words how much of the table there is."""
        count = f"{len(self.keys):,} rows"
        if self.whole:
            return f"readable, {count}"
        return f"{count} readable, {self.lost:,} places not ({self.error})"


def scanned(connection: sqlite3.Connection, table: str) -> Scan:
    """Read a table as far as that goes."""
    scan = Scan(table)
    key = KEYS[table]
    for row in _rows(connection, table, scan):
        if not _fits(row, table):
            scan.lost += 1
            scan.error = scan.error or "a row holds what does not belong there"
            continue
        scan.rows.append(row)
        scan.keys.append(row[key[0]] if len(key) == 1 else tuple(row[one] for one in key))
    return scan


def arrays_in(scan: Scan) -> dict[str, list[Row]]:
    """The chunks of each saved array by its name, in order; `scan` is of the table `arrays`."""
    found: dict[str, list[Row]] = {}
    for row in scan.rows:
        found.setdefault(row["name"], []).append(row)
    return {name: sorted(rows, key=lambda row: row["chunk"]) for name, rows in found.items()}


def _rows(connection: sqlite3.Connection, table: str, scan: Scan) -> Iterator[Row]:
    """Yield the readable rows of a table by key; what could not be read is noted in `scan`."""
    columns = _columns(connection, table, scan)
    if not columns:
        return
    names = ", ".join(f'"{name}"' for name in columns)
    if table in _BY_TEXT:
        yield from _whole_table(connection, f"SELECT {names} FROM {table}", columns, scan)  # noqa: S608 - ours
        return
    key = KEYS[table][0]
    statement = f"SELECT {names} FROM {table} WHERE {key} BETWEEN ? AND ? ORDER BY {key}"  # noqa: S608
    for row in _ranges(connection, statement, _ends(connection, table, key), scan):
        yield dict(zip(columns, row, strict=True))


def _columns(connection: sqlite3.Connection, table: str, scan: Scan) -> list[str]:
    try:
        found = connection.execute(f"SELECT * FROM {table} LIMIT 0").description  # noqa: S608
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        scan.error, scan.lost = str(error), 1
        return []
    missing = _expected(table).keys() - {one[0] for one in found}
    if missing:
        scan.error, scan.lost = f"it has no {', '.join(sorted(missing))}", 1
        return []
    return [one[0] for one in found if one[0] not in _SKIPPED.get(table, ())]


@cache
def _expected(table: str) -> dict[str, tuple[type, ...]]:
    """Return the columns that a table must have, and of which types their values are."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(getattr(statements, f"CREATE_{table.upper()}"))
        found = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return {
        name: (*_TYPES[kind], *(() if required or key else (type(None),)))
        for _, name, kind, required, _, key in found
    }


def _fits(row: Row, table: str) -> bool:
    expected = _expected(table)
    return all(isinstance(value, expected[name]) for name, value in row.items())


def _whole_table(
    connection: sqlite3.Connection, statement: str, columns: Sequence[str], scan: Scan
) -> Iterator[Row]:
    try:
        for row in connection.execute(statement):
            yield dict(zip(columns, row, strict=True))
    except sqlite3.DatabaseError as error:
        scan.error, scan.lost = str(error), scan.lost + 1


def _ends(connection: sqlite3.Connection, table: str, key: str) -> tuple[int, int]:
    """Return the least and greatest key, or a guess where the table does not say."""
    try:
        found = connection.execute(f"SELECT min({key}), max({key}) FROM {table}").fetchone()  # noqa: S608
    except sqlite3.DatabaseError:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        return 0, min(_FIRST_GUESS, int(pages) * 400)
    return (0, -1) if found[0] is None else (int(found[0]), int(found[1]))


def _ranges(
    connection: sqlite3.Connection, statement: str, ends: tuple[int, int], scan: Scan
) -> Iterator[tuple[Any, ...]]:
    waiting = list(_cut(*ends))[::-1]
    while waiting and scan.lost < _FAILURES:
        a, b = waiting.pop()
        try:
            yield from connection.execute(statement, (a, b)).fetchall()
        except (sqlite3.DatabaseError, OverflowError) as error:
            scan.error = str(error)
            if a == b:
                scan.lost += 1
                continue
            middle = (a + b) // 2
            waiting += [(middle + 1, b), (a, middle)]


def _cut(first: int, last: int) -> Iterator[tuple[int, int]]:
    for start in range(first, last + 1, _PORTION):
        yield start, min(start + _PORTION - 1, last)
