"""Bytes from a file or standard input, decompressed, with how far the reading is.

What a file is compressed with is read from its first bytes: standard input has no suffix, and
suffixes lie. All that may go wrong underneath (truncated, damaged, unreadable) comes out as one
OfflineInputError with the name of the file.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ranking.offline.errors import OfflineInputError
from ranking.offline.extras import pyarrow

STDIO = "-"
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")

_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError)


class Source:
    """An open input.

    Attributes:
        name: for messages.
        size: bytes of the file as it lies on the disk; None: unknown, as for a pipe.

    """

    def __init__(self, name: str, raw: io.BufferedReader, size: int | None) -> None:
        self.name, self.size = name, size
        self._raw = _Counted(raw)
        self._plain: Any = _decompressed(self._raw, raw.peek(8))

    @property
    def position(self) -> int:
        """Bytes read so far, of `size`."""
        return self._raw.count

    def read(self, size: int) -> bytes:
        """Up to `size` decompressed bytes, none at the end; raises OfflineInputError."""
        try:
            return bytes(self._plain.read(size))
        except EOFError as error:
            raise OfflineInputError(
                f"{self.name} is truncated: its compressed data ends too early; fetch it again"
            ) from error
        except _DAMAGE as error:
            raise OfflineInputError(
                f"{self.name} is damaged or truncated ({error}); fetch it again"
            ) from error


@contextmanager
def open_source(path: str | Path) -> Iterator[Source]:
    """Open a file, or standard input for `-`; raises OfflineInputError where that fails."""
    if str(path) == STDIO:
        with io.FileIO(0, closefd=False) as stdin:
            yield Source("standard input", io.BufferedReader(stdin), None)
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below, outside of this try
    except OSError as error:
        raise OfflineInputError(f"cannot read {path}: {error.strerror}") from error
    with file:
        status = Path(path).stat()
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        yield Source(str(path), file, size)


class _Counted(io.RawIOBase):
    """A reader that knows how many bytes went through it."""

    def __init__(self, raw: IO[bytes]) -> None:
        self.raw, self.count = raw, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.raw.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)


def _decompressed(raw: Any, head: bytes) -> Any:
    """Something with `read`; `head` are the first bytes, which `raw` still has."""
    suffix = next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")
    if suffix == ".gz":
        return gzip.GzipFile(fileobj=raw)
    if suffix == ".bz2":
        return bz2.BZ2File(raw)
    if suffix == ".xz":
        return lzma.LZMAFile(raw)
    if suffix == ".zst":
        arrow = pyarrow("reading .zst files")
        return arrow.CompressedInputStream(arrow.PythonFile(raw, "r"), "zstd")
    return raw
