"""Notes in the exchange, by kind and name: written by any process, read by those that need them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from frontier.exchange.connection import Connection

_PUT = """
INSERT INTO frontier.notes (kind, name, data, body)
SELECT * FROM unnest(%s::text[], %s::text[], %s::jsonb[], %b::bytea[])
ON CONFLICT (kind, name) DO UPDATE SET version = DEFAULT, at = now(), data = excluded.data,
    body = excluded.body"""
_COLUMNS = "SELECT kind, name, data, body, extract(epoch FROM now() - at)::float8"
_NAMED = f"{_COLUMNS} FROM frontier.notes WHERE kind = %s AND name = ANY(%s)"
_AFTER = f"""
{_COLUMNS}, version FROM frontier.notes WHERE version > %s AND kind <> 'topic'
ORDER BY version LIMIT 1000"""


class Note(NamedTuple):
    """JSON values and bytes that are stored under a kind and a name."""

    kind: str
    name: str
    data: dict[str, Any]
    body: bytes | None
    age: float = 0.0
    """Seconds since it was written, by the clock of the database."""


class NotesExchange:
    """Reads and writes notes, on the connection of either side."""

    _connection: Connection

    def put_notes(self, notes: Iterable[Note]) -> None:
        """Write notes, in place of those of the same kinds and names."""
        # In one order for all: two processes that write the same notes must not wait for each
        # other.
        rows = sorted((note.kind, note.name, json.dumps(note.data), note.body) for note in notes)
        if rows:
            self._connection.execute(_PUT, [list(column) for column in zip(*rows, strict=True)])

    def notes(self, kind: str, names: Collection[str]) -> list[Note]:
        """Return the notes of one kind under some names."""
        rows = self._connection.execute(_NAMED, (kind, list(names)))
        return [Note(*row) for row in rows]

    def notes_after(self, version: int) -> list[tuple[Note, int]]:
        """Return up to 1,000 notes on hosts newer than a version, each with its version."""
        rows = self._connection.execute(_AFTER, (version,))
        return [(Note(*note), number) for *note, number in rows]
