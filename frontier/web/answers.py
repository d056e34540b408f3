"""What every web of this room is to the server: one coroutine from a request to an answer.

A recorded web, the demonstration web and the webs of the tests implement ``Web``;
``frontier.web.serving`` speaks HTTP for all of them and knows none of them. How requests and
answers are written on the wire (RFC 9112), as much of it as a proxy for crawlers needs, stands here
too: nothing of it waits or reads, so what a client may send badly is tested without a socket.
"""

from __future__ import annotations

import http.client
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from frontier.warc.payload import Headers

if TYPE_CHECKING:
    from collections.abc import Mapping

_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) (\S+) HTTP/1\.([0-9])")
_FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_ABSOLUTE = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_UNSAFE = re.compile(r"[\r\n\0]+")


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """A response before it is put on the wire.

    ``status`` is 200 to 599. ``headers`` holds no hop-by-hop field and no
    Content-Length: the server adds what the connection needs. An empty
    ``reason`` becomes the usual one of the status.
    """

    status: int
    headers: Headers = field(default_factory=list)
    body: bytes = b""
    reason: str = ""


class Web(Protocol):
    """Something that can be asked for URLs."""

    async def answer(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> WebAnswer:
        """Answer one request.

        ``url`` is absolute, as the client wrote it; names in ``headers`` are in
        lower case. HEAD is answered like GET: the server leaves the body away.
        """
        ...


def text_answer(status: int, text: str) -> WebAnswer:
    """A short plain-text answer, for people who look at the web with curl."""
    return WebAnswer(status, [("Content-Type", "text/plain; charset=utf-8")], text.encode())


class RequestError(Exception):
    """A request that is refused: ``status`` and a ``text`` for whoever sent it."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


@dataclass(frozen=True, slots=True)
class Request:
    """The head of a request. Names in ``headers`` are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    keep_alive: bool

    @property
    def url(self) -> str:
        """The absolute URL asked for, from the absolute form or from the Host field.

        Raises ``RequestError`` where the request names none (RFC 9112 section 3.2).
        """
        if _ABSOLUTE.match(self.target):
            return self.target
        host = self.headers.get("host", "")
        if self.target.startswith("/") and host:
            return f"http://{host}{self.target}"
        raise RequestError(
            400, "expected 'GET http://host/path HTTP/1.1' or a path with a Host header"
        )


def parse_head(head: bytes) -> Request:
    """The request line and header fields, up to and with the empty line.

    Raises ``RequestError`` on anything that is no HTTP/1 request.
    """
    first, _, rest = head.decode("utf-8", "replace").lstrip("\r\n").partition("\r\n")
    match = _REQUEST_LINE.fullmatch(first)
    if not match:
        raise RequestError(400, "expected an HTTP/1.1 request line such as 'GET URL HTTP/1.1'")
    headers = _parse_fields(rest)
    return Request(match[1], match[2], headers, _keeps_alive(match[3], headers))


def _parse_fields(text: str) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in text.split("\r\n"):
        if not line:
            break
        name, colon, value = line.partition(":")
        if not colon or not _FIELD_NAME.fullmatch(name):
            raise RequestError(400, "expected 'Name: value' in every header line")
        headers[name.lower()] = value.strip()
    return headers


def _keeps_alive(minor: str, headers: dict[str, str]) -> bool:
    # Some clients of proxies say it in Proxy-Connection, which no RFC knows.
    said = (headers.get("connection") or headers.get("proxy-connection") or "").lower()
    return "keep-alive" in said if minor == "0" else "close" not in said


def body_length(request: Request, limit: int) -> int:
    """The Content-Length in bytes, 0 where there is none.

    Raises ``RequestError``: 400 if it is no number, 411 if it is chunked, 413 above ``limit``.
    """
    if "transfer-encoding" in request.headers:
        raise RequestError(411, "expected a body with a Content-Length, not in chunks")
    said = request.headers.get("content-length", "0")
    if not said.isascii() or not said.isdecimal():
        raise RequestError(400, "expected a number of bytes as Content-Length")
    if len(said) > 18 or int(said) > limit:
        raise RequestError(413, f"expected a body of at most {limit:,} bytes")
    return int(said)


def render(answer: WebAnswer, method: str, connection: str) -> bytes:
    """The bytes of a response; ``connection`` is "keep-alive" or "close".

    Line breaks in a header would open a header of their own: they become blanks.
    """
    reason = answer.reason or http.client.responses.get(answer.status, "")
    lines = [f"HTTP/1.1 {answer.status} {_UNSAFE.sub(' ', reason)}"]
    lines += [f"{name}: {_UNSAFE.sub(' ', value)}" for name, value in answer.headers]
    # RFC 9110 section 8.6: no Content-Length with 204, and none of a body that a 304
    # leaves away.
    bodiless = answer.status in (204, 304)
    if not bodiless:
        lines.append(f"Content-Length: {len(answer.body)}")
    lines.append(f"Connection: {connection}\r\n\r\n")
    head = "\r\n".join(lines).encode("latin-1", "replace")
    return head if bodiless or method == "HEAD" else head + answer.body
