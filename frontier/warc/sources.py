"""Where the bytes of a record lie, so that an index keeps offsets and no bodies.

A plain WARC is read in place; of a compressed one, the one gzip member that holds the record. A
WARC compressed as one stream cannot be read in the middle: it is unpacked once into a temporary
file.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

GZIP = zlib.MAX_WBITS | 16
_STEP = 1 << 20
"""Bytes of a compressed record that are read at a time."""


class Source:
    """An uncompressed WARC, or the unpacked copy of one, from which records are read by place."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def read(self, place: Place, most: int) -> bytes:
        """At most so many bytes of the block of a record.

        For HTTP that is the status line, the headers and the body.
        """
        return os.pread(self.file.fileno(), most, place.offset + place.block)

    def close(self) -> None:
        self.file.close()


class MemberSource(Source):
    """A WARC with one gzip member for each record."""

    def read(self, place: Place, most: int) -> bytes:
        unpacker, found, wanted = zlib.decompressobj(GZIP), bytearray(), place.block + most
        for at in range(place.offset, place.offset + place.length, _STEP):
            packed = os.pread(self.file.fileno(), _STEP, at)
            found += unpacker.decompress(packed, wanted - len(found))
            if len(found) >= wanted or unpacker.eof:
                break
        return bytes(memoryview(found)[place.block : wanted])


@dataclass(frozen=True, slots=True)
class Place:
    """One record: ``length`` bytes at ``offset`` of the source (bytes of the file).

    The block is ``size`` bytes long and opens ``block`` bytes into the record, both
    counted in the record as it is when unpacked.
    """

    source: Source
    offset: int
    length: int
    block: int
    size: int

    def read(self, most: int | None = None) -> bytes:
        """The block, or its first `most` bytes: whoever recorded it may have been sent a bomb."""
        return self.source.read(self, self.size if most is None else min(most, self.size))


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a WARC file that cannot be served.

    ``offset`` counts bytes of the file, or of its unpacked content where ``reason``
    says so.
    """

    file: Path
    offset: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, offset {self.offset:,}: {self.reason}"
