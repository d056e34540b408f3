"""What has not been written yet, table by table, so that one transaction can write all of it.

Appending a tuple to a list costs a tenth of a statement, and one `executemany` a table is all
that SQL costs a commit. Of rows that come and go only the last word is kept: deletions run before
insertions, so a row that was replaced is deleted and inserted again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from frontier.store import statements
from frontier.store.chunks import split
from frontier.store.rows import UrlRow

Batch = tuple[str, list[tuple[Any, ...]]]


class Changes:
    """The rows to delete from a table and those to insert after that, by key."""

    def __init__(self, insertion: str, deletion: str) -> None:
        self.rows: dict[Any, tuple[Any, ...]] = {}
        self.gone: set[Any] = set()
        self._insertion = insertion
        self._deletion = deletion

    def add(self, key: Any, row: tuple[Any, ...]) -> None:
        """Insert a row whose key is not in the table, or is in `gone`."""
        self.rows[key] = row

    def put(self, key: Any, row: tuple[Any, ...]) -> None:
        """Insert a row in place of the one there may be."""
        self.gone.add(key)
        self.rows[key] = row

    def drop(self, key: Any) -> None:
        """Delete the row there may be."""
        self.rows.pop(key, None)
        self.gone.add(key)

    def deletions(self) -> Batch:
        """Return the statement and the keys it takes."""
        return self._deletion, [(key,) for key in self.gone]

    def insertions(self) -> Batch:
        """Return the statement and the rows it takes."""
        return self._insertion, list(self.rows.values())


class WriteBuffer:
    """All changes since the last commit."""

    def __init__(self) -> None:
        self.hosts: list[tuple[int, str]] = []
        self.urls: list[tuple[Any, ...]] = []
        self.seeds: list[tuple[int]] = []
        self.pages: list[tuple[Any, ...]] = []
        self.arrays: dict[str, tuple[int, list[bytes]]] = {}
        self.requests = Changes(statements.INSERT_REQUEST, statements.DELETE_REQUEST)
        self.leases = Changes(statements.INSERT_LEASE, statements.DELETE_LEASE)
        self.attempts = Changes(statements.INSERT_ATTEMPTS, statements.DELETE_ATTEMPTS)
        self.settings = Changes(statements.INSERT_SETTING, statements.DELETE_SETTING)
        self.samples = Changes(statements.INSERT_SAMPLE, statements.DELETE_SAMPLE)
        self.robots = Changes(statements.INSERT_ROBOTS, statements.DELETE_ROBOTS)
        self.signatures = Changes(statements.INSERT_SIGNATURE, statements.DELETE_SIGNATURE)
        self.politeness = Changes(statements.INSERT_POLITENESS, statements.DELETE_POLITENESS)
        self.refusals: dict[tuple[str, str], tuple[int, str]] = {}
        """Reason and domain -> how many more there were, and the first of them."""

    @property
    def _changes(self) -> tuple[Changes, ...]:
        return (
            *(self.requests, self.leases, self.attempts, self.settings, self.samples),
            *(self.robots, self.signatures, self.politeness),
        )

    def __bool__(self) -> bool:
        if self.hosts or self.urls or self.seeds or self.pages or self.arrays or self.refusals:
            return True
        return any(one.rows or one.gone for one in self._changes)

    def batches(self) -> Iterator[Batch]:
        """Yield statements with their rows, in the order in which they must run."""
        everything: tuple[Batch, ...] = (
            *(changes.deletions() for changes in self._changes),
            (statements.DELETE_ARRAY, [(name,) for name in self.arrays]),
            (statements.INSERT_HOST, self.hosts),
            (statements.INSERT_URL, self.urls),
            (statements.MARK_SEED, self.seeds),
            (statements.INSERT_PAGE, self.pages),
            *(changes.insertions() for changes in self._changes),
            (statements.INSERT_ARRAY, list(self._chunks())),
            *self._refused(),
        )
        yield from ((statement, rows) for statement, rows in everything if rows)

    def _chunks(self) -> Iterator[tuple[str, int, int, bytes]]:
        for name, (epoch, chunks) in self.arrays.items():
            yield from ((name, number, epoch, chunk) for number, chunk in enumerate(chunks))

    def _refused(self) -> tuple[Batch, Batch]:
        rows = [(*key, *value) for key, value in self.refusals.items()]
        return (
            (
                statements.INSERT_REFUSAL,
                [(reason, domain, example, reason, domain) for reason, domain, _, example in rows],
            ),
            (
                statements.COUNT_REFUSAL,
                [(count, reason, domain) for reason, domain, count, _ in rows],
            ),
        )

    def refuse(self, reason: str, domain: str, count: int, example: str) -> None:
        """Count refused links on top of what was counted."""
        before, first = self.refusals.get((reason, domain), (0, example))
        self.refusals[reason, domain] = before + count, first

    def set_array(self, name: str, epoch: int, array: NDArray[Any]) -> None:
        """Replace an array; it is copied now."""
        self.arrays[name] = epoch, split(array)

    def mark_seed(self, url_id: int) -> None:
        """Make a URL a seed, whether its row has been written or waits."""
        self.seeds.append((url_id,))
        row = self.url(url_id)
        if row is not None:
            self.urls[url_id - self.urls[0][0]] = tuple(row._replace(seed=1))

    def url(self, url_id: int) -> UrlRow | None:
        """Return a URL that waits to be written."""
        first = self.urls[0][0] if self.urls else url_id + 1
        at = url_id - first
        return UrlRow(*self.urls[at]) if 0 <= at < len(self.urls) else None

    def clear(self) -> None:
        """Forget everything: it has been written."""
        for appended in (self.hosts, self.urls, self.seeds, self.pages):
            appended.clear()
        self.arrays.clear()
        self.refusals.clear()
        for changes in self._changes:
            changes.rows.clear()
            changes.gone.clear()
