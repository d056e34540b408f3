"""Undoes the Content-Encoding of a body, up to a size: a few kilobytes may unpack to gigabytes.

What was unpacked by then stands, as does what came before a body breaks off. Servers also lie:
a body that is plain text whatever its header says is taken as it is, and so is one in an encoding
that nobody knows.
"""

from __future__ import annotations

import importlib
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontier.errors import PageError
from frontier.parsing.sniffing import looks_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Decompressed", "unpack"]

_STEP = 1 << 14
_PIECE = 1 << 16
"""Bytes that go in and come out at a time."""
_MOST_LAYERS = 4
"""Encodings within each other; a server that means well uses one."""
_GZIP = b"\x1f\x8b\x08"


@dataclass(frozen=True, slots=True)
class Decompressed:
    """A body, and why it is not all there is; "" where it is."""

    body: bytes
    cut: str = ""


def unpack(body: bytes, codings: Sequence[str], most: int) -> Decompressed:
    """Undo encodings, the last one first, to at most `most` bytes.

    Raises PageError where nothing can be made of the body.
    """
    named = [coding for coding in codings if coding in _PIECES]
    if len(named) > _MOST_LAYERS:
        raise PageError(
            f"expected at most {_MOST_LAYERS} content encodings within each other, "
            f"but there are {len(named)}"
        )
    found = Decompressed(body)
    for coding in reversed(named):
        layer = _undone(found.body, coding, most)
        found = Decompressed(layer.body, layer.cut or found.cut)
    return found


def _undone(body: bytes, coding: str, most: int) -> Decompressed:
    if not body:
        return Decompressed(body)
    out = bytearray()
    try:
        for piece in _PIECES[coding](body):
            out += piece
            if len(out) > most:
                return Decompressed(bytes(out[:most]), f"more than {most} bytes unpacked")
    except Exception as error:  # each package has errors of its own
        if out:
            return Decompressed(bytes(out), f"the {coding} encoding breaks off: {error}")
        if looks_binary(body):
            raise PageError(
                f"expected the content encoding {coding}, but it cannot be decoded: {error}"
            ) from None
        return Decompressed(body)
    return Decompressed(bytes(out))


def _gunzipped(body: bytes) -> Iterator[bytes]:
    return _inflated(body, zlib.MAX_WBITS | 16)


def _deflated(body: bytes) -> Iterator[bytes]:
    # Some servers leave the header out that the standard asks for (RFC 9110, section 8.4.1.2).
    wrapped = body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return _inflated(body, zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)


def _inflated(body: bytes, window_bits: int) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(window_bits)
    for step in _steps(body):
        data = step
        while data:
            if unpacker.eof:
                if not data.startswith(_GZIP):
                    return  # nothing of ours stands behind the end
                unpacker = zlib.decompressobj(window_bits)
            before = unpacker.copy()
            try:
                piece = unpacker.decompress(data, _PIECE)
            except zlib.error:
                yield from _one_by_one(before, data)
                raise
            yield piece
            data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    if not unpacker.eof:
        raise EOFError("it is truncated")


def _one_by_one(unpacker: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """What comes before a fault: zlib keeps to itself what it made of the bytes given at once."""
    with suppress(zlib.error):
        for at in range(len(data)):
            yield unpacker.decompress(data[at : at + 1], _PIECE)


def _unbrotlied(body: bytes) -> Iterator[bytes]:
    unpacker = _package("br", "brotli", "brotlicffi").Decompressor()
    for data in _steps(body):
        yield unpacker.process(data, output_buffer_limit=_PIECE)
        while not unpacker.is_finished():
            piece = unpacker.process(b"", output_buffer_limit=_PIECE)
            if not piece and unpacker.can_accept_more_data():
                break
            yield piece
        if unpacker.is_finished():
            return
    raise EOFError("it is truncated")


def _unzstded(body: bytes) -> Iterator[bytes]:
    zstd = _package("zstd", "compression.zstd", "backports.zstd")
    unpacker = zstd.ZstdDecompressor()
    for step in _steps(body):
        data = step
        while data or not (unpacker.needs_input or unpacker.eof):
            if unpacker.eof:
                unpacker = zstd.ZstdDecompressor()
            yield unpacker.decompress(data, _PIECE)
            data = unpacker.unused_data if unpacker.eof else b""
    if not unpacker.eof:
        raise EOFError("it is truncated")


def _steps(body: bytes) -> Iterator[bytes]:
    return (body[at : at + _STEP] for at in range(0, len(body), _STEP))


def _package(coding: str, *names: str) -> Any:
    """Return the first of some modules that can be imported."""
    for name in names:
        with suppress(ImportError):
            return importlib.import_module(name)
    raise PageError(f"the content encoding {coding} needs: pip install {names[0]}")


_PIECES: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,
    "deflate": _deflated,
    "br": _unbrotlied,
    "zstd": _unzstded,
}
