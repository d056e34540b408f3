"""A generated web, and a server that costs next to nothing a page.

Page i links to its children 3i + 1 to 3i + 3, so all are reachable from page 0, to neighbours and
to pages that many others link to: about 20 links, and 3 KB of text. One page in seven is about the
topic, and so are most links to it. Everything follows from i alone. All bodies are made before
the port is announced; what is measured is the client.

    GET /p/17        a page
    GET /robots.txt  allows all
    GET /-/first     Unix time at which the first page since the last such question was asked for

With `--hosts` the pages are spread over so many hosts, each a domain of its own, which the server
answers for as a proxy; it prints the address of page 0 too.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import signal
import time
import urllib.request
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TOPIC = "solar telescope observatory"
_TOPICAL = 7
_SENTENCES = 2000
_SENTENCES_A_PAGE = 38
_TOPICAL_SENTENCES = 4
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_LINK = re.compile(r'href="/p/(\d+)"')


def page_path(number: int) -> str:
    """Path of a page."""
    return f"/p/{number}"


def links_of(number: int, pages: int) -> list[int]:
    """Distinct pages a page links to, in page order."""
    chance = random.Random(number)
    children = range(3 * number + 1, 3 * number + 4)
    near = (number + chance.randint(-50, 50) for _ in range(6))
    famous = (int(pages * chance.random() ** 3) for _ in range(12))
    found = dict.fromkeys((*children, *near, *famous))
    return [one for one in found if 0 <= one < pages and one != number]


def page_url(number: int, hosts: int) -> str:
    """Address of a page of a web of many hosts; its path alone where there is only the server's."""
    return f"{_host(number % hosts)}{page_path(number)}" if hosts else page_path(number)


def make_bodies(pages: int, hosts: int = 0) -> dict[bytes, bytes]:
    """Path, or URL of a web of many hosts -> complete answer, for every page and robots.txt."""
    prose = Prose()
    robots = answer(b"User-agent: *\nDisallow:\n", "text/plain")
    places = [_host(at) for at in range(hosts)] or [""]
    answers = {f"{place}/robots.txt".encode(): robots for place in places}
    for number in range(pages):
        html = prose.page(number, links_of(number, pages))
        html = _LINK.sub(lambda link: f'href="{page_url(int(link[1]), hosts)}"', html)
        body = answer(html.encode(), "text/html; charset=utf-8")
        answers[page_url(number, hosts).encode()] = body
    return answers


def _host(number: int) -> str:
    return f"http://site-{number}.test"


def _vocabulary(chance: random.Random) -> list[str]:
    parts = [
        "ba",
        "cor",
        "den",
        "fil",
        "gos",
        "han",
        "jil",
        "kem",
        "lor",
        "mun",
        "pel",
        "ros",
        "tav",
    ]
    return ["".join(chance.choices(parts, k=chance.randint(2, 4))) for _ in range(8000)]


def _sentence(chance: random.Random, words: list[str]) -> str:
    ranks = (int(len(words) * chance.random() ** 2) for _ in range(11))
    return " ".join(words[rank] for rank in ranks).capitalize() + "."


def _is_topical(number: int) -> bool:
    return number % _TOPICAL == 0


class Prose:
    """Text of pages."""

    def __init__(self) -> None:
        chance = random.Random(1)
        words = _vocabulary(chance)
        self._common = [_sentence(chance, words) for _ in range(_SENTENCES)]
        topical = [*words[:60], *TOPIC.split() * 12]
        self._topical = [_sentence(chance, topical) for _ in range(200)]

    def page(self, number: int, links: Sequence[int]) -> str:
        """HTML of a page that links to others by number."""
        text = self.sentences(number)
        paragraphs = []
        for place, target in enumerate(links):
            words = "solar telescope" if _is_topical(target) and target % 5 else "more about"
            link = f'<a href="{page_path(target)}">{words} {target}</a>'
            paragraphs.append(f"<p>{' '.join(text[place :: len(links)])} {link}</p>")
        title = f"{'Telescope' if _is_topical(number) else 'Page'} {number}"
        return (
            f"<!DOCTYPE html><html><head><title>{title}</title></head>"
            f"<body><h1>{title}</h1>{''.join(paragraphs)}</body></html>"
        )

    def sentences(self, number: int) -> list[str]:
        """What a page says."""
        chance = random.Random(-number - 1)
        text = chance.choices(self._common, k=_SENTENCES_A_PAGE)
        if _is_topical(number):
            text += chance.choices(self._topical, k=_TOPICAL_SENTENCES)
            chance.shuffle(text)
        return text


def answer(body: bytes, kind: str, status: str = "200 OK", more: str = "") -> bytes:
    """A complete answer of HTTP; `more` are lines of its head."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


class _Connection(asyncio.Protocol):
    """Requests of a well-behaved client, one after the other."""

    def __init__(self, find: Callable[[str], tuple[float, bytes]]) -> None:
        self._find = find
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        head, end, rest = (self._waiting + data).partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        size = int(length[1]) if length else 0
        if not end or len(rest) < size:
            self._waiting += data
            return
        self._waiting = rest[size:]
        seconds, found = self._find(head.split(b" ", 2)[1].decode())
        if seconds:
            asyncio.get_running_loop().call_later(seconds, self._send, found)
        else:
            self._send(found)

    def _send(self, found: bytes) -> None:
        if found:
            self._transport.write(found)
        else:
            self._transport.abort()


class Pages:
    """Answers from a dict, at once, and when the first page was asked for."""

    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self._answers = answers
        self._first: float | None = None

    def find(self, path: str) -> tuple[float, bytes]:
        """No seconds to wait, and the answer."""
        if path == "/-/first":
            first, self._first = self._first, None
            return 0.0, answer(repr(first or 0.0).encode(), "text/plain")
        if self._first is None and path.startswith("/p/"):
            self._first = time.time()
        missing = answer(b"No such page.", "text/plain", "404 Not Found")
        return 0.0, self._answers.get(path.encode()) or missing


def first_request(address: str) -> float:
    """When the first page was asked for since the last call, Unix seconds; 0.0: none was."""
    with urllib.request.urlopen(f"{address}/-/first", timeout=10) as found:
        return float(found.read())


async def serve(find: Callable[[str], tuple[float, bytes]], *seeds: str) -> None:
    """Answer requests until SIGTERM; prints the address and `seeds` first.

    `find` gives the seconds to wait and the answer to a target, empty to close the connection.
    """
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    server = await loop.create_server(lambda: _Connection(find), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", *seeds, flush=True)
    await stopped.wait()
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the generated web until SIGTERM.")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=0, help="0: that of the server alone")
    given = parser.parse_args()
    seeds = [page_url(0, given.hosts)] if given.hosts else []
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(Pages(make_bodies(given.pages, given.hosts)).find, *seeds))


if __name__ == "__main__":
    main()
