"""Crawls of earlier versions: how one is brought up to date, and how it is read before that.

A crawl that goes on changes its tables in place, a step a version, each in a transaction. Whoever
only looks may change nothing: a *lens* is a view of the reader's own connection under the name of
a table, through which an old table looks like the present one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from frontier.store import statements


def _add_anchors(cursor: sqlite3.Cursor) -> None:
    cursor.execute("ALTER TABLE pages ADD COLUMN anchors BLOB")


MIGRATIONS: dict[int, Callable[[sqlite3.Cursor], None]] = {1: _add_anchors}
"""Version -> what brings its tables to the next version."""

LENSES: dict[int, tuple[str, ...]] = {
    1: ("CREATE TEMP VIEW pages AS SELECT *, NULL AS anchors FROM main.pages",),
}
"""Version -> what lets its tables be read as those of the version that follows."""


def readable(version: int) -> bool:
    """Whether the tables of a version can be read as the present ones."""
    return all(older in LENSES for older in range(version, statements.SCHEMA_VERSION))


def look_through(cursor: sqlite3.Cursor, version: int) -> None:
    """Let a reading connection see the tables of an older version as the present ones."""
    if version < statements.SCHEMA_VERSION:
        cursor.execute("PRAGMA temp_store = MEMORY")
    for older in range(version, statements.SCHEMA_VERSION):
        for lens in LENSES[older]:
            cursor.execute(lens)
