"""A proxy on 127.0.0.1 that answers every request itself and remembers what it was asked for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

PAGES = {
    "http://public.test/": (
        '<a href="/next">on</a><a href="http://127.99.0.1/">x</a><a href="http://10.0.0.1/">x</a>'
        '<a href="http://2130706433/">x</a><a href="http://localhost/">x</a>'
        '<a href="http://away.test/">x</a>'
    ),
}
REDIRECTS = {"http://away.test/": "http://169.254.169.254/latest/meta-data/"}


@dataclass
class Proxy:
    """Where the proxy is, and the request lines it was sent."""

    port: int = 0
    asked: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, EOFError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, target, _ = head.split(" ", 2)
            self.asked.append(f"{method} {target}")
            writer.write(self._answer(method, target))
            await writer.drain()
        writer.close()

    def _answer(self, method: str, target: str) -> bytes:
        if method == "CONNECT":
            return b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
        if target in REDIRECTS:
            head = f"HTTP/1.1 302 Found\r\nLocation: {REDIRECTS[target]}\r\nContent-Length: 0"
            return f"{head}\r\n\r\n".encode()
        if target.endswith("/robots.txt"):
            return b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"
        body = PAGES.get(target, "<title>a page</title>the end").encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
        return head % len(body) + body


@contextmanager
def proxying() -> Iterator[Proxy]:
    """Run a proxy in a thread."""
    proxy = Proxy()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def listen() -> asyncio.Server:
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
        proxy.port = server.sockets[0].getsockname()[1]
        return server

    async def stop(server: asyncio.Server) -> None:
        server.close()
        await asyncio.sleep(0.05)  # lets transports close

    try:
        server = asyncio.run_coroutine_threadsafe(listen(), loop).result(10)
        yield proxy
        asyncio.run_coroutine_threadsafe(stop(server), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
