"""Files to read and files to write, compressed or not; and standard input and output.

What an input is compressed with is read from its first bytes: standard input has no suffix, and
suffixes lie. All that may go wrong underneath (truncated, damaged, unreadable) comes out as one
OfflineInputError with the name of the file.

An output appears whole or not at all: it is written beside its place under a temporary name and
renamed when it is complete and on the disk. A run that is killed leaves an older result as it was.
What is at the end of a symbolic link is replaced, not the link, and keeps its permissions.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, TextIO

from ranking.errors import OfflineInputError
from ranking.offline.extras import pyarrow

STDIO = "-"
TEXT, PARQUET = "text", "parquet"
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


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


def parquet_parts(path: str | Path) -> list[Path]:
    """The Parquet files of a directory in order, or the one file.

    Subdirectories are partitions, named as other engines name them: key=value. Raises
    OfflineInputError for a directory that holds none.
    """
    file = Path(path)
    if not file.is_dir():
        return [file]
    parts = sorted(_parquet_in(file))
    if not parts:
        raise OfflineInputError(
            f"cannot read {path}: it is a directory without Parquet files; expected *.parquet in it"
        )
    return parts


def _parquet_in(directory: Path) -> Iterator[Path]:
    for one in directory.iterdir():
        if one.is_dir():
            yield from _parquet_in(one) if "=" in one.name else ()
        elif one.suffix.lower() in (".parquet", ".pq") and not one.name.startswith(("_", ".")):
            yield one


def output_format(path: str | Path) -> str:
    """TEXT or PARQUET; standard output is text. Raises OfflineInputError for other suffixes."""
    if str(path) == STDIO:
        return TEXT
    if in_parts(path):
        return PARQUET
    suffix, compression = _suffixes(path)
    if suffix == ".tsv":
        return TEXT
    if suffix == ".parquet" and not compression:
        return PARQUET
    raise OfflineInputError(
        f"cannot tell a format from the name {path}; scores are written to "
        f".parquet, .tsv, .tsv{', .tsv'.join(COMPRESSED)}, or a directory of Parquet files, DIR/"
    )


def in_parts(path: str | Path) -> bool:
    """Whether an output is a directory of Parquet files: its name ends in a slash."""
    return str(path).endswith(("/", os.sep))


def _suffixes(path: str | Path) -> tuple[str, str]:
    """What is left of the last two suffixes, in lower case: format and compression or ''."""
    file = Path(path)
    last = file.suffix.lower()
    return (Path(file.stem).suffix.lower(), last) if last in COMPRESSED else (last, "")


class Source:
    """An open input.

    Attributes:
        name: for messages.
        size: bytes of the file as it lies on the disk; None: unknown, as for a pipe.
        position: bytes read so far: of `size`, or where that is unknown, decompressed ones.

    """

    def __init__(self, name: str, raw: io.BufferedReader, size: int | None) -> None:
        self.name, self.size, self.position = name, size, 0
        self._raw = raw
        self._plain = _decompressed(raw)

    def read(self, size: int) -> bytes:
        """Up to `size` decompressed bytes, none at the end; raises OfflineInputError."""
        try:
            data = bytes(self._plain.read(size))
        except EOFError as error:
            raise OfflineInputError(
                f"{self.name} is truncated: its compressed data ends too early; fetch it again"
            ) from error
        except (OSError, zlib.error, lzma.LZMAError) as error:
            raise OfflineInputError(
                f"{self.name} is damaged or truncated ({error}); fetch it again"
            ) from error
        self.position = self.position + len(data) if self.size is None else self._raw.tell()
        return data


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


def _decompressed(raw: io.BufferedReader) -> Any:
    """Something with `read`."""
    head = raw.peek(8)
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=raw)
    if head.startswith(b"BZh"):
        return bz2.BZ2File(raw)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(raw)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        arrow = pyarrow("reading .zst files")
        return arrow.CompressedInputStream(arrow.PythonFile(raw, "r"), "zstd")
    return raw


def check_input(path: str | Path) -> None:
    """Raise OfflineInputError for what cannot be opened to read; takes nothing from a pipe."""
    if str(path) == STDIO:
        if sys.stdin is None or sys.stdin.isatty():
            raise OfflineInputError("standard input (-) is a terminal; give a file or a pipe")
        return
    file = Path(path)
    try:
        if file.is_dir():
            file = parquet_parts(file)[0]
        if file.is_fifo() or file.is_char_device():
            return  # to open it would take from it
        with file.open("rb"):
            pass
    except OSError as error:
        raise OfflineInputError(f"cannot read {path}: {error.strerror}") from error


def check_output(path: str | Path) -> None:
    """Raise OfflineInputError if scores could not be written there; leaves nothing behind."""
    if output_format(path) == PARQUET:
        pyarrow("writing Parquet", "pyarrow.parquet")
    if _suffixes(path)[1] == ".zst":
        pyarrow("writing .zst files")
    if str(path) == STDIO:
        return
    target, trial = _places(path)
    try:
        if in_parts(path):
            if target.exists() and (not target.is_dir() or any(target.iterdir())):
                raise FileExistsError(0, "there is something already; remove it first")
        elif target.is_dir():
            raise IsADirectoryError(0, "it is a directory; end its name in / for Parquet files")
        with trial.open("xb"):
            pass
        trial.unlink()
    except OSError as error:
        raise OfflineInputError(f"cannot write {path}: {error.strerror}") from error


@contextmanager
def new_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A stream whose bytes become the file when the block ends without an error.

    Compressed by suffix (.gz, .bz2, .xz, .zst); `-` is standard output. Raises OfflineInputError
    where the file cannot be written, BrokenPipeError where nobody reads standard output any more.
    """
    if str(path) == STDIO:
        with _standard_output() as stream:
            yield stream
        return
    target, part = _places(path)
    try:
        with part.open("xb") as raw, _compressor(raw, _suffixes(path)[1]) as stream:
            yield stream
        if target.exists():
            shutil.copymode(target, part)
        # Opened again: pyarrow closes what it compresses into.
        with part.open("rb+") as whole:
            os.fsync(whole.fileno())
        part.replace(target)
    except OSError as error:
        raise OfflineInputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def new_directory(path: str | Path) -> Iterator[Path]:
    """A directory that appears under its name, which must be free, when the block ends.

    Raises OfflineInputError where it cannot be made.
    """
    target, part = _places(path)
    try:
        part.mkdir()
        yield part
        part.replace(target)
    except OSError as error:
        raise OfflineInputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def silence(stream: TextIO) -> None:
    """Send what is still to be written nowhere: Python would complain when it flushes at exit."""
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


def _compressor(raw: IO[bytes], suffix: str) -> AbstractContextManager[Any]:
    if suffix == ".gz":
        # No name and no time: the same scores are the same bytes.
        return gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0)
    if suffix == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if suffix == ".xz":
        return lzma.LZMAFile(raw, "wb")
    if suffix == ".zst":
        arrow = pyarrow("writing .zst files")
        stream: AbstractContextManager[Any]
        stream = arrow.CompressedOutputStream(arrow.PythonFile(raw, "w"), "zstd")
        return stream
    return nullcontext(raw)
