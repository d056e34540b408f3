"""Opening a WARC file to append to it, also after a crash.

Most readers would not see records behind an unfinished one, so an unfinished record at the end is
cut off. A file that is damaged elsewhere, or no WARC, is refused and left as it is.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # there are no locks

from frontier.errors import RecordingError
from frontier.warc.records import Damage, is_packed, scan

if TYPE_CHECKING:
    from pathlib import Path

    from frontier.warc.records import RecordPlace

logger = logging.getLogger(__name__)

_RECORD_END = b"\r\n\r\n"


def open_recording(path: Path) -> IO[bytes]:
    """Open a WARC file behind its last whole record; make it if it is missing.

    The handle is unbuffered. Raises ``RecordingError`` if the file holds something
    else, is damaged before its end, or cannot be written.
    """
    with ExitStack() as opened:
        try:
            exists = path.exists()
            mode = "r+b" if exists else "x+b"
            file: IO[bytes] = opened.enter_context(path.open(mode, buffering=0))
            _claim(file, path)
            end, missing = _whole_part(path) if exists else (0, b"")
            file.truncate(end)
            file.seek(end)
            file.write(missing)
        except OSError as error:
            raise RecordingError(
                f"expected a WARC file that can be written, but {path} cannot: {error.strerror}. "
                "Check free space and permissions, or name another file"
            ) from error
        opened.pop_all()
    return file


def _claim(file: IO[bytes], path: Path) -> None:
    """Lock the file against other writers, which would cut off unfinished records."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RecordingError(
            f"expected a WARC file that nobody else writes, but another process records to {path} "
            f"right now. Name another file"
        ) from None


def _whole_part(path: Path) -> tuple[int, bytes]:
    """The number of bytes to keep of a file, and the bytes that end its last record."""
    last: RecordPlace | None = None
    damages: list[Damage] = []
    for part in scan(path):
        if isinstance(part, Damage):
            damages.append(part)
        else:
            last, damages = part.place, []
    if last is None and path.stat().st_size:
        # A recording killed during its first record holds no other.
        if not (len(damages) == 1 and damages[0].cut_off and damages[0].offset == 0):
            raise RecordingError(_refusal(path, "holds no WARC record"))
    elif len(damages) > 1:
        raise RecordingError(_refusal(path, f"is damaged at offset {damages[0].offset:,}"))
    if damages:
        logger.warning("Cutting an unfinished record off a recording: %s", damages[0])
    if last is None:
        return 0, b""
    return last.end, b"" if is_packed(path) else _RECORD_END


def _refusal(path: Path, fault: str) -> str:
    return (
        f"expected a new name or a WARC file to append to, but {path} {fault}. "
        "It was left as it is: name another file"
    )
