"""A directory in which links lie sorted, so that a run that was ended goes on from there.

`work.json` says what they were read from and how. It is written last: without it, or with that of
another input, nothing in the directory counts.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from ranking.errors import OfflineInputError
from ranking.external.checkpoint import Checkpoint
from ranking.external.lists import LinkLists
from ranking.offline._names import NameTable
from ranking.offline.files import STDIO, new_file, parquet_parts
from ranking.offline.names import Names, NumberNames, TextNames, packed

_WORK = "work.json"
_PART = f".{_WORK}."  # of the temporary name of `new_file`
_ITERATE = "iterate-"
_VERSION = 1
_BLOCK = 1 << 16  # names written at a time


@dataclass(frozen=True)
class Input:
    """What links are read from, and how; see `ranking.offline.edges.read_edges`."""

    path: str
    size: int
    changed: int
    separator: str | None
    weighted: bool
    named: bool

    @classmethod
    def of(cls, path: str, separator: str | None, *, weighted: bool, named: bool) -> Input:
        """As it is now."""
        if path == STDIO:
            return cls(path, 0, 0, separator, weighted, named)
        found = [part.stat() for part in parquet_parts(path)]
        size, changed = sum(one.st_size for one in found), max(one.st_mtime_ns for one in found)
        return cls(str(Path(path).resolve()), size, changed, separator, weighted, named)


@dataclass(frozen=True)
class Sorted:
    """What lies in the directory."""

    lists: LinkLists
    names: Names
    separator: str


class WorkDirectory:
    """See the module. Only what it wrote itself is ever removed from the directory.

    Raises OfflineInputError where the directory cannot be used, or holds anything else.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._links = path, path / "links"
        try:
            path.mkdir(exist_ok=True)
            strange = sorted(p.name for p in path.iterdir() if not _is_ours(p.name))
        except OSError as error:
            raise OfflineInputError(f"cannot work in {path}: {error.strerror}") from error
        if strange:
            raise OfflineInputError(
                f"{path} holds other files ({', '.join(strange[:3])}); "
                "give a new or empty directory with --work"
            )

    def left(self, given: Input) -> Sorted | None:
        """What an earlier run of the same input left, None where there is none."""
        with suppress(OSError, ValueError):
            work = json.loads((self._path / _WORK).read_text(encoding="utf-8"))
            same = {"version": _VERSION, "input": asdict(given)}
            if given.path != STDIO and {key: work[key] for key in same} == same:
                names = self._names()
                return Sorted(LinkLists(self._links), names, work["separator"])
        return None

    def emptied(self) -> Path:
        """The directory for links, empty; nothing counts until `keep`."""
        (self._path / _WORK).unlink(missing_ok=True)
        shutil.rmtree(self._links, ignore_errors=True)
        for path in self._path.iterdir():
            if path.name.startswith((_PART, _ITERATE)):
                path.unlink()
        self._links.mkdir()
        return self._links

    def keep(self, given: Input, work: Sorted) -> None:
        """Note that the links of an input are sorted."""
        if isinstance(work.names, NumberNames):
            np.save(self._links / "numbers.npy", work.names.numbers)
        else:
            self._write_names(work.names)
        note = {"version": _VERSION, "input": asdict(given), "separator": work.separator}
        with new_file(self._path / _WORK) as file:
            file.write(json.dumps(note).encode())

    def checkpoint(self, question: bytes, told: Callable[[int, float], None]) -> Checkpoint:
        """Where the iteration is kept that answers a question: method, damping, vector."""
        return Checkpoint(self._path / f"{_ITERATE}{sha256(question).hexdigest()[:16]}.npz", told)

    def remove(self) -> None:
        """Remove what was written, and the directory if it is empty then."""
        self.emptied()
        self._links.rmdir()
        with suppress(OSError):
            self._path.rmdir()

    def _names(self) -> Names:
        if (self._links / "numbers.npy").exists():
            return NumberNames(np.load(self._links / "numbers.npy"))
        lengths = np.load(self._links / "lengths.npy")
        table = NameTable()
        with (self._links / "names").open("rb") as stream:
            for start in range(0, len(lengths), _BLOCK):
                part = lengths[start : start + _BLOCK]
                ends = np.cumsum(part, dtype=np.int64)
                text = stream.read(int(ends[-1]))
                table.intern(text, ends - part, part, np.empty(len(part), np.int32))
        return TextNames(table)

    def _write_names(self, names: Names) -> None:
        lengths = np.empty(len(names), np.int32)
        with (self._links / "names").open("wb") as stream:
            for start in range(0, len(names), _BLOCK):
                text, _, each = packed(names[start : start + _BLOCK])
                lengths[start : start + _BLOCK] = each
                stream.write(text)
        np.save(self._links / "lengths.npy", lengths)


def _is_ours(name: str) -> bool:
    return name in (_WORK, "links") or name.startswith((_PART, _ITERATE))
