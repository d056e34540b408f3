"""Whether the files that are written to are still those that a name leads to.

A file that is removed, moved or replaced while it is open goes on to take what is written: into
nothing that anybody could open again. Two calls of `stat` a commit tell, in some microseconds.
"""

from __future__ import annotations

from pathlib import Path

from frontier.errors import StoreError


class FileIdentity:
    """Remembers which file and which WAL are written to."""

    def __init__(self, path: Path) -> None:
        self._paths = path, path.with_name(f"{path.name}-wal")
        self._known: dict[Path, tuple[int, int]] = {}
        self.lost = False

    def check(self) -> None:
        """Raise StoreError where another file is in the place of one that was there, or none."""
        for path in self._paths:
            found = _identity(path)
            if self._known.get(path, found) != found or self.lost:
                self.lost = True
                raise StoreError(
                    f"{path} was removed, moved or replaced while the crawl was running. Put it "
                    f"back where it was, with all that lay beside it, or choose another JOBDIR."
                )
            if found is not None:
                self._known[path] = found


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
