"""Pages of a running crawl that wait for its index: a file with a line of JSON for each.

A line is written before the store commits the page, so that after a kill every page of the store is
in the index or in this file, which the next run, or `scrapy frontier index`, reads. Memory holds no
pages. A line with only an id removes that page from the index.
"""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from frontier.errors import StoreBusyError
from frontier.search.index import IndexedPage
from frontier.store.lock import DirectoryLock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from frontier.search.index import SearchIndex

FILE_NAME: Final = "search.pending.jsonl"
_TAKEN: Final = "search.taken.jsonl"
_AT_ONCE: Final = 128
"""Pages of a commit."""


class PendingPages:
    """The file of the crawling process."""

    def __init__(self, directory: Path) -> None:
        """Append behind the last whole line; raises OSError."""
        self._path = directory / FILE_NAME
        self._taken = directory / _TAKEN
        self._file = self._path.open("a+b", buffering=0)
        self.waiting = 0
        """Lines since the last `pass_on`."""
        self._cut()

    def _cut(self) -> None:
        """Remove an unfinished line, after a kill or a full disk."""
        end = self._file.seek(0, 2)
        while end:
            begin = max(0, end - 65_536)
            self._file.seek(begin)
            line_end = self._file.read(end - begin).rfind(b"\n")
            if line_end >= 0:
                end = begin + line_end + 1
                break
            end = begin
        self._file.truncate(end)

    def put(self, page: IndexedPage | tuple[int]) -> None:
        """Add a page to be indexed, or the id of a page to be removed.

        Raises OSError if it cannot be written; the file then ends as before.
        """
        data = json.dumps(page).encode() + b"\n"  # in ASCII, as a text may hold lone surrogates
        if self._file.write(data) != len(data):
            self._cut()
            raise OSError(f"{self._path} was not written to its end")
        self.waiting += 1

    def pass_on(self) -> None:
        """Leave the lines to `take_in`; does nothing while that has not ended."""
        if self._taken.exists():
            return
        self._file.close()
        self._path.replace(self._taken)
        self._file = self._path.open("a+b", buffering=0)
        self.waiting = 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def are_pending(directory: Path) -> bool:
    """Whether pages wait in a directory."""
    return any((directory / name).exists() for name in (_TAKEN, FILE_NAME))


def take_in(directory: Path, index: SearchIndex) -> Iterator[None]:
    """Index the passed-on pages, and without a running crawl all waiting ones, 128 at a time."""
    taken = directory / _TAKEN
    yield from _read(taken, index)
    with suppress(StoreBusyError, FileNotFoundError):
        lock = DirectoryLock(directory)
        try:
            (directory / FILE_NAME).replace(taken)
        finally:
            lock.release()
        yield from _read(taken, index)


def _read(path: Path, index: SearchIndex) -> Iterator[None]:
    with suppress(FileNotFoundError):
        with path.open("rb") as file:
            while lines := list(islice(file, _AT_ONCE)):
                _index(index, lines)
                if len(lines) == _AT_ONCE:
                    yield
        path.unlink()


def _index(index: SearchIndex, lines: Iterable[bytes]) -> None:
    pages: dict[int, list[Any]] = {}
    for line in lines:
        with suppress(ValueError):  # an unfinished line, whose page is fetched again
            values = json.loads(line)
            pages[values[0]] = values
    index.remove(url_id for url_id, values in pages.items() if len(values) == 1)
    index.add(IndexedPage(*values) for values in pages.values() if len(values) > 1)
