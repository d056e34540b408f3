"""One pass over a WARC file of any crawler: the records that are whole, and the damage.

Four layouts are read: plain, one gzip member a record, one gzip stream (or a few) over many
records, and members that end anywhere (bgzip). warcio parses the record headers; walking from
record to record is done here, because a file may be cut off or broken anywhere and what lies behind
the damage is still wanted. After damage the walk goes on at the next place that opens a record, and
the part skipped is reported once.
"""

from __future__ import annotations

import mmap
import re
import tempfile
import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import IO, TYPE_CHECKING

from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecordLoader
from warcio.statusandheaders import StatusAndHeadersParserException

from frontier.errors import RecordingError
from frontier.warc.sources import GZIP, Damage, MemberSource, Place, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_RECORD = re.compile(rb"WARC/[01]\.\d+\r?\n")
_LATER_RECORD = re.compile(rb"\nWARC/[01]\.\d+\r?\n")
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_BLANK = re.compile(rb"[\r\n]*")
RECORD_END = b"\r\n\r\n"
# How much of a block the index looks at: a status line and some header fields.
_PEEK = 2048
_MAGIC = b"\x1f\x8b\x08"
# Large enough for most pages in one step, small enough that one step of a
# compression bomb (1,000 : 1) stays below 70 MB.
_STEP = 1 << 16
# More than any crawler writes as the header of a record (a long URL or two).
_OPENING = 1 << 16
_UNPACKED = " (offset in the unpacked data)"
_CUT = "the file ends inside this record: it was cut off"
_CUT_MEMBER = "the file ends inside a compressed record: it was cut off"
_LOADER = ArcWarcRecordLoader(verify_http=False, arc2warc=False)


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record: where it lies, its type and header fields, how its block opens."""

    place: Place
    type: str
    fields: dict[str, str]
    peek: bytes


@dataclass(frozen=True, slots=True)
class _Header:
    """A parsed record header: ``end`` and ``size`` (of the block) in bytes."""

    type: str
    fields: dict[str, str]
    end: int
    size: int


def _header(opening: bytes) -> _Header | str:
    """The header that ``opening`` starts with, or why there is none."""
    if not _RECORD.match(opening):
        return "no WARC record starts here"
    end = _HEADER_END.search(opening)
    if not end:
        return "the header of the record has no end"
    try:
        record = _LOADER.parse_record_stream(
            BytesIO(opening[: end.end()]), known_format="warc", no_record_parse=True
        )
    except (ArchiveLoadFailed, StatusAndHeadersParserException, EOFError, ValueError) as error:
        return f"the header of the record is broken ({error})"
    fields = {name.lower(): value for name, value in record.rec_headers.headers}
    length = fields.get("content-length", "").strip()
    if not length.isdecimal():
        return f"the record has no valid Content-Length ({length!r})"
    return _Header(record.rec_type or "", fields, end.end(), int(length))


def scan(path: Path, sources: list[Source]) -> Iterator[Record | Damage]:
    """Yield every whole record of a file in its order, and every damaged part.

    What stays open for reading records later is added to ``sources``. Raises
    ``RecordingError`` if the file cannot be read at all.
    """
    with _open(path) as file:
        if not file.seek(0, 2):
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            packed = data[: len(_MAGIC)] == _MAGIC
            sources.append(source := MemberSource(path) if packed else Source(path))
            if isinstance(source, MemberSource):
                yield from _scan_members(path, data, source, sources)
            else:
                yield from _scan_plain(path, data, source, "")


def require_readable(paths: Iterable[Path]) -> None:
    """Raise RecordingError for the first file that cannot be opened, before any is read."""
    for path in paths:
        _open(path).close()


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise RecordingError(
            f"expected a WARC file, but {path} cannot be read: {error.strerror}. "
            "Check the name, or record one with: scrapy web record OUT.warc.gz SPIDER"
        ) from error


def _scan_plain(
    path: Path, data: mmap.mmap, source: Source, note: str
) -> Iterator[Record | Damage]:
    at = _after_blank(data, 0)
    while at < len(data):
        found = _plain_record(data, at, source)
        if isinstance(found, Record):
            yield found
            at = _after_blank(data, at + found.place.length)
        else:
            yield Damage(path, at, found + note, cut_off=found == _CUT)
            later = _LATER_RECORD.search(data, at)
            at = later.start() + 1 if later else len(data)


def _plain_record(data: mmap.mmap, at: int, source: Source) -> Record | str:
    header = _header(data[at : at + _header_length(data, at)])
    if isinstance(header, str):
        return header
    length = header.end + header.size
    if at + length > len(data):
        return _CUT
    if not _ends_at(data, at + length):
        return "the record is longer than its Content-Length says"
    place = Place(source, at, length, header.end, header.size)
    block = at + header.end
    peek = data[block : block + min(header.size, _PEEK)]
    return Record(place, header.type, header.fields, peek)


def _ends_at(data: mmap.mmap, at: int) -> bool:
    """True if a record can end here: at its separator, the next record, or the end."""
    after = _after_blank(data, at)
    separated = data[at : at + len(RECORD_END)] == RECORD_END
    return separated or after == len(data) or bool(_RECORD.match(data, after))


def _header_length(data: mmap.mmap, at: int) -> int:
    end = _HEADER_END.search(data, at, at + _OPENING)
    return end.end() - at if end else _OPENING


def _after_blank(data: mmap.mmap, at: int) -> int:
    blank = _BLANK.match(data, at)
    return blank.end() if blank else at


def _scan_members(
    path: Path, data: mmap.mmap, source: MemberSource, sources: list[Source]
) -> Iterator[Record | Damage]:
    at, lost = 0, False
    while at < len(data):
        member = _read_member(data, at)
        header = _header(member.opening)
        surplus = _surplus(member, header)
        is_whole = isinstance(header, _Header) and not member.fault
        if is_whole and surplus == len(RECORD_END):
            yield _member_record(member, header, source)
        elif not member.fault and _goes_on(data, member.end):
            yield from _scan_stream(path, data, at, len(data), sources)
            return
        elif is_whole and 0 <= surplus < len(RECORD_END):
            yield _member_record(member, header, source)
        elif surplus > len(RECORD_END):
            yield from _scan_stream(path, data, at, member.end, sources)
        elif (member.size or member.fault) and (not lost or isinstance(header, _Header)):
            # An empty member is bgzip's end of a file. Inside damaged data, what only looks like
            # a member is no damage of its own.
            short = "the record is shorter than its Content-Length says"
            reason = member.fault or (header if isinstance(header, str) else short)
            opens = _RECORD.match(member.opening) is not None
            yield Damage(path, at, reason, cut_off=opens and member.fault == _CUT_MEMBER)
        lost = bool(member.fault)
        at = _next_magic(data, member.start + 1 if lost else member.end)


def _surplus(member: _Member, header: _Header | str) -> int:
    """Bytes in the member after the block of its first record; negative if it is short.

    One record is followed by ``RECORD_END`` or less of it, more means more records.
    """
    return -1 if isinstance(header, str) else member.size - header.end - header.size


def _member_record(member: _Member, header: _Header | str, source: Source) -> Record:
    assert isinstance(header, _Header)
    place = Place(source, member.start, member.end - member.start, header.end, header.size)
    peek = member.opening[header.end : header.end + min(header.size, _PEEK)]
    return Record(place, header.type, header.fields, peek)


def _goes_on(data: mmap.mmap, end: int) -> bool:
    """Whether the member behind `end` goes on with a record, as in what bgzip packed."""
    at = _next_magic(data, end)
    opening = _read_member(data, at).opening if at < len(data) else b""
    return bool(opening) and not _RECORD.match(opening)


def _scan_stream(
    path: Path, data: mmap.mmap, at: int, end: int, sources: list[Source]
) -> Iterator[Record | Damage]:
    """Unpack the members from `at` to `end` and walk through the records in them."""
    file = tempfile.TemporaryFile(prefix="frontier-warc-")  # noqa: SIM115  # the source closes it
    sources.append(source := Source(path, file, at))
    damages = []
    while at < end:
        start = at
        try:
            for piece, after in _unpacked(data, start):
                file.write(piece)
                at = _next_magic(data, after) if after else at
        except (EOFError, zlib.error) as error:
            damages.append(Damage(path, start, _fault(error)))
            at = _next_magic(data, start + 1)
    file.flush()
    if file.tell():
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as unpacked:
            yield from _scan_plain(path, unpacked, source, _UNPACKED)
    yield from damages


@dataclass(slots=True)
class _Member:
    """One member: ``size`` bytes unpacked, from ``start`` to ``end`` of the file.

    ``opening`` holds the first 64 KiB unpacked. ``fault`` is empty when the member is
    whole.
    """

    start: int
    end: int
    opening: bytes
    size: int
    fault: str


def _unpacked(data: mmap.mmap, start: int) -> Iterator[tuple[bytes, int]]:
    """Yield (unpacked bytes, end of the member or 0 while it goes on).

    Raises ``zlib.error`` where the data is broken, ``EOFError`` where it is cut off.
    """
    unpacker = zlib.decompressobj(GZIP)
    for position in range(start, len(data), _STEP):
        packed = data[position : position + _STEP]
        piece = unpacker.decompress(packed)
        if unpacker.eof:
            yield piece, position + len(packed) - len(unpacker.unused_data)
            return
        yield piece, 0
    raise EOFError


def _read_member(data: mmap.mmap, start: int) -> _Member:
    """Measure the member that opens at ``start``."""
    opening, size, end, fault = b"", 0, len(data), ""
    try:
        for piece, last in _unpacked(data, start):
            if len(opening) < _OPENING:
                opening += piece[: _OPENING - len(opening)]
            size += len(piece)
            end = last or end
    except (EOFError, zlib.error) as error:
        fault = _fault(error)
    return _Member(start, end, opening, size, fault)


def _fault(error: Exception) -> str:
    if isinstance(error, EOFError):
        return _CUT_MEMBER
    return f"the compressed data is broken ({error})"


def _next_magic(data: mmap.mmap, start: int) -> int:
    """The next offset from ``start`` on that may open a member, or the end of the data."""
    found = data.find(_MAGIC, start)
    return len(data) if found < 0 else found
