"""What SQLite still reads of a crawl's file that may be broken."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from frontier.records import PageRow, RevisitRow
from frontier.refresh.changes import past_revisits
from frontier.states import Change
from frontier.store import schema, sqlite
from frontier.store.open import NONSENSE
from frontier.store.rows import check_page, page_columns, page_of_columns, typed

_MISSES = 100_000
"""Successive unreadable keys after which the rest of a table is given up: more than the rows below
any inner page of the file."""
BROKEN = (*NONSENSE, AssertionError, sqlite3.DatabaseError)
"""Errors of reading a broken value."""


def open_broken(path: Path) -> sqlite3.Connection:
    """Open a file that may be broken for reading; StoreDamagedError without a table of URLs."""
    with sqlite.translated(path):
        if sqlite.journal_of(path).exists():
            sqlite.connect_to_read(path).close()
        connection = sqlite.connect_to_broken(path)
        with sqlite.closed_on_error(connection):
            connection.execute("SELECT id FROM urls LIMIT 0")
    # A text that is no UTF-8 any more breaks its row, not the rest of the table.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def readable_rows(connection: sqlite3.Connection, table: str, *columns: str) -> Iterator[Any]:
    """Yield the readable rows of a table, in the order of their keys."""
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


def readable_page(row: list[Any]) -> PageRow | None:
    """Return the answer in a row; None for a row that no crawl writes."""
    try:
        page = page_of_columns(row)
        page_columns(page, 0)
        check_page(page)
    except BROKEN:
        return None
    return page if page.state.is_final and (page.seq or 0) >= 0 else None


def readable_revisit(row: list[Any]) -> RevisitRow | None:
    """Return the results of a page's revisits; None for a row that no crawl writes."""
    try:
        revisit = typed(RevisitRow, row)
        Change(revisit.result)
        past_revisits(revisit.history)
    except BROKEN:
        return None
    return revisit
