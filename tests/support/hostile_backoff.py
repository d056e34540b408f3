"""Hosts that ask for patience, demand it, or have none to give: cases and what must come of each.

The log of the server is the witness: what is asserted are least times between requests, which no
slow machine can shorten, and numbers of requests. `SETTINGS` make the times short.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import formatdate

from tests.support.hostile import Ask, Case

BACKOFF = 0.02
"""Seconds. A host that has answered before is given up after 600 times as long."""
CAP = 1.2
"""Of Crawl-delay and Retry-After, in seconds: longer than a page waits outside the queue."""
TIMEOUT = 6.0
SETTINGS = (
    f"FRONTIER_BACKOFF={BACKOFF}",
    f"FRONTIER_CRAWL_DELAY_CAP={CAP}",
    f"FRONTIER_RETRY_AFTER_CAP={CAP}",
    "FRONTIER_DEAD_AFTER=3",
    f"DOWNLOAD_TIMEOUT={TIMEOUT}",
    "CONCURRENT_REQUESTS=64",
)


@dataclass(frozen=True)
class Expected:
    """What the log must show.

    Attributes:
        gap: least seconds between any two requests, robots.txt included.
        after: path -> least seconds from its first request to the next one to the host.
        pages: these end as fetched.
        errors: these end as errors.
        never: these are not asked for.
        most: requests in all, robots.txt aside.

    """

    gap: float = 0.0
    after: tuple[tuple[str, float], ...] = ()
    pages: tuple[str, ...] = ("/", "/a", "/b")
    errors: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    most: int = 3


LINKS = '<a href="/a">one</a> <a href="/b">two</a>'
Answering = Callable[[Ask], object]


async def plain(ask: Ask) -> None:
    """A home page with two links; robots.txt allows all."""
    if ask.path == "/robots.txt":
        await ask.reply("User-agent: *\nAllow: /\n", kind="text/plain")
    elif ask.path == "/":
        await ask.reply(f"home of {ask.host} {LINKS}")
    else:
        await ask.reply(f"page {ask.path} of {ask.host}")


def robots(text: str, then: Case = plain) -> Case:
    async def answer(ask: Ask) -> None:
        if ask.path == "/robots.txt":
            await ask.reply(text, kind="text/plain")
        else:
            await then(ask)

    return answer


def first(times: int, path: str, status: int, *headers: tuple[str, str]) -> Case:
    """Answer a path so many times with a status and headers (a name may come twice)."""

    async def answer(ask: Ask) -> None:
        if ask.path != path or ask.count > times:
            await plain(ask)
            return
        lines = [f"{name}: {value}\r\n" for name, value in headers]
        head = f"HTTP/1.1 {status} No\r\nContent-Type: text/html\r\nContent-Length: 0\r\n"
        await ask.raw((head + "".join(lines) + "\r\n").encode("latin-1"))

    return answer


def refusal(value: str, status: int = 429, path: str = "/") -> Case:
    return first(1, path, status, ("Retry-After", value))


def dated(form: str) -> Case:
    """A Retry-After two seconds from now, as a date: cut to a second, so above one at least."""

    async def answer(ask: Ask) -> None:
        until = datetime.fromtimestamp(time.time() + 2, timezone.utc).strftime(form)
        await refusal(until, 503)(ask)

    return answer


def slowly(seconds: float, then: Case = plain) -> Case:
    async def answer(ask: Ask) -> None:
        await asyncio.sleep(seconds)
        await then(ask)

    return answer


def by_path(answers: dict[str, Case]) -> Case:
    async def answer(ask: Ask) -> None:
        await answers.get(ask.path, plain)(ask)

    return answer


async def tempting(ask: Ask) -> None:
    await ask.reply('too many <a href="/never">never</a>', 429)


async def silent(ask: Ask) -> None:
    await asyncio.sleep(30)


async def reset(ask: Ask) -> None:
    ask.writer.transport.abort()


async def many(ask: Ask) -> None:
    """Thirty links at once, each answered after a moment."""
    if ask.path == "/":
        await ask.reply("".join(f'<a href="/{n}">{n}</a>' for n in range(30)))
    else:
        await asyncio.sleep(0.005)
        await ask.reply(f"{ask.path} {ask.host}")


def dead(then: Case) -> Case:
    """Forty links on the home page, and nothing behind them."""

    async def answer(ask: Ask) -> None:
        if ask.path == "/":
            await ask.reply("".join(f'<a href="/{n}">{n}</a>' for n in range(40)))
        elif ask.path == "/robots.txt":
            await plain(ask)
        else:
            await then(ask)

    return answer


async def to_delayed(ask: Ask) -> None:
    if ask.path.startswith("/to"):
        await ask.reply(status=302, Location=ask.url(f"/from{ask.path[3:]}", "target"))
    elif ask.path == "/":
        await ask.reply("".join(f'<a href="/to{n}">{n}</a>' for n in range(3)))
    else:
        await plain(ask)


DELAY = "User-agent: *\nCrawl-delay: {}\n"
OURS = "User-agent: scrapy-linkrank\nCrawl-delay: {}\n\nUser-agent: *\nCrawl-delay: {}\n"
RFC1123 = "%a, %d %b %Y %H:%M:%S GMT"

_TABLE: dict[str, tuple[Case, Expected]] = {
    "crawl-delay 1": (robots(DELAY.format(1)), Expected(gap=1.0)),
    "crawl-delay 0.4": (robots(DELAY.format("0.4")), Expected(gap=0.4)),
    "crawl-delay of a day": (robots(DELAY.format(86400)), Expected(gap=CAP)),
    "crawl-delay for ours": (robots(OURS.format("0.6", "0")), Expected(gap=0.6)),
    "crawl-delay for others": (
        robots("User-agent: other\nCrawl-delay: 9\n\nUser-agent: *\nDisallow: /never\n"),
        Expected(),
    ),
    "crawl-delay of slow pages": (
        robots(DELAY.format("0.3"), slowly(0.3)),
        Expected(gap=0.3, after=(("/", 0.6), ("/a", 0.6))),
    ),
    "crawl-delay and refusals": (
        robots(DELAY.format("0.4"), first(2, "/a", 503)),
        Expected(gap=0.4, most=5),
    ),
    "429 in seconds": (refusal("1"), Expected(after=(("/", 1.0),), most=4)),
    "503 in seconds": (refusal("1", 503), Expected(after=(("/", 1.0),), most=4)),
    "503 of a page": (refusal("1", 503, "/a"), Expected(after=(("/a", 1.0),), most=4)),
    "date": (dated(RFC1123), Expected(after=(("/", 0.9),), most=4)),
    "date that is past": (refusal(formatdate(0, usegmt=True)), Expected(most=4)),
    "for ever": (refusal("9" * 400), Expected(after=(("/", CAP),), most=4)),
    "without Retry-After": (first(1, "/", 429), Expected(after=(("/", BACKOFF),), most=4)),
    "robots.txt 503": (
        refusal("1", 503, "/robots.txt"),
        Expected(after=(("/robots.txt", 1.0),)),
    ),
    "robots.txt 429": (
        refusal("1", 429, "/robots.txt"),
        Expected(after=(("/robots.txt", 1.0),)),
    ),
    "redirect that has time": (
        by_path({"/a": first(1, "/a", 302, ("Retry-After", "1"), ("Location", "/c"))}),
        Expected(after=(("/a", 1.0),), pages=("/", "/b", "/c"), most=4),
    ),
    "a page that is no refusal": (
        by_path({"/a": first(1, "/a", 200, ("Retry-After", "500"))}),
        Expected(),
    ),
    "not found for a while": (
        by_path({"/a": first(1, "/a", 404, ("Retry-After", "500"))}),
        Expected(pages=("/", "/b"), errors=("/a",)),
    ),
    "a storm of 503": (
        first(4, "/", 503),
        Expected(pages=("/", "/a", "/b"), most=7),
    ),
    "429 for ever": (
        by_path({"/a": tempting}),
        Expected(pages=("/", "/b"), errors=("/a",), never=("/never",), most=8),
    ),
    "429 from the beginning": (
        robots(DELAY.format(0), tempting),
        Expected(pages=(), errors=("/",), never=("/never",), most=6),
    ),
    "many pages": (many, Expected(pages=("/", "/0", "/29"), most=31)),
    "silent pages": (dead(silent), Expected(pages=("/",), errors=("/0", "/39"), most=9)),
    "broken pages": (dead(reset), Expected(pages=("/",), errors=("/0", "/39"), most=60)),
    "pages that refuse": (dead(tempting), Expected(pages=("/",), errors=("/0", "/39"), most=40)),
    "redirects": (to_delayed, Expected(pages=("/",), most=4)),
    "target": (
        robots(DELAY.format("0.5")),
        Expected(gap=0.5, pages=("/", "/a", "/b", "/from0", "/from2"), most=6),
    ),
    "quiet neighbour": (plain, Expected()),
}

CASES = {name: case for name, (case, _) in _TABLE.items()}
EXPECTED = {name: expected for name, (_, expected) in _TABLE.items()}
