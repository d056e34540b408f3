"""Reading a table that may be broken: all rows that can be read, and how many could not.

A table is read from its beginning to the first fault, then from its end to the last one. What lies
between is halved, and the halves are read likewise: so a page of junk in the file costs the rows on
it, and not those behind.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from frontier.recovery.leaf_pages import leaf_rows
from frontier.store import schema
from frontier.store.blobs import joined

_SKIPPED = {
    "pages": {"adj", "promises", "flags", "cues", "voices", "anchors", "contexts", "features"}
}
"""Columns that are read with a row only when they are asked for."""
_NEVER_CHANGED = ("hosts", "urls", "pages")
"""Tables whose rows are what they were, wherever they are found."""
_FAILURES, _FAILURES_A_PAGE = 2_000, 20
"""Reads that may fail before the rest of a table is given up, and more a page of the file."""
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_ROWS_A_PAGE = 400
"""Of the file, at most: where the end of a table cannot be read, its keys end there."""
_TYPES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "SMALLINT": (int,),
    "BIGINT": (int,),
    "FLOAT": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
}

Row = dict[str, Any]
Strays = dict[str, dict[int, Row]]
BROKEN = (ValueError, TypeError, EOFError, AssertionError, OverflowError)
"""What Python and NumPy say to values that no crawl writes."""


@dataclass
class Scan:
    """The rows of a table that could be read."""

    table: str
    rows: list[Row] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)
    """What the first column holds."""
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
    key, *_ = schema.COLUMNS[table]
    for row in _rows(connection, table, scan):
        if not _fits(row, table):
            scan.lost += 1
            scan.error = scan.error or "a row holds what does not belong there"
            continue
        scan.rows.append(row)
        scan.keys.append(row[key])
    return scan


def add_strays(path: Path, scans: dict[str, Scan]) -> Strays:
    """Add to tables that could not be read whole the rows of theirs that nothing leads to.

    Returns those of each table with all columns, by key.
    """
    wanted = [table for table in _NEVER_CHANGED if not scans[table].whole]
    known = {table: set(scans[table].keys) for table in wanted}
    strays: Strays = {table: {} for table in _NEVER_CHANGED}
    for key, values in leaf_rows(path) if wanted else ():
        for table in wanted:
            row = _stray(table, key, values)
            if row is not None and key not in known[table]:
                strays[table][key] = row
    for table, found in strays.items():
        scan, key = scans[table], schema.COLUMNS[table][0]
        scan.rows = sorted([*scan.rows, *found.values()], key=itemgetter(key))
        scan.keys = [row[key] for row in scan.rows]
    return strays


def _stray(table: str, key: int, values: list[Any]) -> Row | None:
    """A row of a table, if these values are one."""
    names = schema.COLUMNS[table]
    if len(values) != len(names) or values[0] is not None or not 0 <= key < 1 << 31:
        return None
    row = dict(zip(names, values, strict=True)) | {names[0]: key}
    return row if _fits(row, table) else None


def arrays_in(scan: Scan) -> dict[str, list[Row]]:
    """The chunks of each saved array by its name, in order; `scan` is of the table `arrays`."""
    found: dict[str, list[Row]] = {}
    for row in scan.rows:
        found.setdefault(row["name"], []).append(row)
    return {name: sorted(rows, key=lambda row: row["chunk"]) for name, rows in found.items()}


def array_of(chunks: list[Row]) -> NDArray[Any] | None:
    """The array of these chunks, None for one that is not whole."""
    if [row["chunk"] for row in chunks] != list(range(len(chunks))):
        return None
    try:
        return joined([row["data"] for row in chunks])
    except BROKEN:
        return None


def _rows(connection: sqlite3.Connection, table: str, scan: Scan) -> Iterator[Row]:
    """Yield the readable rows of a table by key; what could not be read is noted in `scan`."""
    columns = _columns(connection, table, scan)
    if not columns:
        return
    names = ", ".join(f'"{name}"' for name in columns)
    key, *_ = schema.COLUMNS[table]
    # Texts cannot be cut into ranges, but the numbers that SQLite gives their rows.
    key = "rowid" if str in _expected(table)[key] else key
    statement = f"SELECT {key}, {names} FROM {table} WHERE {key} BETWEEN ? AND ? ORDER BY {key}"  # noqa: S608 - ours
    found = _Ranges(connection, statement, scan).all()
    yield from (dict(zip(columns, found[one], strict=True)) for one in sorted(found))


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
        connection.execute(schema.TABLES[table])
        found = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return {
        name: (*_TYPES[kind], *(() if required or key else (type(None),)))
        for _, name, kind, required, _, key in found
    }


def _fits(row: Row, table: str) -> bool:
    expected = _expected(table)
    return all(isinstance(value, expected[name]) for name, value in row.items())


class _Ranges:
    """Reads the rows of a table by ranges of their keys, largest ranges first."""

    def __init__(self, connection: sqlite3.Connection, statement: str, scan: Scan) -> None:
        self._connection = connection
        self._statement = statement
        self._scan = scan
        self._found: dict[int, tuple[Any, ...]] = {}
        self._pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
        self._left = _FAILURES + _FAILURES_A_PAGE * self._pages

    def all(self) -> dict[int, tuple[Any, ...]]:
        """Return the columns of the rows that can be read, by key."""
        waiting = deque([(_LEAST, _MOST)])
        while waiting and self._left > 0:
            hole = self._read(*waiting.popleft())
            if hole is None:
                continue
            first, last = self._bounded(*hole)
            if first == last:
                self._scan.lost += 1
            elif first < last:
                middle = (first + last) // 2
                waiting += [(first, middle), (middle + 1, last)]
        self._scan.lost += len(waiting)
        return self._found

    def _read(self, first: int, last: int) -> tuple[int, int] | None:
        """Read a range from both ends; return what lies between, None where all was read."""
        up = self._until_fault(first, last, "ASC")
        if up is None:
            return None
        down = self._until_fault(first, last, "DESC")
        return (max(up, first - 1) + 1, last if down is None else min(down, last + 1) - 1)

    def _until_fault(self, first: int, last: int, direction: str) -> int | None:
        """Read a range in one direction; return the last key before a fault, None without one."""
        key = first - 1 if direction == "ASC" else last + 1
        try:
            for row in self._connection.execute(f"{self._statement} {direction}", (first, last)):
                if isinstance(row[0], int) and first <= row[0] <= last:
                    key = row[0]
                    self._found.setdefault(key, row[1:])
        except (sqlite3.DatabaseError, OverflowError) as error:
            self._scan.error = str(error)
            self._left -= 1
            return key
        return None

    def _bounded(self, first: int, last: int) -> tuple[int, int]:
        """Return a range without the keys that no crawl gives."""
        if last < _MOST:
            return max(first, 0), last
        return max(first, 0), max(self._pages * _ROWS_A_PAGE, first)
