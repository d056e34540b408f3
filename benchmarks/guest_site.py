"""A site for crawls of guests: pages, and the troubles a project's crawl has with hosts.

The path says all: `/<run>/<milliseconds>/<kind>/<number>`. `run` is any word; what a page does "at
first" it does again for another run. Each answer takes so many milliseconds.

    tree   links to its children 3n + 1 to 3n + 3, below 400, and to its parent
    chain  links to the next one, below 60, and back
    lost   the connection is closed, twice at first
    busy   a 503, twice at first
    limit  a 429 with Retry-After of one second, once at first
    hop    a redirect to the JSON with that number
    json   whatever the method, JSON with the number
"""

from __future__ import annotations

import asyncio
import signal
from collections import Counter

from benchmarks.web import Prose

TREE, CHAIN = 400, 60
_PROSE = Prose()


def _page(number: int, targets: range, prefix: str) -> bytes:
    """Return a page that links onwards, and back to where it was found."""
    links = [*targets, max(0, number - 1) // 3]
    return _PROSE.page(number, links).replace('href="/p/', f'href="{prefix}/').encode()


def _answer(body: bytes, status: str = "200 OK", kind: str = "text/html", more: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


class _Site:
    """What was asked for so far, and what to answer."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def answer(self, path: str) -> tuple[float, bytes]:
        """Seconds to wait, and the answer: empty for a connection that is closed."""
        parts = path.strip("/").split("/")
        if len(parts) != 4:
            return 0.0, _answer(b"no such page", "404 Not Found")
        run, milliseconds, kind, text = parts
        self._asked[path] += 1
        number, seconds = int(text), int(milliseconds) / 1000
        prefix = f"/{run}/{milliseconds}"
        return seconds, self._of(kind, number, prefix, self._asked[path])

    def _of(self, kind: str, number: int, prefix: str, times: int) -> bytes:
        if kind == "chain":
            onward = range(number + 1, min(number + 2, CHAIN))
            return _answer(_page(number, onward, f"{prefix}/chain"))
        if kind == "lost" and times <= 2:
            return b""
        if kind == "busy" and times <= 2:
            return _answer(b"later", "503 Service Unavailable")
        if kind == "limit" and times <= 1:
            return _answer(b"later", "429 Too Many Requests", more="Retry-After: 1\r\n")
        if kind == "hop":
            return _answer(b"", "302 Found", more=f"Location: {prefix}/json/{number}\r\n")
        if kind == "tree":
            onward = range(min(3 * number + 1, TREE), min(3 * number + 4, TREE))
            return _answer(_page(number, onward, f"{prefix}/tree"))
        return _answer(b'{"number": %d}' % number, kind="application/json")


class _Connection(asyncio.Protocol):
    """Requests of a well-behaved client, one after the other."""

    def __init__(self, site: _Site) -> None:
        self._site = site
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        head, end, rest = (self._waiting + data).partition(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        if not end or len(rest) < length:
            self._waiting += data
            return
        self._waiting = rest[length:]
        seconds, answer = self._site.answer(head.split(b" ", 2)[1].decode())
        asyncio.get_running_loop().call_later(seconds, self._send, answer)

    def _send(self, answer: bytes) -> None:
        if answer:
            self._transport.write(answer)
        else:
            self._transport.abort()


async def _serve() -> None:
    site = _Site()
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    server = await loop.create_server(lambda: _Connection(site), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await stopped.wait()
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve())
