"""Sites whose robots.txt is strange, and what a crawler called `probe` may fetch of each.

Each has a front page that links to `/open` and `/shut`, among others; the log tells which of them
were asked for. What a file says is tried here only so far as it has to come over a network; the
rest stands in tests/frontier/robots.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from tests.support.hostile import FORBIDDEN, Ask, Case

Answer = Callable[[Ask], Awaitable[None]]

ALL = frozenset({"/", "/open", "/shut"})
SOME = ALL - {"/shut"}
NONE: frozenset[str] = frozenset()
RULES = "User-agent: *\nDisallow: /shut\n"


@dataclass(frozen=True)
class RobotsCase:
    """`fetched` are the paths that must be asked for, and no others; robots.txt aside.

    `tries` is how often robots.txt is asked for, at least and at most; None: as often as the rests
    between two tries let it before the crawl ends.
    """

    robots: Answer
    fetched: frozenset[str]
    tries: tuple[int, int | None] = (1, 1)
    links: tuple[str, ...] = ("/open", "/shut")
    pages: Answer | None = None

    async def __call__(self, ask: Ask) -> None:
        if ask.path.startswith("/robots.txt"):
            await self.robots(ask)
        elif self.pages is not None and ask.path != "/":
            await self.pages(ask)
        else:
            anchors = "".join(f'<a href="{one}">{one}</a> ' for one in self.links)
            await ask.reply(f"<title>{ask.host}</title><p>{ask.host}{ask.path}</p>{anchors}")


# -- answers -------------------------------------------------------------------------------------


def said(
    body: str | bytes = RULES, status: int = 200, kind: str = "text/plain", **head: str
) -> Answer:
    async def answer(ask: Ask) -> None:
        await ask.reply(body, status, kind, **head)

    return answer


def bytes_only(data: bytes, pause: float = 0.0) -> Answer:
    """Bytes in place of an answer; then silence for so long."""

    async def answer(ask: Ask) -> None:
        await ask.raw(data)
        await asyncio.sleep(pause)

    return answer


def first(*answers: Answer) -> Answer:
    """One after the other; the last one for ever."""

    async def answer(ask: Ask) -> None:
        await answers[min(ask.count, len(answers)) - 1](ask)

    return answer


async def reset(ask: Ask) -> None:
    ask.writer.transport.abort()


async def silence(ask: Ask) -> None:
    await asyncio.sleep(30)


async def endless(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + RULES.encode())
    await ask.drip(b"# " + b"x" * 65_000 + b"\n", 0, 3000)


async def dripping(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + RULES.encode())
    await ask.drip(b"#", 0.1, 300)


async def dripping_head(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\n")
    await ask.drip(b"X-More: yes\r\n", 0.1, 300)


async def endless_chain(ask: Ask) -> None:
    await ask.reply("", 302, Location=f"/robots.txt?{ask.path.partition('?')[2]}x")


def chain(length: int, end: Answer) -> Answer:
    """So many redirects, then an answer."""

    async def answer(ask: Ask) -> None:
        hops = ask.path.partition("?")[2].count("x")
        if hops < length:
            await ask.reply("", 302, Location=f"/robots.txt?{'x' * (hops + 1)}")
        else:
            await end(ask)

    return answer


def to(target: str, status: int = 302, then: Answer | None = None) -> Answer:
    """A redirect to a URL, or to another path of robots.txt that answers `then`."""

    async def answer(ask: Ask) -> None:
        if then is not None and ask.path != "/robots.txt":
            await then(ask)
        else:
            await ask.reply("", status, Location=target)

    return answer


def to_case(case: str, path: str = "/robots.txt") -> Answer:
    async def answer(ask: Ask) -> None:
        await ask.reply("", 301, Location=ask.url(path, case))

    return answer


def moved(**targets: str) -> Answer:
    """Pages of which some lead elsewhere by a redirect or a refresh: name=target."""

    async def answer(ask: Ask) -> None:
        target = targets.get(ask.path.strip("/"))
        if target is None:
            await ask.reply(f"<p>{ask.host}{ask.path}</p>")
        elif target.startswith("refresh "):
            url = target.partition(" ")[2]
            await ask.reply(f'<meta http-equiv="refresh" content="0; url={url}"><p>moved</p>')
        elif target.startswith("case "):
            await ask.reply("", 302, Location=ask.url("/", target.partition(" ")[2]))
        else:
            await ask.reply("", 302, Location=target)

    return answer


def file(lines: str | bytes, fetched: frozenset[str] = SOME, **more: object) -> RobotsCase:
    return RobotsCase(said(lines), fetched, **more)  # type: ignore[arg-type]


def named(prefix: str, cases: Iterable[tuple[object, RobotsCase]]) -> dict[str, RobotsCase]:
    return {f"{prefix} {name}": case for name, case in cases}


PADDING = "#" * 1000 + "\n"
RETRIED = (2, None)
UNMENDED = (1, None)
"""Its URLs are not held for another try; what leaves after the rest is over has it asked again."""
GZIP = {"Content_Encoding": "gzip"}
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

CASES: dict[str, RobotsCase] = {
    # -- there is none -----------------------------------------------------------------------
    **named(
        "status",
        (
            (status, RobotsCase(said("User-agent: *\nDisallow: /", status), ALL))
            for status in (400, 401, 403, 404, 410, 418, 451, 499)
        ),
    ),
    "404 with an endless body": RobotsCase(
        first(bytes_only(b"HTTP/1.1 404 No\r\n\r\n" + b"x" * 900_000)), ALL
    ),
    "401 that wants a password": RobotsCase(said("", 401, WWW_Authenticate="Basic"), ALL),
    # -- nobody can say ----------------------------------------------------------------------
    **named(
        "status",
        (
            (status, RobotsCase(said("User-agent: *\nAllow: /", status), NONE, RETRIED))
            for status in (429, 500, 501, 502, 503, 504, 507, 599)
        ),
    ),
    "503 with Retry-After": RobotsCase(said("", 503, Retry_After="1"), NONE, RETRIED),
    "503 for an hour": RobotsCase(said("", 503, Retry_After="3600"), NONE),
    "429 with a date": RobotsCase(
        said("", 429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"), NONE, RETRIED
    ),
    "status 999": RobotsCase(bytes_only(b"HTTP/1.1 999 Denied\r\n\r\n"), NONE, RETRIED),
    "reset": RobotsCase(reset, NONE, RETRIED),
    "closed without an answer": RobotsCase(bytes_only(b""), NONE, RETRIED),
    "silent": RobotsCase(silence, NONE, RETRIED),
    "half a head": RobotsCase(bytes_only(b"HTTP/1.1 200 OK\r\nConte", 20), NONE, RETRIED),
    "dripping": RobotsCase(dripping, NONE, RETRIED),
    "dripping head": RobotsCase(dripping_head, NONE, RETRIED),
    "no http": RobotsCase(bytes_only(b"\x00\xff\x13 garbage \x01\n" * 50), NONE, RETRIED),
    "another protocol": RobotsCase(bytes_only(b"220 mail.example ESMTP\r\n"), NONE, RETRIED),
    "shorter than it says": RobotsCase(
        bytes_only(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + RULES.encode()),
        SOME,
    ),
    "broken chunks": RobotsCase(bytes_only(CHUNKED + b"zz\r\nUser-agent: *"), ALL),
    "unfinished chunks": RobotsCase(
        bytes_only(CHUNKED + b"ff\r\n" + RULES.encode() + b"\n# and m"), SOME
    ),
    "binary": RobotsCase(said(bytes(range(256)) * 20), ALL),
    "binary around rules": RobotsCase(
        said(b"\xff\xfe\1\n" + RULES.encode() + b"\n\x80" * 99), SOME
    ),
    "a picture": RobotsCase(said(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 90), ALL),
    "a picture that says so": RobotsCase(said(b"\x89PNG\r\n\x1a\n\0", kind="image/png"), ALL),
    # -- it comes back -----------------------------------------------------------------------
    "503, then rules": RobotsCase(first(said("", 503), said()), SOME, (2, 2)),
    "429, then rules": RobotsCase(first(said("", 429), said()), SOME, (2, 2)),
    "reset, then rules": RobotsCase(first(reset, said()), SOME, (2, 2)),
    "silence, then rules": RobotsCase(first(silence, said()), SOME, (2, 2)),
    "garbage, then none": RobotsCase(first(bytes_only(b"\0\0\0"), said("", 404)), ALL, (2, 2)),
    "503 twice, then rules": RobotsCase(first(*[said("", 503)] * 2, said()), SOME, (3, 3)),
    # -- redirects ---------------------------------------------------------------------------
    **named(
        "redirect",
        (
            (status, RobotsCase(to("/robots.txt?new", status, said()), SOME, (2, 2)))
            for status in (301, 302, 303, 307, 308)
        ),
    ),
    "redirect to another host": RobotsCase(to_case("file alone"), SOME),
    "redirect to another path there": RobotsCase(to_case("file alone", "/robots.txt?b"), SOME),
    "file alone": RobotsCase(said(), SOME, (1, 9)),
    "5 redirects": RobotsCase(chain(5, said()), SOME, (6, 6)),
    "9 redirects": RobotsCase(chain(9, said()), SOME, (10, 10)),
    "25 redirects": RobotsCase(chain(25, said()), ALL, (6, 12)),
    "endless redirects": RobotsCase(endless_chain, ALL, (6, 12)),
    "redirect to itself": RobotsCase(to("/robots.txt"), ALL, (1, 12)),
    "circle": RobotsCase(to("/robots.txt?b", then=to("/robots.txt")), ALL, (2, 12)),
    "redirect to nowhere": RobotsCase(said("", 302), ALL),
    "redirect to ftp": RobotsCase(to("ftp://127.0.0.1/robots.txt"), ALL),
    "redirect to a file": RobotsCase(to("file:///etc/passwd"), ALL),
    "redirect to noise": RobotsCase(to("http://[::broken/"), ALL),
    "redirect to 404": RobotsCase(to("/robots.txt?b", then=said("", 404)), ALL, (2, 2)),
    "redirect to 503": RobotsCase(to("/robots.txt?b", then=said("", 503)), NONE, (4, None)),
    "redirect to a private address": RobotsCase(to(f"http://{FORBIDDEN}/x"), NONE, UNMENDED),
    "redirect to the metadata": RobotsCase(to("http://169.254.169.254/latest"), NONE, UNMENDED),
    "redirect to the front page": RobotsCase(to("/"), ALL),
    # -- what comes instead of a file --------------------------------------------------------
    "empty": file("", ALL),
    "204": RobotsCase(bytes_only(b"HTTP/1.1 204 No Content\r\n\r\n"), ALL),
    "html": RobotsCase(said("<!doctype html><title>Home</title><p>Welcome", kind="text/html"), ALL),
    "json": file('{"error": "not found"}', ALL),
    "rules as a picture": RobotsCase(said(kind="image/png"), SOME),
    "rules beside bytes that are no UTF-8": RobotsCase(said(X="\xe9", Cache_Control="\xe9"), SOME),
    "rules without a type": RobotsCase(said(kind=""), SOME),
    "compressed": RobotsCase(said(gzip.compress(RULES.encode()), **GZIP), SOME),
    # What cannot be unpacked and is no text, or is read no further, is a file that cannot be had.
    "said to be compressed": RobotsCase(said(b"\x1f\x8b\x08 it is not", **GZIP), NONE, RETRIED),
    "said to be compressed, and plain": RobotsCase(said(**GZIP), SOME),
    "compressed and cut": RobotsCase(said(gzip.compress(RULES.encode() * 9)[:-9], **GZIP), SOME),
    "nothing to keep": RobotsCase(said(Cache_Control="no-store, max-age=0"), SOME),
    # -- too much ----------------------------------------------------------------------------
    "endless": RobotsCase(endless, NONE, RETRIED),
    "rules after 500 KiB": file(RULES + PADDING * 600 + "User-agent: *\nDisallow: /open\n"),
    "rules before 500 KiB": file(PADDING * 480 + RULES),
    "one long line": file("User-agent: *\nDisallow: /" + "a" * 600_000, ALL),
    "100,000 rules": file(RULES + "".join(f"Disallow: /{n}x\n" for n in range(100_000))),
    "wildcards": file(RULES + "Disallow: /" + "*a" * 5000 + "*b\nAllow: /" + "*a" * 900 + "*b\n"),
    "noughts": file("User-agent: *\0\nDisallow: /shut\0\n" + "\0" * 100_000),
    # -- whom it is for, and what it says ----------------------------------------------------
    "our name": file("User-agent: probe\nDisallow: /shut\nUser-agent: *\nDisallow: /"),
    "a longer name": file("User-agent: probe-news\nDisallow: /", ALL),
    "group without rules": file("User-agent: *\nDisallow: /\nUser-agent: probe", ALL),
    "all": file("User-agent: *\nDisallow: /", NONE),
    "nothing": file("User-agent: *\nDisallow:", ALL),
    "longest": file("User-agent: *\nDisallow: /\nAllow: /open\nAllow: /$"),
    "query": file(
        "User-agent: *\nDisallow: /*?a=",
        ALL | {"/open?b=1"},
        links=("/open", "/shut", "/x?a=1", "/open?b=1"),
    ),
    "escaped": file(
        "User-agent: *\nDisallow: /%73hut\nDisallow: /caf\u00e9",
        links=("/open", "/shut", "/caf%C3%A9"),
    ),
    "utf-16": file(RULES.encode("utf-16")),
    # -- how one comes to what it forbids ----------------------------------------------------
    "redirect to what is forbidden": file(
        RULES, SOME, links=("/open",), pages=moved(open="/shut")
    ),
    "refresh to what is forbidden": file(
        RULES, SOME, links=("/open",), pages=moved(open="refresh /shut")
    ),
    "redirect to a host that forbids": file(
        RULES, SOME, links=("/open",), pages=moved(open="case all")
    ),
    "redirect to a host that cannot be reached": file(
        RULES, SOME, links=("/open",), pages=moved(open="case status 500")
    ),
}  # fmt: skip


def cases() -> dict[str, Case]:
    """As `hostile` takes them."""
    return dict(CASES)
