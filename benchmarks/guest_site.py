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
from collections import Counter

from benchmarks.web import Prose, answer, serve

TREE, CHAIN = 400, 60
_PROSE = Prose()
_HTML, _TEXT = "text/html", "text/plain"


def _page(number: int, targets: range, prefix: str) -> bytes:
    """Return a page that links onwards, and back to where it was found."""
    links = [*targets, max(0, number - 1) // 3]
    return _PROSE.page(number, links).replace('href="/p/', f'href="{prefix}/').encode()


class _Site:
    """What was asked for so far, and what to answer."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def answer(self, path: str) -> tuple[float, bytes]:
        """Seconds to wait, and the answer: empty for a connection that is closed."""
        parts = path.strip("/").split("/")
        if len(parts) != 4:
            return 0.0, answer(b"no such page", _TEXT, "404 Not Found")
        run, milliseconds, kind, text = parts
        self._asked[path] += 1
        number, seconds = int(text), int(milliseconds) / 1000
        prefix = f"/{run}/{milliseconds}"
        return seconds, self._of(kind, number, prefix, self._asked[path])

    def _of(self, kind: str, number: int, prefix: str, times: int) -> bytes:
        if kind == "chain":
            onward = range(number + 1, min(number + 2, CHAIN))
            return answer(_page(number, onward, f"{prefix}/chain"), _HTML)
        if kind == "lost" and times <= 2:
            return b""
        if kind == "busy" and times <= 2:
            return answer(b"later", _TEXT, "503 Service Unavailable")
        if kind == "limit" and times <= 1:
            return answer(b"later", _TEXT, "429 Too Many Requests", "Retry-After: 1\r\n")
        if kind == "hop":
            return answer(b"", _HTML, "302 Found", f"Location: {prefix}/json/{number}\r\n")
        if kind == "tree":
            onward = range(min(3 * number + 1, TREE), min(3 * number + 4, TREE))
            return answer(_page(number, onward, f"{prefix}/tree"), _HTML)
        return answer(b'{"number": %d}' % number, "application/json")


if __name__ == "__main__":
    asyncio.run(serve(_Site().answer))
