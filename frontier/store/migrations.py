"""Crawls of earlier versions: how one is brought up to date, and how it is read before that.

A crawl that goes on changes its tables in place, a step a version, each in a transaction. Whoever
only looks may change nothing: a *lens* is a view of the reader's own connection under the name of
a table, through which an old table, or none, looks like the present one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from frontier.store import statements


def _add_anchors(cursor: sqlite3.Cursor) -> None:
    cursor.execute("ALTER TABLE pages ADD COLUMN anchors BLOB")


_PAGES_3 = {
    "similarity": "FLOAT",
    "rank": "INTEGER",
    "features": "BLOB",
    "cues": "BLOB",
    "voices": "BLOB",
    "contexts": "BLOB",
}
_LEASES_3 = {"rank": "INTEGER", "features": "BLOB"}


def _add_what_is_said(cursor: sqlite3.Cursor) -> None:
    for table, columns in (("pages", _PAGES_3), ("leases", _LEASES_3)):
        for name, kind in columns.items():
            cursor.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
    cursor.execute(statements.CREATE_SAMPLES)


MIGRATIONS: dict[int, Callable[[sqlite3.Cursor], None]] = {1: _add_anchors, 2: _add_what_is_said}
"""Version -> what brings its tables to the next version."""


def _lens(table: str, *missing: str) -> str:
    nulls = ", ".join(f"NULL AS {name}" for name in missing)
    return f"CREATE TEMP VIEW {table} AS SELECT *, {nulls} FROM main.{table}"  # noqa: S608 - ours


_NO_SAMPLES = (
    "CREATE TEMP VIEW samples AS SELECT NULL AS id, NULL AS relevance, NULL AS text WHERE 0"
)
LENSES: dict[int, tuple[str, ...]] = {
    1: (_lens("pages", "anchors", *_PAGES_3), _lens("leases", *_LEASES_3), _NO_SAMPLES),
    2: (_lens("pages", *_PAGES_3), _lens("leases", *_LEASES_3), _NO_SAMPLES),
}
"""Version -> what lets its tables be read as the present ones."""


def readable(version: int) -> bool:
    """Whether the tables of a version can be read as the present ones."""
    return version == statements.SCHEMA_VERSION or version in LENSES


def look_through(cursor: sqlite3.Cursor, version: int) -> None:
    """Let a reading connection see the tables of an older version as the present ones.

    Of a version that cannot be read, it sees them as they are.
    """
    if version in LENSES:
        cursor.execute("PRAGMA temp_store = MEMORY")
        for lens in LENSES[version]:
            cursor.execute(lens)
