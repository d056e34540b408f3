"""Files to read and files to write, compressed or not; and standard input and output.

What an input is compressed with is read from its first bytes: standard input has no suffix, and
suffixes lie. All that may go wrong underneath (truncated, damaged, unreadable) comes out as
OfflineInputError with the name of the file.

An output appears whole or not at all: it is written beside its place under a temporary name and
renamed when it is complete and on the disk. A run that is killed leaves an older result as it was.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, TextIO

from ranking.errors import OfflineInputError
from ranking.offline.extras import pyarrow

STDIO = "-"
TEXT, PARQUET = "text", "parquet"
_MODULES: dict[str, Any] = {".gz": gzip, ".bz2": bz2, ".xz": lzma}
_FIRST_BYTES = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}
COMPRESSED = tuple(_MODULES)
_HEAD = 1 << 16  # bytes; a head line and the comments before it are shorter


def input_format(path: str | Path) -> str:
    """TEXT or PARQUET, by suffix or by the first bytes; a directory is of Parquet files.

    Standard input is text.
    """
    file = Path(path)
    if file.suffix.lower() in (".parquet", ".pq") or file.is_dir():
        return PARQUET
    if str(path) != STDIO and file.is_file():
        with suppress(OSError), file.open("rb") as head:
            return PARQUET if head.read(4) == b"PAR1" else TEXT
    return TEXT


def output_format(path: str | Path) -> str:
    """TEXT or PARQUET; standard output is text. Raises OfflineInputError for other suffixes."""
    name = str(path).lower()
    if name.endswith(".parquet"):
        return PARQUET
    if str(path) == STDIO or name.removesuffix(_compression(path)).endswith(".tsv"):
        return TEXT
    raise OfflineInputError(
        f"cannot tell a format from the name {path}; scores are written to "
        f".parquet, .tsv or .tsv{', .tsv'.join(COMPRESSED)}"
    )


def _compression(path: str | Path) -> str:
    suffix = Path(path).suffix.lower()
    return suffix if suffix in COMPRESSED else ""


class Source:
    """An open input, readable as pyarrow reads files; `name` is for messages, `head` its start."""

    closed = False

    def __init__(self, name: str, raw: io.BufferedReader) -> None:
        self.name = name
        first = raw.peek(8)
        suffix = next((kind for mark, kind in _FIRST_BYTES.items() if first.startswith(mark)), "")
        self._plain = _MODULES[suffix].open(raw) if suffix else raw
        self.head = self._start = self._read(_HEAD)

    def read(self, size: int) -> bytes:
        """Up to `size` decompressed bytes, none at the end; raises OfflineInputError."""
        if not self._start:
            return self._read(size)
        start, self._start = self._start[:size], self._start[size:]
        return start

    def _read(self, size: int) -> bytes:
        try:
            return bytes(self._plain.read(size))
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise OfflineInputError(
                f"{self.name} is damaged or truncated ({error}); fetch it again"
            ) from error

    def close(self) -> None:
        """Nothing: `open_source` closes the file."""


@contextmanager
def open_source(path: str | Path) -> Iterator[Source]:
    """Open a file, or standard input for `-`; raises OfflineInputError where that fails."""
    if str(path) == STDIO:
        with io.FileIO(0, closefd=False) as stdin:
            yield Source("standard input", io.BufferedReader(stdin))
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below, outside of this try
    except OSError as error:
        raise OfflineInputError(f"cannot read {path}: {error.strerror}") from error
    with file:
        yield Source(str(path), file)


def check_input(path: str | Path) -> None:
    """Raise OfflineInputError for what cannot be opened to read; takes nothing from a pipe."""
    if str(path) == STDIO:
        if sys.stdin is None or sys.stdin.isatty():
            raise OfflineInputError("standard input (-) is a terminal; give a file or a pipe")
        return
    file = Path(path)
    if file.is_dir():
        if not (any(file.glob("*.parquet")) or any(file.glob("*=*/**/*.parquet"))):
            raise OfflineInputError(
                f"cannot read {path}: it is a directory without Parquet files; expected *.parquet"
            )
    elif not file.is_fifo():  # to open it would take from it
        with open_source(path):
            pass


def check_output(path: str | Path) -> None:
    """Raise OfflineInputError if scores could not be written there; leaves nothing behind."""
    if output_format(path) == PARQUET:
        pyarrow("writing Parquet", "pyarrow.parquet")
    if str(path) == STDIO:
        return
    target, _ = _places(path)
    if target.is_dir():
        raise OfflineInputError(f"cannot write {path}: it is a directory; name a file in it")
    if not os.access(target.parent, os.W_OK):
        why = "may not be written" if target.parent.is_dir() else "No such file or directory"
        raise OfflineInputError(f"cannot write {path}: {why}, {target.parent}")


@contextmanager
def new_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a stream whose bytes become the file when the block ends without an error.

    Compressed by suffix (.gz, .bz2, .xz); `-` is standard output. The target of a symbolic link is
    replaced, not the link. Raises OfflineInputError where the file cannot be written,
    BrokenPipeError where standard output is no longer read.
    """
    if str(path) == STDIO:
        with _standard_output() as stream:
            yield stream
        return
    target, part = _places(path)
    try:
        suffix = _compression(path)
        with part.open("xb") as raw:
            with _MODULES[suffix].open(raw, "wb") if suffix else nullcontext(raw) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(target)
    except OSError as error:
        raise OfflineInputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink()


def silence(stream: TextIO) -> None:
    """Drop what is still to be written: Python would complain when it flushes at exit."""
    with suppress(OSError):  # a stream of a test has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(sys.stdout)
        raise OfflineInputError(
            f"cannot write to standard output: {error.strerror or error}"
        ) from error


def _places(path: str | Path) -> tuple[Path, Path]:
    """Where a file of that name is, or would be, and where it is until it is complete."""
    target = Path(os.path.realpath(path))
    return target, target.with_name(f".{target.name}.{os.getpid()}.part")
