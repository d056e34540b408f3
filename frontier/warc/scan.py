"""One pass over a WARC file of any crawler: the records that are whole, and the damage.

Three layouts are read: plain, one gzip member a record, and one gzip stream (or a few)
over many records. warcio parses the record headers; walking from record to record is
done here, because a file may be cut off or broken anywhere and what lies behind the
damage is still wanted. After damage the walk goes on at the next place that opens a
record, and the part skipped is reported once.
"""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass
from io import BytesIO
from typing import IO, TYPE_CHECKING

from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecordLoader
from warcio.statusandheaders import StatusAndHeadersParserException

from frontier.errors import RecordingError
from frontier.warc import gzip_members
from frontier.warc.sources import Damage, MemberSource, Place, PlainSource, Source, spool

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
_UNPACKED = " (offset in the unpacked data)"
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
    file = _open(path)
    if not file.seek(0, 2):
        file.close()
        return
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[: len(gzip_members.MAGIC)] == gzip_members.MAGIC:
            sources.append(member_source := MemberSource(file))
            yield from _scan_members(path, data, member_source, sources)
        else:
            sources.append(plain_source := PlainSource(file))
            yield from _scan_plain(path, data, plain_source, "")


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
            yield Damage(path, at, found + note)
            later = _LATER_RECORD.search(data, at)
            at = later.start() + 1 if later else len(data)


def _plain_record(data: mmap.mmap, at: int, source: Source) -> Record | str:
    header = _header(data[at : at + _header_length(data, at)])
    if isinstance(header, str):
        return header
    length = header.end + header.size
    if at + length > len(data):
        return "the file ends inside this record: it was cut off"
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
    end = _HEADER_END.search(data, at, at + gzip_members.OPENING)
    return end.end() - at if end else gzip_members.OPENING


def _after_blank(data: mmap.mmap, at: int) -> int:
    blank = _BLANK.match(data, at)
    return blank.end() if blank else at


def _scan_members(
    path: Path, data: mmap.mmap, source: MemberSource, sources: list[Source]
) -> Iterator[Record | Damage]:
    at, lost = 0, False
    while at < len(data):
        member = gzip_members.read_member(data, at)
        header = _header(member.opening)
        surplus = _surplus(member, header)
        if isinstance(header, _Header) and not member.fault and 0 <= surplus <= len(RECORD_END):
            yield _member_record(member, header, source)
        elif surplus > len(RECORD_END):
            yield from _scan_stream(path, data, at, sources)
            yield from _faults(path, member)
        elif not lost or isinstance(header, _Header):
            # Inside damaged data, what only looks like a member is no damage of its own.
            yield Damage(path, at, member.fault or _why(header))
        lost = bool(member.fault)
        at = _next_member(data, member)


def _surplus(member: gzip_members.Member, header: _Header | str) -> int:
    """Bytes in the member after the block of its first record; negative if it is short.

    One record is followed by ``RECORD_END`` or less of it, more means more records.
    """
    return -1 if isinstance(header, str) else member.size - header.end - header.size


def _why(header: _Header | str) -> str:
    if isinstance(header, str):
        return header
    return "the record is shorter than its Content-Length says"


def _faults(path: Path, member: gzip_members.Member) -> Iterator[Damage]:
    if member.fault:
        yield Damage(path, member.start, member.fault)


def _next_member(data: mmap.mmap, member: gzip_members.Member) -> int:
    if member.fault:
        return gzip_members.next_member(data, member.start + 1)
    return gzip_members.next_member(data, member.end)


def _member_record(member: gzip_members.Member, header: _Header, source: Source) -> Record:
    place = Place(source, member.start, member.end - member.start, header.end, header.size)
    peek = member.opening[header.end : header.end + min(header.size, _PEEK)]
    return Record(place, header.type, header.fields, peek)


def _scan_stream(
    path: Path, data: mmap.mmap, at: int, sources: list[Source]
) -> Iterator[Record | Damage]:
    """Unpack the member at ``at`` and walk through the records in it."""
    file = spool()
    sources.append(source := PlainSource(file))
    gzip_members.unpack_into(data, at, file)
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as unpacked:
        yield from _scan_plain(path, unpacked, source, _UNPACKED)
