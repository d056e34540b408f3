"""The chunked transfer coding (RFC 9112, section 7.1), read as loosely as browsers read it.

Twisted's decoder insists on CR before LF, and on lengths with nothing around them. Servers written
by hand send bare line feeds and padded lengths; browsers show such pages. What says no length is
refused, and nothing that could be endless is waited for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from twisted.web.http import _DataLoss

if TYPE_CHECKING:
    from collections.abc import Callable

LINE_BYTES = 4096
"""Of a length with its extensions, or of a trailer: its end is waited for so long."""
TRAILER_BYTES = 1 << 16

_LENGTH = re.compile(rb"0*([0-9a-fA-F]{1,15})[ \t]*(?:;.*)?", re.DOTALL)


class ChunkError(ValueError):
    """What follows cannot be read as a chunk."""


class LenientChunks:
    """Hands content to `dataCallback`, and what comes after its end to `finishCallback`.

    The names are those of Twisted's transfer decoders, in whose place it is put.
    """

    def __init__(self, deliver: Callable[[bytes], None], finish: Callable[[bytes], None]) -> None:
        self.dataCallback = deliver
        self.finishCallback = finish
        self._waiting = b""
        self._left = 0
        self._trailers = 0
        self._step: Callable[[bytes, int], int] | None = self._length

    def dataReceived(self, data: bytes) -> None:
        """Read what came.

        Raises ChunkError for what is no chunk; nothing more is to be read then.
        """
        data = self._waiting + data
        at = 0
        while self._step is not None and at < len(data):
            before, at = at, self._step(data, at)
            if at == before:
                break
        self._waiting = data[at:]
        if self._step is None:
            self.finishCallback(self._waiting)

    def noMoreData(self) -> None:
        """Raise _DataLoss, as Twisted's decoders do, unless the end has come."""
        if self._step is not None:
            raise _DataLoss("chunks without an end")

    def _length(self, data: bytes, at: int) -> int:
        end, after = _line(data, at)
        if after == at:
            return at
        found = _LENGTH.fullmatch(data, at, end)
        if found is None:
            raise ChunkError(f"a chunk begins with {data[at : min(end, at + 20)]!r}")
        self._left = int(found[1], 16)
        self._step = self._content if self._left else self._trailer
        return after

    def _content(self, data: bytes, at: int) -> int:
        piece = data[at : at + self._left]
        self._left -= len(piece)
        if not self._left:
            self._step = self._end
        self.dataCallback(piece)
        return at + len(piece)

    def _end(self, data: bytes, at: int) -> int:
        """The end of line behind a chunk."""
        if data[at:] == b"\r":
            return at
        for mark in (b"\r\n", b"\n"):
            if data.startswith(mark, at):
                self._step = self._length
                return at + len(mark)
        raise ChunkError(f"a chunk is longer than it says, by {data[at : at + 20]!r}")

    def _trailer(self, data: bytes, at: int) -> int:
        end, after = _line(data, at)
        self._trailers += after - at
        if self._trailers > TRAILER_BYTES:
            raise ChunkError(f"more than {TRAILER_BYTES} bytes of trailers follow its end")
        if after > at and end == at:
            self._step = None
        return after


def _line(data: bytes, at: int) -> tuple[int, int]:
    """Where a line ends and the next one begins; the latter is `at` where the end has not come.

    Raises ChunkError for a line that is too long to wait for its end.
    """
    end = data.find(b"\n", at, at + LINE_BYTES)
    if end >= 0:
        return end - (end > at and data[end - 1] == ord("\r")), end + 1
    if len(data) - at >= LINE_BYTES:
        raise ChunkError(f"a line of its chunks has more than {LINE_BYTES} bytes")
    return at, at
