"""One pass over a WARC file of any crawler with warcio: its whole records, and its damage.

Files are plain or have a gzip member for each record. After damage the pass continues at the next
possible beginning of a record, and the skipped part is reported once. A record is kept as its place
in the file, so that an index holds no bodies.
"""

from __future__ import annotations

import zlib
from contextlib import closing, redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from warcio.archiveiterator import WARCIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParserException

from frontier.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PEEK = 2048
"""Bytes of a block that the index reads: a status line and some header fields."""
_MAGIC = b"\x1f\x8b\x08"
_OPENING = b"\nWARC/"
_STEP = 1 << 20
_BROKEN = (ArchiveLoadFailed, StatusAndHeadersParserException, ValueError, zlib.error)
_CUT = "the file ends inside this record: it was cut off"
_IDS = ("warc-record-id", "warc-concurrent-to")
_ONE_STREAM = (
    "expected a plain WARC file or one gzip member a record, but the records of {path} share "
    "members. Write it anew with: warcio recompress {path} NEW.warc.gz"
)


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """A record: `length` bytes at `offset` of the file, packed or not; its block has `size`."""

    path: Path
    offset: int
    length: int
    size: int

    @property
    def end(self) -> int:
        """Where the record ends in its file."""
        return self.offset + self.length

    def read(self, most: int | None = None) -> bytes:
        """The block, or its first `most` bytes: for HTTP status line, headers and body."""
        with self.path.open("rb") as file:
            file.seek(self.offset)
            with closing(WARCIterator(file, no_record_parse=True)) as records:
                block: bytes = next(records).raw_stream.read(most)
        return block


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record. ``peek`` is the beginning of its block.

    ``fields`` holds the last value of each name; ``exchange`` the ids of the record and of those
    that it is concurrent to.
    """

    place: RecordPlace
    type: str
    fields: dict[str, str]
    peek: bytes
    exchange: frozenset[str]


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a WARC file that cannot be read; ``offset`` counts bytes of the file.

    ``cut_off``: the file ends inside this record.
    """

    file: Path
    offset: int
    reason: str
    url: str = ""
    cut_off: bool = False

    def __str__(self) -> str:
        return f"{self.file}, offset {self.offset:,}: {self.reason}{self.url and f' ({self.url})'}"


def scan(path: Path) -> Iterator[Record | Damage]:
    """Yield every whole record of a file in its order, and every damaged part.

    Raises ``RecordingError`` if the file cannot be read at all, or is one stream of many records.
    """
    with _open(path) as file:
        at = 0
        while at >= 0:
            file.seek(at)
            damage = None
            for part in _records(path, file):
                yield part
                if isinstance(part, Damage):
                    damage = part
                else:
                    at = part.place.end
            if damage is None:
                file.seek(at)
                if file.read(_STEP).strip(b"\r\n\0"):
                    yield Damage(path, at, _CUT)
                return
            at = _next_opening(file, damage.offset + 1)


def require_readable(paths: Iterable[Path]) -> None:
    """Raise RecordingError for the first file that cannot be read."""
    for path in paths:
        _open(path).close()


def is_packed(path: Path) -> bool:
    """Whether a file is compressed with gzip; raises RecordingError if it cannot be read."""
    with _open(path) as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise RecordingError(
            f"expected a WARC file, but {path} cannot be read: {error.strerror}. "
            "Check the name, or record one with: scrapy crawl SPIDER -s WARC_FILE=OUT.warc.gz"
        ) from error


def _next_opening(file: IO[bytes], start: int) -> int:
    """The next place from `start` on where a record may begin; -1 without one."""
    file.seek(0)
    opening = _MAGIC if file.read(len(_MAGIC)) == _MAGIC else _OPENING
    file.seek(start)
    data, at = file.read(_STEP), start
    while data:
        place = data.find(opening)
        if place >= 0:
            return at + place + opening.startswith(b"\n")
        more = file.read(_STEP)
        kept = data[1 - len(opening) :]
        at += len(data) - len(kept)
        data = kept + more if more else b""
    return -1


def _records(path: Path, file: IO[bytes]) -> Iterator[Record | Damage]:
    """Yield records from the position of a file up to the first damage, which comes last."""
    with closing(WARCIterator(file, no_record_parse=True)) as records:
        while (part := _next(path, records)) is not None:
            yield part
            if isinstance(part, Damage):
                return


def _next(path: Path, records: Any) -> Record | Damage | None:
    messages = StringIO()  # warcio writes errors to standard error and goes on
    try:
        with redirect_stderr(messages):
            record = next(records)
            peek = record.raw_stream.read(_PEEK)
            offset, length = records.get_record_offset(), records.get_record_length()
    except StopIteration:
        return None
    except _BROKEN as error:
        return Damage(path, records.offset, f"no WARC record starts here ({error})")
    named = [(name.lower(), value) for name, value in record.rec_headers.headers]
    fields = dict(named)
    damage = _damage(path, offset, records, fields.get("content-length", ""), messages.getvalue())
    if damage is not None:
        return damage
    if records.next_line and records.reader.decompressor:
        raise RecordingError(_ONE_STREAM.format(path=path))
    ids = (id_of(value) for name, value in named if name in _IDS)
    place = RecordPlace(path, offset, length, record.length)
    return Record(place, record.rec_type or "", fields, peek, frozenset(ids) - {""})


def id_of(written: str) -> str:
    """The id of a record, with or without brackets."""
    return written.strip().strip("<>")


def _damage(path: Path, offset: int, records: Any, size: str, messages: str) -> Damage | None:
    """The damage of the record that an iterator has just read to its end, or None."""
    unpacker, stream = records.reader.decompressor, records.record.raw_stream
    is_closed = unpacker is None or unpacker.eof
    is_broken = bool(messages) and not records.err_count
    if not size.strip().isdecimal():
        cut_off = not (is_closed or is_broken)
        return Damage(
            path, offset, f"the record has no valid Content-Length ({size!r})", "", cut_off
        )
    if is_broken:
        return Damage(path, offset, f"the compressed data is broken ({messages.splitlines()[0]})")
    if not is_closed or (stream.limit and unpacker is None):
        return Damage(path, offset, _CUT, cut_off=True)
    if stream.limit:
        return Damage(path, offset, "the record is shorter than its Content-Length says")
    if records.err_count:
        return Damage(path, offset, "the record is longer than its Content-Length says")
    return None
