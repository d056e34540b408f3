"""Rows that have not been written yet, table by table, so that one transaction can write them all.

Appending a tuple to a list costs a tenth of a statement, and a commit takes one `executemany` for
each table. Of a row that comes and goes only the last change is kept: deletions run before
insertions, so a replaced row is deleted and inserted again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from frontier.store import statements
from frontier.store.rows import UrlRow

Batch = tuple[str, list[tuple[Any, ...]]]


class PendingRows:
    """The rows to delete from a table and those to insert after that, by key."""

    def __init__(self, table: str) -> None:
        self.rows: dict[Any, tuple[Any, ...]] = {}
        self.gone: set[Any] = set()
        self._table = table

    def add(self, key: Any, row: tuple[Any, ...]) -> None:
        """Insert a row whose key is not in the table, or is in `gone`."""
        self.rows[key] = row

    def put(self, key: Any, row: tuple[Any, ...]) -> None:
        """Insert a row, in place of the row with its key if there is one."""
        self.gone.add(key)
        self.rows[key] = row

    def drop(self, key: Any) -> None:
        """Delete the row with a key, if there is one."""
        self.rows.pop(key, None)
        self.gone.add(key)

    def deletions(self) -> Batch:
        """Return the statement that deletes rows, and their keys."""
        return statements.DELETE[self._table], [(key,) for key in self.gone]

    def insertions(self) -> Batch:
        """Return the statement that inserts rows, and the rows."""
        return statements.INSERT[self._table], list(self.rows.values())


class WriteBuffer:
    """All changes since the last commit."""

    def __init__(self) -> None:
        self.hosts: list[tuple[int, str]] = []
        self.urls: list[tuple[Any, ...]] = []
        self.seeds: list[tuple[int]] = []
        self.pages: list[tuple[Any, ...]] = []
        self.arrays: dict[str, tuple[int, list[bytes]]] = {}
        self.requests = PendingRows("requests")
        self.leases = PendingRows("leases")
        self.attempts = PendingRows("attempts")
        self.settings = PendingRows("crawl")
        self.samples = PendingRows("samples")
        self.robots = PendingRows("robots")
        self.signatures = PendingRows("signatures")
        self.revisits = PendingRows("revisits")
        self.politeness = PendingRows("politeness")
        self.snapshots = PendingRows("snapshots")
        self.refusals: dict[tuple[str, str], tuple[int, str]] = {}
        """Reason and domain -> number of refused links since the last commit, first example."""
        self._appended = (self.hosts, self.urls, self.seeds, self.pages)
        self._changes = [part for part in vars(self).values() if isinstance(part, PendingRows)]

    def __bool__(self) -> bool:
        if any(self._appended) or self.arrays or self.refusals:
            return True
        return any(changes.rows or changes.gone for changes in self._changes)

    def batches(self) -> Iterator[Batch]:
        """Yield statements with their rows, in the order in which they must run."""
        n = statements.URLS_AT_ONCE
        bundled = len(self.urls) // n * n
        urls = [tuple(chain(*self.urls[at : at + n])) for at in range(0, bundled, n)]
        everything: tuple[Batch, ...] = (
            *(changes.deletions() for changes in self._changes),
            (statements.DELETE_CHUNKS, [(name, len(of)) for name, (_, of) in self.arrays.items()]),
            (statements.INSERT["hosts"], self.hosts),
            (statements.INSERT_URLS, urls),
            (statements.INSERT["urls"], self.urls[bundled:]),
            (statements.MARK_SEED, self.seeds),
            (statements.INSERT["pages"], self.pages),
            *(changes.insertions() for changes in self._changes),
            (statements.PUT_CHUNK, list(self._chunks())),
            (statements.COUNT_REFUSAL, [(*key, *n) for key, n in self.refusals.items()]),
        )
        yield from ((statement, rows) for statement, rows in everything if rows)

    def _chunks(self) -> Iterator[tuple[str, int, int, bytes]]:
        for name, (epoch, chunks) in self.arrays.items():
            yield from ((name, number, epoch, chunk) for number, chunk in enumerate(chunks))

    def refuse(self, reason: str, domain: str, count: int, example: str) -> None:
        """Add to the count of refused links."""
        before, first = self.refusals.get((reason, domain), (0, example))
        self.refusals[reason, domain] = before + count, first

    def mark_seed(self, url_id: int) -> None:
        """Make a URL a seed, whether its row is written or waits here."""
        self.seeds.append((url_id,))
        row = self.url(url_id)
        if row is not None:
            self.urls[url_id - self.urls[0][0]] = tuple(row._replace(seed=1))

    def url(self, url_id: int) -> UrlRow | None:
        """Return a URL that waits to be written."""
        first = self.urls[0][0] if self.urls else url_id + 1
        at = url_id - first
        return UrlRow(*self.urls[at]) if 0 <= at < len(self.urls) else None


def encodable(batch: Batch) -> Batch:
    """Return a batch with lone surrogates, which SQLite cannot store, replaced by "?"."""
    statement, rows = batch
    return statement, [tuple(_text(value) for value in row) for row in rows]


def _text(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
