"""Files that appear whole or not at all, and standard output.

A result is written beside its place under a temporary name and renamed when it is complete and
on the disk. A run that is killed leaves an older result as it was. What is at the end of a symbolic
link is replaced, not the link, and keeps its permissions.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO

from ranking.offline.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.streams import COMPRESSED, STDIO

TSV = ".tsv"
PARQUET = ".parquet"


def output_format(path: str | Path) -> str:
    """TSV or PARQUET, by suffix; standard output is TSV.

    Raises OfflineInputError for any other suffix.
    """
    if str(path) == STDIO:
        return TSV
    suffix, compression = _suffixes(Path(path))
    if suffix == TSV or (suffix == PARQUET and not compression):
        return suffix
    raise OfflineInputError(
        f"cannot tell a format from the name {path}; scores are written to "
        f".parquet, .tsv or .tsv{', .tsv'.join(COMPRESSED)}"
    )


def check_output(path: str | Path) -> None:
    """Raise OfflineInputError if scores could not be written there; leaves nothing behind."""
    if output_format(path) == PARQUET:
        pyarrow("writing Parquet", "pyarrow.parquet")
    if _suffixes(Path(path))[1] == ".zst":
        pyarrow("writing .zst files")
    if str(path) == STDIO:
        return
    trial = _temporary(_place(path))
    try:
        if Path(path).is_dir():
            raise IsADirectoryError(0, "it is a directory")
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
    target, part = _place(path), _temporary(_place(path))
    try:
        with part.open("xb") as raw, _compressor(raw, _suffixes(Path(path))[1]) as stream:
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


def _place(path: str | Path) -> Path:
    """Where a file of that name is, or would be."""
    return Path(os.path.realpath(path))


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def _suffixes(path: Path) -> tuple[str, str]:
    """What is left of the last two suffixes, in lower case: format and compression or ''."""
    last = path.suffix.lower()
    return (Path(path.stem).suffix.lower(), last) if last in COMPRESSED else (last, "")


@contextmanager
def _compressor(raw: IO[bytes], suffix: str) -> Iterator[Any]:
    if suffix == ".gz":
        # No name and no time: the same scores are the same bytes.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as stream:
            yield stream
    elif suffix == ".bz2":
        with bz2.BZ2File(raw, "wb") as stream:
            yield stream
    elif suffix == ".xz":
        with lzma.LZMAFile(raw, "wb") as stream:
            yield stream
    elif suffix == ".zst":
        arrow = pyarrow("writing .zst files")
        file = arrow.PythonFile(raw, "w")
        with arrow.CompressedOutputStream(file, "zstd") as stream:
            yield stream
    else:
        yield raw
