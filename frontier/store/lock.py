"""One process at a time crawls with a directory, and writes to its original files.

A lock file has a note of its holder beside it. The operating system drops the lock when its holder
dies, so there is no stale lock to clean up; the note may be stale and is only quoted.

A file that is removed, moved or replaced while it is open still accepts writes, which nobody can
read any more. Two calls of `stat` at each commit detect that, in some microseconds.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

from filelock import FileLock, Timeout

from frontier.errors import StoreBusyError, StoreError

LOCK_NAME = "frontier.lock"
HOLDER_NAME = "frontier.pid"


class DirectoryLock:
    """An exclusive claim on a directory, held until `release`."""

    def __init__(self, directory: Path) -> None:
        """Claim `directory`.

        StoreBusyError names the process that holds it already; StoreError where no file can be made
        there.
        """
        self._lock = FileLock(directory / LOCK_NAME)
        self._holder = directory / HOLDER_NAME
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise StoreBusyError(
                f"{directory} is crawled by {_described(self._holder)} right now. Stop that "
                f"crawl or choose another directory."
            ) from None
        except OSError as error:
            raise StoreError(
                f"{directory} cannot be crawled with: {LOCK_NAME} cannot be made or opened there "
                f"({error.strerror}). Check free space and permissions, or choose another place."
            ) from error
        started = datetime.now(timezone.utc).isoformat(timespec="seconds")
        # The lock is valid without its note.
        self._note = json.dumps({"pid": os.getpid(), "started": started})
        with suppress(OSError):
            self._holder.write_text(self._note)

    def release(self) -> None:
        """Release the directory; a directory that has replaced it is left alone."""
        with suppress(OSError, ValueError):
            if self._holder.read_text() == self._note:
                self._holder.unlink()
        self._lock.release()


def is_held(directory: Path) -> bool:
    """Whether a process crawls with a directory: the holder that the note names lives."""
    try:
        pid = int(json.loads((directory / HOLDER_NAME).read_text())["pid"])
        os.kill(pid, 0)
    except PermissionError:
        return True  # a process of another user
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return False
    return True


def _described(holder: Path) -> str:
    try:
        note = json.loads(holder.read_text())
        return f"process {note['pid']} (since {note['started']})"
    except (OSError, ValueError, KeyError, TypeError):
        # The holder has no note: not yet, or its disk is full.
        return "another process"


class FileIdentity:
    """Remembers which database file and which WAL are written to."""

    def __init__(self, path: Path) -> None:
        self._paths = path, path.with_name(f"{path.name}-wal")
        self._known: dict[Path, tuple[int, int]] = {}
        self.lost = False

    def check(self) -> None:
        """Raise StoreError where a file was removed or replaced."""
        for path in self._paths:
            identity = _identity(path)
            if self._known.get(path, identity) != identity or self.lost:
                self.lost = True
                raise StoreError(
                    f"{path} was removed, moved or replaced while the crawl was running. Put it "
                    f"back where it was, with all that lay beside it, or choose another JOBDIR."
                )
            if identity is not None:
                self._known[path] = identity


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
