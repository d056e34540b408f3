"""The place of a follower in a crawl: how it is written, and where it is kept."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from filelock import FileLock, Timeout

from frontier.errors import FollowError
from frontier.store.open import make_directory
from frontier.utils import Closing
from ranking.offline.files import new_file
from ranking.printing import shown

if TYPE_CHECKING:
    from pathlib import Path

_WRITTEN: Final = re.compile(r"([0-9a-f]{32})\.([0-9]{1,15})\.([0-9]{1,9})", re.ASCII)
FOLDER: Final = "follow"
"""Where a crawl's directory keeps the places of its followers."""


class Cursor(NamedTuple):
    """A place between two events of a crawl, written `CRAWL.SEQ.EPOCH`."""

    crawl: str
    """Name of the crawl."""
    seq: int
    """Number of the next answer."""
    epoch: int
    """The re-rank up to which changed scores were handed on."""

    def __str__(self) -> str:
        return f"{self.crawl}.{self.seq}.{self.epoch}"

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """Read a cursor; raises FollowError for any other text."""
        parts = _WRITTEN.fullmatch(text.strip())
        if parts is None:
            raise FollowError(
                f"expected a cursor as events have it, CRAWL.SEQ.EPOCH, got {shown(text)[:80]!r}. "
                f"Copy `cursor` of the last event, or begin anew without --since."
            )
        return cls(parts[1], int(parts[2]), int(parts[3]))


class KeptCursor(Closing):
    """The cursor of one sink, on disk; one follower at a time has it."""

    def __init__(self, directory: Path, key: str, sink: str) -> None:
        """Claim the cursor of a sink, by its key, in the directory of a crawl; `sink` names it.

        Raises FollowError while another process follows for it, StoreError where no folder can be
        made.
        """
        self.folder = directory / FOLDER / sha256(key.encode()).hexdigest()[:16]
        make_directory(self.folder)
        self._sink, self._path = sink, self.folder / "cursor.json"
        self._lock = FileLock(self.folder / "lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise FollowError(
                f"another process hands {directory} on to {sink} right now: expected one at a "
                f"time. Stop it, or name another sink."
            ) from None

    def load(self) -> Cursor | None:
        """Return the place up to which the sink has all; None before the first."""
        try:
            kept: dict[str, Any] = json.loads(self._path.read_text())
            return Cursor.parse(kept["cursor"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FollowError(
                f"{self._path} cannot be read ({error}): expected the cursor of {self._sink}. "
                f"Remove the file to hand on the whole crawl once more."
            ) from error

    def save(self, cursor: Cursor) -> None:
        """Keep a place durably: whole or not at all."""
        with new_file(self._path) as file:
            file.write(json.dumps({"cursor": str(cursor), "to": self._sink}).encode())

    def forget(self) -> None:
        """Have no place: until the next is kept, a start begins with the first event."""
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        self._lock.release()
