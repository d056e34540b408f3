"""Bodies that no Scrapy response holds, of records and sitemaps, as texts.

Charsets are found by w3lib, in the order that Scrapy has: byte order mark, Content-Type,
declaration in the page, the bytes.
"""

from __future__ import annotations

import importlib
import zlib
from typing import TYPE_CHECKING, Any

from w3lib.encoding import html_to_unicode

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["decoded", "unpacked"]

_GZIP = b"\x1f\x8b"
_MOST_LAYERS = 4
"""Codings within each other; a server that means well uses one."""


def decoded(body: bytes, content_type: str = "") -> tuple[str, str]:
    """Return the text of a body and the codec it was read with; never raises.

    What cannot be decoded becomes U+FFFD.
    """
    try:
        codec, text = html_to_unicode(content_type, body, auto_detect_fun=_utf8_or_western)
    except (LookupError, UnicodeError):  # a codec of Python that is none of texts
        return body.decode("utf-8", "replace"), "utf-8"
    return text, codec


def _utf8_or_western(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return "utf-8" if error.start >= len(body) - 3 else "cp1252"
    return "utf-8"


def unpacked(body: bytes, codings: Sequence[str], most: int) -> bytes:
    """Undo content codings, the last one first, and return at most `most` bytes.

    A body that is not coded as its header says is left as it is, and of one that breaks off what
    comes before that is returned. zstd, and Brotli without its package, are not undone.
    """
    for coding in reversed(codings[-_MOST_LAYERS:]):
        if coding in ("gzip", "x-gzip"):
            body = _gunzipped(body, most)
        elif coding == "deflate":
            # Some servers leave out the header that RFC 9110, section 8.4.1.2, asks for.
            body = _inflated(body, most, zlib.MAX_WBITS) or _inflated(body, most, -zlib.MAX_WBITS)
        elif coding == "br":
            body = _unbrotlied(body, most)
    return body[:most]


def _gunzipped(body: bytes, most: int) -> bytes:
    content, members = b"", body
    while members.startswith(_GZIP) and len(content) < most:
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            content += unpacker.decompress(members, most - len(content))
        except zlib.error:
            break
        members = unpacker.unused_data
    return content or body


def _inflated(body: bytes, most: int, window_bits: int) -> bytes:
    try:
        return zlib.decompressobj(window_bits).decompress(body, most)
    except zlib.error:
        return b""


def _unbrotlied(body: bytes, most: int) -> bytes:
    try:
        brotli: Any = importlib.import_module("brotli")  # as Scrapy, which does not ask for it
        content: bytes = brotli.Decompressor().process(body, output_buffer_limit=most)
    except Exception:  # it has errors of its own
        return body
    return content
