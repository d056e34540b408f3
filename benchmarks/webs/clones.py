"""A clone of a git repository, read as one commit says: with a work tree or without one.

git itself reads it, so what a web is made of is named by the commit, whatever the work tree holds.
Blobs that a partial clone does not hold are passed over.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.children import BenchmarkError

_LINK = "120000"
"""Mode of a symbolic link."""


@dataclass(frozen=True)
class Clone:
    """A repository at the commit that is checked out."""

    path: Path

    @cached_property
    def commit(self) -> str:
        """The commit, 40 hex digits. Raises BenchmarkError where there is none."""
        return self._git("rev-parse", "--verify", "HEAD^{commit}").decode().strip()

    @cached_property
    def date(self) -> str:
        """Day of the commit."""
        return self._git("log", "-1", "--format=%cs", "HEAD").decode().strip()

    def texts(self, *endings: str, under: str = "") -> dict[str, str]:
        """Path -> text of the files with one of these endings, by path."""
        wanted = {
            path: name
            for path, name in self._files()
            if path.startswith(under) and path.endswith(endings)
        }
        blobs = self._blobs(wanted.values())
        return {path: blobs[name] for path, name in sorted(wanted.items()) if name in blobs}

    def _files(self) -> Iterator[tuple[str, str]]:
        """Path and object name of each file."""
        for line in self._git("ls-tree", "-r", "-z", "HEAD").decode("utf-8", "replace").split("\0"):
            about, _, path = line.partition("\t")
            if path and (fields := about.split())[0] != _LINK and fields[1] == "blob":
                yield path, fields[2]

    def _blobs(self, names: Iterable[str]) -> dict[str, str]:
        asked = "".join(f"{name}\n" for name in names).encode()
        said, at, found = self._git("cat-file", "--batch", given=asked), 0, {}
        while at < len(said):
            end = said.index(b"\n", at)
            name, kind, *size = said[at:end].decode().split()
            at = end + 1
            if kind == "blob":
                length = int(size[0])
                found[name] = said[at : at + length].decode("utf-8", "replace")
                at += length + 1
        return found

    def _git(self, *arguments: str, given: bytes = b"") -> bytes:
        inside = self.path / ".git"
        directory = inside if inside.exists() else self.path
        done = subprocess.run(
            ["git", "--git-dir", str(directory), *arguments],
            input=given,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise BenchmarkError(
                f"expected a clone of a git repository in {self.path}, but git says: "
                f"{done.stderr.decode(errors='replace').strip()}. Name the folder of a clone"
            )
        return done.stdout
