"""At the edges of a salvage: a file that SQLite does not open, and a crawl that is to start.

A file is opened that is cut off before all its tables begin, when it is made longer; and one whose
first page is gone, with that of an empty crawl: it says which tables there are and where they
begin, and every crawl of one version of the schema has the same.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from frontier.errors import StoreDamagedError
from frontier.recovery.check import open_damaged
from frontier.recovery.rehearsal import fault_of
from frontier.store import keys, sqlite

_HEADER = 100
_VERSIONS = slice(18, 20)
"""Where the header says whether the file is in WAL mode, as it is while a crawl runs."""
_WAL = b"\x02\x02"
_PAGE_SIZE = slice(16, 18)
_PAGES = slice(28, 32)
_FREE = slice(32, 40)

_LISTED = "DELETE FROM crawl WHERE key = '{0}'; DELETE FROM arrays WHERE name LIKE '{0}%'"
_PARTS = {
    "scores of the crawl order": _LISTED.format(keys.SCORES),
    "scores before and after the last re-rank": (
        f"DELETE FROM arrays WHERE name IN ('{keys.BEFORE}', '{keys.AFTER}')"  # noqa: S608 - ours
    ),
    "scores from before the crawl": _LISTED.format(keys.PRIOR),
    "trap budgets": f"DELETE FROM arrays WHERE name = '{keys.TRAPS}'",  # noqa: S608 - ours
    "topic model": (
        f"DELETE FROM crawl WHERE key NOT IN ('{keys.IDENTITY}', '{keys.URL_RULES}')"  # noqa: S608 - ours
    ),
    "robots.txt and delays of hosts": "DELETE FROM politeness; DELETE FROM robots",
    "signatures of texts": "DELETE FROM signatures",
    "samples of texts": "DELETE FROM samples",
    "refused links": "DELETE FROM refusals",
    "signals of fetched pages": "UPDATE pages SET features = NULL",
    "link-text matches": "UPDATE pages SET cues = NULL, voices = NULL, contexts = NULL",
    "requests that are more than a URL": "DELETE FROM requests",
    "settings the crawl was started with": "DELETE FROM crawl",
}
"""What a crawl can do without, and how it is taken out."""


def was_closed(path: Path) -> bool:
    """Whether a crawl was closed in order, and lies in its one file."""
    with path.open("rb") as file:
        return file.read(_HEADER)[_VERSIONS] != _WAL


@contextmanager
def open_grafted(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a broken file to read, or what can be made of it; StoreDamagedError if that fails."""
    with (
        TemporaryDirectory(prefix="frontier-") as folder,
        closing(_opened(path, Path(folder))) as connection,
    ):
        yield connection


def _opened(path: Path, folder: Path) -> sqlite3.Connection:
    with suppress(StoreDamagedError):
        return open_damaged(path)
    copy, empty = folder / path.name, folder / "empty"
    sqlite.create_file(empty)
    for graft in (b"", empty.read_bytes()):
        _copy(path, copy, graft, empty.stat().st_size)
        with suppress(StoreDamagedError):
            return open_damaged(copy)
    raise sqlite.damaged(path, "not even its tables can be found, so nothing can be taken from it")


def _copy(path: Path, copy: Path, graft: bytes, least: int) -> None:
    """Copy a file, at least so long, perhaps with another first page, and then without its WAL."""
    shutil.copy(path, copy)
    wal, copy_of_wal = (one.with_name(f"{one.name}-wal") for one in (path, copy))
    copy_of_wal.unlink(missing_ok=True)
    if wal.exists() and not graft:
        shutil.copy(wal, copy_of_wal)
    with copy.open("r+b") as file:
        size = file.truncate(max(least, copy.stat().st_size))
        if graft:
            first = bytearray(graft[: int.from_bytes(graft[_PAGE_SIZE], "big")])
            first[_PAGES] = (size // len(first)).to_bytes(4, "big")
            first[_FREE] = bytes(8)
            file.write(first)


def left_out_to_start(directory: Path) -> tuple[str, ...]:
    """Take out of a salvaged crawl what its start stumbles over; return it in words.

    Raises StoreDamagedError where it would not start in any case.
    """
    fault = fault_of(directory)
    if fault is None:
        return ()
    path = directory / "frontier.sqlite"
    with TemporaryDirectory(prefix="frontier-", dir=directory) as folder:
        whole = Path(folder) / path.name
        shutil.copy(path, whole)

        def starts(without: list[str]) -> bool:
            shutil.copy(whole, path)
            _take_out(path, without)
            return fault_of(directory) is None

        parts = list(_PARTS)
        some = (parts[:count] for count in range(1, len(parts) + 1))
        without = next((one for one in some if starts(one)), None)
        if without is None:
            path.unlink()
            raise StoreDamagedError(f"Nothing that could go on can be made of it: {fault}")
        for part in list(without):
            fewer = [one for one in without if one != part]
            without = fewer if starts(fewer) else without
        starts(without)
        return tuple(without)


def _take_out(path: Path, parts: Sequence[str]) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for part in parts:
            connection.executescript(_PARTS[part])
        connection.commit()
