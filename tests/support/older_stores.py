"""Crawls as earlier versions of the store left them behind."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

ADDED = {
    2: ["ALTER TABLE pages DROP COLUMN anchors"],
    3: [
        *(
            f"ALTER TABLE pages DROP COLUMN {name}"
            for name in ("similarity", "rank", "features", "cues", "voices", "contexts")
        ),
        "ALTER TABLE leases DROP COLUMN rank",
        "ALTER TABLE leases DROP COLUMN features",
        "DROP TABLE samples",
    ],
    4: [
        *(f"ALTER TABLE pages DROP COLUMN {name}" for name in ("marks", "twin")),
        *(f"DROP TABLE {name}" for name in ("robots", "signatures", "refusals", "politeness")),
        "DELETE FROM crawl WHERE key = 'url rules'",
    ],
    5: ["ALTER TABLE urls DROP COLUMN zone"],
}
"""Version -> what takes away again what it brought."""


def as_version(directory: Path, version: int) -> None:
    """Make a closed crawl what that version would have left behind."""
    with closing(sqlite3.connect(directory / "frontier.sqlite")) as connection:
        for newer in sorted(ADDED, reverse=True):
            for statement in ADDED[newer] if newer > version else ():
                connection.execute(statement)
        connection.commit()
        connection.execute(f"PRAGMA user_version = {version}")
