"""The gzip members of a file, one after the other, unpacked without keeping them.

Only the opening of a member (where the headers of a record are) and what follows the
record are kept: a member can hold one record of any size, or a whole crawl.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from frontier.warc.sources import GZIP

if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap

MAGIC = b"\x1f\x8b\x08"
# Large enough for most pages in one step, small enough that one step of a
# compression bomb (1,000 : 1) stays below 70 MB.
_STEP = 1 << 16
# More than any crawler writes as the header of a record (a long URL or two).
OPENING = 1 << 16


@dataclass(slots=True)
class Member:
    """One member: ``size`` bytes unpacked, from ``start`` to ``end`` of the file.

    ``opening`` holds the first 64 KiB unpacked. ``fault`` is empty when the member is
    whole.
    """

    start: int
    end: int
    opening: bytes
    size: int
    fault: str


def unpack(data: mmap, start: int) -> Iterator[tuple[bytes, int]]:
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


def read_member(data: mmap, start: int) -> Member:
    """Measure the member that opens at ``start``."""
    opening, size, end, fault = b"", 0, len(data), ""
    try:
        for piece, last in unpack(data, start):
            if len(opening) < OPENING:
                opening += piece[: OPENING - len(opening)]
            size += len(piece)
            end = last or end
    except EOFError:
        fault = "the file ends inside a compressed record: it was cut off"
    except zlib.error as error:
        fault = f"the compressed data is broken ({error})"
    return Member(start, end, opening, size, fault)


def unpack_into(data: mmap, start: int, file: IO[bytes]) -> None:
    """Write all that can be unpacked of a member to ``file``."""
    try:
        for piece, _ in unpack(data, start):
            file.write(piece)
    except (EOFError, zlib.error):
        # read_member() has measured the member before and reported the fault.
        pass
    file.flush()


def next_member(data: mmap, start: int) -> int:
    """The next offset from ``start`` on that may open a member, or the end of the data."""
    found = data.find(MAGIC, start)
    return len(data) if found < 0 else found
