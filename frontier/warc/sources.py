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
    """An uncompressed WARC, or the unpacked copy of one, from which records are read by place.

    `path` is the WARC, which is opened for each reading, so that there may be any number of them;
    `copy`, an open file, holds what was unpacked of it from `start` on.
    """

    def __init__(self, path: Path, copy: IO[bytes] | None = None, start: int = 0) -> None:
        self.path = path
        self.start = start
        self._copy = copy

    def read(self, place: Place, most: int) -> bytes:
        """At most so many bytes of the block of a record.

        For HTTP that is the status line, the headers and the body.
        """
        if self._copy is not None:
            return os.pread(self._copy.fileno(), most, place.offset + place.block)
        with self.path.open("rb") as file:
            return self._read(file.fileno(), place, most)

    def _read(self, file: int, place: Place, most: int) -> bytes:
        return os.pread(file, most, place.offset + place.block)

    def close(self) -> None:
        """Let go of the unpacked copy."""
        if self._copy is not None:
            self._copy.close()


class MemberSource(Source):
    """A WARC with one gzip member for each record."""

    def _read(self, file: int, place: Place, most: int) -> bytes:
        unpacker, found, wanted = zlib.decompressobj(GZIP), bytearray(), place.block + most
        end = place.offset + place.length
        for at in range(place.offset, end, _STEP):
            packed = os.pread(file, min(_STEP, end - at), at)
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

    @property
    def position(self) -> int:
        """Where in its file the record lies; in an unpacked copy it is later than that."""
        return self.source.start + self.offset

    def read(self, most: int | None = None) -> bytes:
        """The block, or its first `most` bytes: whoever recorded it may have been sent a bomb."""
        return self.source.read(self, self.size if most is None else min(most, self.size))


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a WARC file that cannot be served.

    ``offset`` counts bytes of the file, or of its unpacked content where ``reason``
    says so. ``cut_off`` says of what opens as a record that the file ends inside it.
    """

    file: Path
    offset: int
    reason: str
    url: str = ""
    cut_off: bool = False

    def __str__(self) -> str:
        return f"{self.file}, offset {self.offset:,}: {self.reason}{self.url and f' ({self.url})'}"
