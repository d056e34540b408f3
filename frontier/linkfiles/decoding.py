"""From the bytes of a recorded response to its text, as the crawler would have read them."""

from __future__ import annotations

import importlib
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from w3lib.encoding import html_to_unicode

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BODY = 32 * 1024 * 1024
"""Bytes of an HTML page, unpacked; Scrapy warns from here on, and no page is longer by itself."""
_STEP = 1 << 14
"""Bytes of a body that are unpacked at a time: a compression bomb is noticed early."""
_GUESSES = ("ascii", "utf-8", "cp1252")
"""What Scrapy tries where neither header nor page names an encoding, in this order."""


class UndecodableError(ValueError):
    """A body that cannot be read; the message is the reason."""


def unpacked(body: bytes, codings: str) -> bytes:
    """Undo the codings of a Content-Encoding header; raises UndecodableError."""
    for coding in reversed([one.strip() for one in codings.lower().split(",") if one.strip()]):
        body = _unpacked_once(body, coding)
    return body


def _unpacked_once(body: bytes, coding: str) -> bytes:
    if coding in ("gzip", "x-gzip"):
        return _inflated(body, zlib.MAX_WBITS | 16)
    if coding == "deflate":
        try:
            return _inflated(body, zlib.MAX_WBITS)
        except UndecodableError:
            # Some servers leave the header out that the standard asks for.
            return _inflated(body, -zlib.MAX_WBITS)
    if coding == "br":
        return _fed(_package("br", "brotli").Decompressor().process, body)
    if coding == "zstd":
        zstd = _package("zstd", "backports.zstd", "compression.zstd")
        return _fed(zstd.ZstdDecompressor().decompress, body)
    if coding == "identity":
        return body
    raise UndecodableError(f"the content encoding {coding!r} is unknown")


def _inflated(body: bytes, window_bits: int) -> bytes:
    return _fed(zlib.decompressobj(window_bits).decompress, body)


def _fed(unpack: Callable[[bytes], bytes], body: bytes) -> bytes:
    """Unpack in steps; what was cut off is read up to the cut, as the crawler does."""
    found = bytearray()
    for at in range(0, len(body), _STEP):
        try:
            found += unpack(body[at : at + _STEP])
        except EOFError:
            break  # the stream has ended, the body goes on
        except Exception as error:  # each package has errors of its own
            raise UndecodableError(f"the body cannot be unpacked: {error}") from None
        if len(found) > MAX_BODY:
            raise UndecodableError(f"the body unpacks to more than {MAX_BODY:,} bytes")
    return bytes(found)


def _package(coding: str, *names: str) -> Any:
    """Return the first of some modules that can be imported."""
    for name in names:
        with suppress(ImportError):
            return importlib.import_module(name)
    raise UndecodableError(f"the content encoding {coding} needs: pip install {names[0]}")


def text_of(body: bytes, content_type: str) -> str:
    """Return the text of an HTML page: header, byte order mark and page may name the encoding.

    Where none does, newer versions of Scrapy guess better.
    """
    return html_to_unicode(content_type or None, body, auto_detect_fun=_guess)[1]


def _guess(body: bytes) -> str | None:
    for encoding in _GUESSES:
        try:
            body.decode(encoding)
        except UnicodeError:
            continue
        return encoding
    return None
