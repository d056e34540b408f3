"""A crawl's pages as the table `pages` of DuckDB or LanceDB, kept in step.

Both engines are libraries: their data are a file and a folder. A row is a `document`; what is older
than a row never replaces it.
"""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from frontier.errors import FollowError
from frontier.follow.events import PageEvent
from frontier.follow.sinks import OF_LOG, document
from ranking.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import TypeAlias

    _Errors: TypeAlias = type[Exception] | tuple[type[Exception], ...]

_TABLE: Final = "pages"
_KINDS: Final = {"int": ("BIGINT", "int64"), "float | None": ("DOUBLE", "float64")}
_COLUMNS: Final = {
    field.name: _KINDS.get(str(field.type), ("VARCHAR", "string"))
    for field in fields(PageEvent)
    if field.name not in OF_LOG
} | {"deleted": ("BOOLEAN", "bool_")}
"""Name of a column -> its type in DuckDB, and in Arrow. Times are ISO 8601."""
_LANCE_ERRORS: Final = (RuntimeError, ValueError, OSError)
_OPTIMIZE: Final = 50
"""Commits of LanceDB after which its files are brought together."""


def _engine(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(name, f"--to {name}:", name) from error


@contextmanager
def _translated(errors: _Errors, path: Path) -> Iterator[None]:
    """Raise the errors of an engine as FollowError."""
    try:
        yield
    except errors as error:
        raise FollowError(
            f"{path} cannot be written: expected a place for the table {_TABLE}, got {error}. All "
            f"it has taken is kept: repair that, and start again to go on."
        ) from error


class _Rows:
    """Events by what is done with them: of a page the last one."""

    def __init__(self, events: Sequence[PageEvent], *, tombstones: bool) -> None:
        last = {event.id: event for event in events}.values()
        kept = [event for event in last if tombstones or event.op == "upsert"]
        documents = [document(event, tombstones=True) for event in kept]
        self.columns = {name: [held[name] for held in documents] for name in _COLUMNS}
        self.gone = [event for event in last if event.op == "delete" and not tombstones]
        self.any_kept = bool(kept)


class DuckDbSink:
    """A file of DuckDB; no other process can open it meanwhile."""

    def __init__(self, path: Path, *, tombstones: bool = False) -> None:
        """Open or make the file and its table.

        Raises MissingExtraError without duckdb, FollowError where the file cannot be used.
        """
        self._duckdb, self._path, self._tombstones = _engine("duckdb"), path, tombstones
        with _translated(self._duckdb.Error, self._path):
            self._connection = self._duckdb.connect(str(path))
            columns = ", ".join(f"{name} {kind}" for name, (kind, _) in _COLUMNS.items())
            self._connection.execute(
                f"CREATE TABLE IF NOT EXISTS {_TABLE} ({columns}, PRIMARY KEY (id))"
            )
            rows = self._connection.execute(f"SELECT 1 FROM {_TABLE} LIMIT 1")  # noqa: S608 - ours
            self.is_new = not rows.fetchall()
        values = ", ".join(f"unnest(?::{kind}[])" for kind, _ in _COLUMNS.values())
        updates = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS if name != "id")
        self._put = (
            f"INSERT INTO {_TABLE} ({', '.join(_COLUMNS)}) SELECT {values} "
            f"ON CONFLICT (id) DO UPDATE SET {updates} WHERE excluded.version >= version"
        )
        self._delete = (
            f"DELETE FROM {_TABLE} USING (SELECT unnest(?::VARCHAR[]) AS id, "  # noqa: S608 - ours
            f"unnest(?::BIGINT[]) AS version) AS gone "
            f"WHERE {_TABLE}.id = gone.id AND {_TABLE}.version <= gone.version"
        )

    def send(self, events: Sequence[PageEvent]) -> None:
        rows = _Rows(events, tombstones=self._tombstones)
        with _translated(self._duckdb.Error, self._path):
            self._connection.execute("BEGIN")
            if rows.any_kept:
                self._connection.execute(self._put, list(rows.columns.values()))
            if rows.gone:
                ids, versions = zip(*((one.id, one.version) for one in rows.gone), strict=True)
                self._connection.execute(self._delete, [ids, versions])
            self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


class LanceDbSink:
    """A folder of LanceDB; others can read it meanwhile."""

    def __init__(self, path: Path, *, tombstones: bool = False) -> None:
        """Open or make the folder and its table.

        Raises MissingExtraError without lancedb, FollowError where the folder cannot be used.
        """
        lancedb, self._arrow = _engine("lancedb"), _engine("pyarrow")
        self._path, self._tombstones, self._commits = path, tombstones, 0
        kinds = {name: getattr(self._arrow, kind)() for name, (_, kind) in _COLUMNS.items()}
        self._schema = self._arrow.schema(list(kinds.items()))
        with _translated(_LANCE_ERRORS, self._path):
            database = lancedb.connect(path)
            self._table = database.create_table(_TABLE, schema=self._schema, exist_ok=True)
            self.is_new = self._table.count_rows() == 0

    def send(self, events: Sequence[PageEvent]) -> None:
        rows = _Rows(events, tombstones=self._tombstones)
        with _translated(_LANCE_ERRORS, self._path):
            if rows.any_kept:
                put = self._table.merge_insert("id").when_matched_update_all(
                    where="source.version >= target.version"
                )
                kept = self._arrow.table(rows.columns, schema=self._schema)
                put.when_not_matched_insert_all().execute(kept)
            if rows.gone:
                ids = ", ".join(f"'{event.id}'" for event in rows.gone)
                self._table.delete(f"id IN ({ids})")
            self._commits += 1
            if self._commits % _OPTIMIZE == 0:
                self._table.optimize()

    def close(self) -> None:
        """Leave the folder as it is: each commit is whole."""
