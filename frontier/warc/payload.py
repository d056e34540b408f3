"""From the bytes of a recorder to a response that can be sent again.

Under the same headers, recorders store the body as it went over the wire (chunked, compressed), or
decoded. Here the bytes decide, not the headers alone: a transfer coding is undone if the body is
chunked, a Content-Encoding is kept if the body is encoded.
"""

from __future__ import annotations

import importlib
import re
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Any

from warcio.bufferedreaders import ChunkedDataReader

if TYPE_CHECKING:
    from collections.abc import Sequence

Headers = list[tuple[str, str]]

# RFC 9110 section 7.6.1, RFC 2616 section 13.5.1: they describe the recorded connection. The server
# adds Content-Length.
_HOP_BY_HOP = {
    *("connection", "content-length", "keep-alive", "proxy-authenticate", "proxy-connection"),
    *("te", "trailer", "transfer-encoding", "upgrade"),
}
MOST_HEAD = 1 << 17
"""Bytes of the head of a response, at most, as in a crawl."""
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/\d\S*[ \t]+(\d{3})(?:[ \t]+([^\r\n]*))?\r?(?:\n|$)")
_MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_MOST_LAYERS = 4
"""Nested codings; a benign server uses one."""
_FOLD = re.compile(r"\r?\n[ \t]+")


def status_of(block: bytes) -> int | None:
    """The status in the first line of an HTTP message, None without such a line."""
    match = _STATUS_LINE.match(block)
    return int(match[1]) if match else None


def has_body(block: bytes) -> bool:
    """Whether the beginning of an HTTP message holds a part of its body."""
    end = _HEAD_END.search(block, 0, MOST_HEAD)
    return end is not None and end.end() < len(block)


def split_message(block: bytes) -> tuple[str, Headers, bytes]:
    """Reason, header fields in their order, and the stored body of an HTTP response.

    Folded lines are joined (RFC 9112 section 5.2); lines without a colon are dropped. Values hold
    the bytes that were sent, as Latin-1. Of a head without an end the first whole lines are read.
    """
    end = _HEAD_END.search(block, 0, MOST_HEAD)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block[:MOST_HEAD], b"")
    if len(head) == MOST_HEAD:
        head = head.rpartition(b"\n")[0]
    status_line, _, rest = head.partition(b"\n")
    match = _STATUS_LINE.match(status_line)
    reason = (match[2] or b"").decode("latin-1").strip() if match else ""
    lines = _FOLD.sub(" ", rest.decode("latin-1")).split("\n")
    pairs = (line.partition(":") for line in lines)
    return reason, [(name.strip(), value.strip()) for name, colon, value in pairs if colon], body


def header(headers: Headers, name: str) -> str:
    """The first value of a field, by its name in lower case; "" without one."""
    return next((value for key, value in headers if key.lower() == name), "")


def codings_of(headers: Headers) -> list[str]:
    """Content encodings in the order in which they were applied."""
    listed = ",".join(value for name, value in headers if name.lower() == "content-encoding")
    return [coding.strip() for coding in listed.lower().split(",") if coding.strip()]


def playable(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """The headers and body to send for a stored message, consistent with each other."""
    if "chunked" in header(headers, "transfer-encoding").lower():
        body = ChunkedDataReader(BytesIO(body)).read()  # passes other bodies through
    dropped = _HOP_BY_HOP | _connection_fields(headers)
    if not _is_encoded(header(headers, "content-encoding"), body):
        dropped |= {"content-encoding"}
    return [(name, value) for name, value in headers if name.lower() not in dropped], body


def _connection_fields(headers: Headers) -> set[str]:
    named = {name.strip() for name in header(headers, "connection").lower().split(",")}
    return named - {"content-encoding", "content-type", "location"}


def _is_encoded(codings: str, body: bytes) -> bool:
    """Whether the body still has the outermost named coding, by its first bytes."""
    outermost = codings.lower().rpartition(",")[2].strip()
    magic = _MAGIC.get(outermost)
    if magic is not None:
        return body.startswith(magic)
    # No stream of Brotli or zlib opens with "<".
    return bool(outermost and body) and body.lstrip()[:1] != b"<"


def unpacked(body: bytes, codings: Sequence[str], most: int) -> bytes:
    """Undo content codings, the last one first, and return at most `most` bytes.

    A body that is not coded as its header says stays as it is; of a body that breaks off, the
    beginning is returned. zstd, and Brotli without its package, are not undone.
    """
    for coding in reversed(codings[-_MOST_LAYERS:]):
        if coding in ("gzip", "x-gzip"):
            body = _gunzipped(body, most)
        elif coding == "deflate":
            # Some servers omit the header that RFC 9110, section 8.4.1.2, requires.
            plain = _inflated(body, most, zlib.MAX_WBITS) or _inflated(body, most, -zlib.MAX_WBITS)
            body = plain or body
        elif coding == "br":
            body = _unbrotlied(body, most)
    return body[:most]


def _gunzipped(body: bytes, most: int) -> bytes:
    content, members = b"", body
    while members.startswith(_MAGIC["gzip"]) and len(content) < most:
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
        brotli: Any = importlib.import_module("brotli")  # optional, as in Scrapy
        content: bytes = brotli.Decompressor().process(body, output_buffer_limit=most)
    except Exception:  # of any class
        return body
    return content
