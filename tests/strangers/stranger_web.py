"""A scripted site on the loopback interface that may answer with any bytes, and counts requests."""

from __future__ import annotations

import asyncio
import socket
from asyncio import CancelledError
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus

from tests.support.hostile import running
from tests.support.sites import Asked, Page


@dataclass(frozen=True)
class Raw:
    """Bytes that are written as they are `after` so many seconds; then the connection is closed."""

    data: bytes = b""
    after: float = 0


SILENT = Raw(after=3600)
"""No answer."""
Answer = str | bytes | Page | Raw | None
"""HTML, binary data, (status, headers, body), raw bytes; None is a 404."""
Web = Mapping[str, "Answer | Callable[[Asked], Answer]"] | Callable[[Asked], Answer]
"""Pages by path, or one function for all but robots.txt, which there is none of then."""


@dataclass
class StrangerSite:
    """One web behind one port; `requests` counts "METHOD path body", robots.txt included."""

    web: Web
    keeps_alive: bool = True
    """Whether a connection carries more than one request. Twisted repeats by itself what fails on
    one that was used before."""
    requests: Counter[str] = field(default_factory=Counter)
    port: int = 0
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, EOFError, CancelledError):
                while await self._one(reader, writer):
                    pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        lines = (line.partition(":") for line in head[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in lines}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        path = path.removeprefix(f"http://{headers.get('host')}")  # what a proxy is asked for
        self.requests[f"{method} {path} {body.decode('latin-1')}".rstrip()] += 1
        self._counts[method, path] += 1
        answer = self._answer(Asked(method, path, headers, body, self._counts[method, path]))
        if isinstance(answer, Raw):
            await asyncio.sleep(answer.after)
            writer.write(answer.data)
            await writer.drain()
            return False
        writer.write(_written(answer, method, keeps_alive=self.keeps_alive))
        await writer.drain()
        return self.keeps_alive

    def _answer(self, asked: Asked) -> Page | Raw:
        if not callable(self.web):
            answer = self.web.get(asked.path)
            answer = answer(asked) if callable(answer) else answer
        else:
            answer = None if asked.path == "/robots.txt" else self.web(asked)
        if answer is None:
            return 404, {}, b"nothing here"
        if isinstance(answer, str):
            return 200, {"Content-Type": "text/html; charset=utf-8"}, answer.encode()
        if isinstance(answer, bytes):
            return 200, {"Content-Type": "application/octet-stream"}, answer
        return answer


def _written(page: Page, method: str, *, keeps_alive: bool) -> bytes:
    status, headers, body = page
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [] if keeps_alive else ["Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if status not in (204, 304):
        lines.append(f"Content-Length: {len(body)}")
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    return head if method == "HEAD" or status in (204, 304) else head + body


@contextmanager
def sites(*webs: Web, keep_alive: bool = True) -> Iterator[list[StrangerSite]]:
    """Serve each web on a port of its own."""
    made = [StrangerSite(web, keep_alive) for web in webs]
    servers: list[asyncio.Server] = []

    async def listen() -> None:
        for site in made:
            server = await asyncio.start_server(
                site.serve, "127.0.0.1", 0, family=socket.AF_INET, limit=1 << 20, backlog=1000
            )
            site.port = server.sockets[0].getsockname()[1]
            servers.append(server)

    with running(asyncio.new_event_loop(), listen, servers):
        yield made


def json_page(text: str, status: int = 200) -> Page:
    """An answer of JSON."""
    return status, {"Content-Type": "application/json"}, text.encode()


def typed(kind: str, body: str | bytes, **headers: str) -> Page:
    """An answer of any type; underscores in header names stand for dashes."""
    content = body.encode() if isinstance(body, str) else body
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return 200, {"Content-Type": kind, **more}, content
