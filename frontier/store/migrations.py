"""Crawls of earlier versions: how one is brought up to date, and how it is read before that.

A crawl that goes on changes its tables in place, a step a version, each in a transaction. Whoever
only looks may change nothing: a *lens* is a view of the reader's own connection under the name of
a table, through which an old table, or none, looks like the present one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from frontier.store import schema


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
    cursor.execute(schema.TABLES["samples"])


_PAGES_4 = {"marks": "SMALLINT DEFAULT 0 NOT NULL", "twin": "INTEGER"}
_NOTES = ("robots", "signatures", "refusals", "politeness")


def _add_notes(cursor: sqlite3.Cursor) -> None:
    for name, kind in _PAGES_4.items():
        cursor.execute(f"ALTER TABLE pages ADD COLUMN {name} {kind}")
    for table in _NOTES:
        cursor.execute(schema.TABLES[table])


_URLS_5 = {"zone": "INTEGER DEFAULT 0 NOT NULL"}


def _add_zones(cursor: sqlite3.Cursor) -> None:
    for name, kind in _URLS_5.items():
        cursor.execute(f"ALTER TABLE urls ADD COLUMN {name} {kind}")


MIGRATIONS: dict[int, Callable[[sqlite3.Cursor], None]] = {
    1: _add_anchors,
    2: _add_what_is_said,
    3: _add_notes,
    4: _add_zones,
}
"""Version -> what brings its tables to the next version."""


def _lens(table: str, missing: dict[str, str]) -> str:
    values = ("0" if "DEFAULT 0" in kind else "NULL" for kind in missing.values())
    added = ", ".join(f"{value} AS {name}" for value, name in zip(values, missing, strict=True))
    return f"CREATE TEMP VIEW {table} AS SELECT *, {added} FROM main.{table}"  # noqa: S608 - ours


def _empty(table: str) -> str:
    nulls = ", ".join(f"NULL AS {name}" for name in ("rowid", *schema.COLUMNS[table]))
    return f"CREATE TEMP VIEW {table} AS SELECT {nulls} WHERE 0"


_NO_SAMPLES = _empty("samples")
_NO_NOTES = tuple(_empty(table) for table in _NOTES)
_LEASES_LENS = _lens("leases", _LEASES_3)
_URLS_LENS = _lens("urls", _URLS_5)
LENSES: dict[int, tuple[str, ...]] = {
    1: (
        _lens("pages", {"anchors": "BLOB", **_PAGES_3, **_PAGES_4}),
        *(_URLS_LENS, _LEASES_LENS, _NO_SAMPLES, *_NO_NOTES),
    ),
    2: (
        _lens("pages", {**_PAGES_3, **_PAGES_4}),
        *(_URLS_LENS, _LEASES_LENS, _NO_SAMPLES, *_NO_NOTES),
    ),
    3: (_lens("pages", _PAGES_4), _URLS_LENS, *_NO_NOTES),
    4: (_URLS_LENS,),
}
"""Version -> what lets its tables be read as the present ones."""


def look_through(cursor: sqlite3.Cursor, version: int) -> None:
    """Let a reading connection see the tables of an older version as the present ones.

    Of a version that cannot be read, it sees them as they are.
    """
    if version in LENSES:
        cursor.execute("PRAGMA temp_store = MEMORY")
        for lens in LENSES[version]:
            cursor.execute(lens)
