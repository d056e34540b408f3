"""One page under many addresses, one site under many names: each case is a host of its own.

`ONCE` holds cases whose root spells one resource in many ways: it may be asked for once. `KEPT`
holds pairs of addresses that are two resources, both of which must be asked for.
"""

from __future__ import annotations

import random
from html import escape
from itertools import product

from tests.support.hostile import Ask, Case, HostileWeb, site

_SYLLABLES = (
    "ba",
    "do",
    "fe",
    "gu",
    "ka",
    "li",
    "mo",
    "nu",
    "pe",
    "ra",
    "si",
    "to",
    "va",
    "wo",
    "xe",
)
WORDS = ["".join(parts) for parts in product(_SYLLABLES, repeat=3)]
"""Made of letters: a figure is no word to those who watch over traps."""
MIRRORED = 30

ONCE: dict[str, list[str]] = {
    "tracking": ["/a?id=1", "/a?id=1&utm_source=x", "/a?utm_medium=y&id=1", "/a?gclid=9&id=1"],
    "servlet_sessions": [f"/a.do;jsessionid={number:032X}?b=1" for number in range(30)],
    "board_sessions": [f"/a.php?t=1&sid=a{number:031d}" for number in range(30)],
    "dots": ["/a/b", "/a/./b", "/x/../a/b", "/a/x/%2e%2e/b", "/../a/b", "/%2E/a/b"],
    "slashes": ["/a/b", "/.//a/b", "/a//b", "/a///b"],
    "fragments": ["/a", "/a#b", "/a#!/c", "/a#?d=1", "/a?"],
}
KEPT: dict[str, tuple[str, str]] = {
    "letter_case": ("/a", "/A"),
    "slash_at_the_end": ("/a", "/a/"),
    "page_numbers": ("/a?page=1", "/a?page=2"),
    "encoded_slash": ("/a%2Fb", "/a/b"),
    "an_archive": ("/web/http://one.example/", "/web/http:/one.example/"),
}
SENT_ON: dict[str, tuple[str, str, str]] = {
    "sent_on_without_tracking": ("/a?utm_source=x", "/a", "301"),
    "sent_on_with_a_session": ("/a.do", "/a.do;jsessionid=0A", "302"),
    "sent_on_to_one_slash": ("/a//b", "/a/b", "308"),
    "refreshed_without_tracking": ("/a?gclid=1", "/a", "refresh"),
}
MIRRORS = ("first", "mirror", "nearly")


def text_of(number: int, words: int = 250) -> str:
    return " ".join(random.Random(number).choices(WORDS, k=words))


def page(title: str, text: str, links: list[str]) -> str:
    anchors = " ".join(f'<a href="{escape(url)}">{number}</a>' for number, url in enumerate(links))
    return f"<html><title>{title}</title><body><p>{text}</p>{anchors}</body></html>"


def spelling(urls: list[str], case: str) -> Case:
    """The root spells the resource; whatever else is asked for is the resource."""

    async def answer(ask: Ask) -> None:
        if ask.path == "/robots.txt":
            await ask.reply("", 404)
        elif ask.path == "/":
            await ask.reply(page(case, text_of(hash_of(case)), urls))
        else:
            await ask.reply(page(ask.path, text_of(hash_of(case + ask.path)), []))

    return answer


def sending_on(start: str, target: str, how: str) -> Case:
    """The root leads to `start`, which sends on to another spelling of itself, the page."""

    async def answer(ask: Ask) -> None:
        if ask.path == "/robots.txt":
            await ask.reply("", 404)
        elif ask.path == "/":
            await ask.reply(page(how, text_of(hash_of(start + how)), [start]))
        elif ask.path != start:
            await ask.reply(page("there", text_of(hash_of(target + how)), ["/behind"]))
        elif how == "refresh":
            refresh = f'<meta http-equiv="refresh" content="0; url={target}">'
            await ask.reply(f"<html><head>{refresh}</head><body>one moment</body></html>")
        else:
            await ask.reply("", int(how), Location=target)

    return answer


async def minted(ask: Ask) -> None:
    """Every answer sends on to a new session of the same page."""
    if ask.path == "/robots.txt":
        await ask.reply("", 404)
    elif ask.path == "/":
        await ask.reply(page("minted", text_of(77), ["/a.do"]))
    else:
        await ask.reply("", 302, Location=f"/a.do;jsessionid={len(ask.web.log):032X}")


def hash_of(text: str) -> int:
    return int.from_bytes(text.encode(), "big")


def hosts(ask: Ask) -> str:
    """A page that names its own host in all spellings that lead there."""
    port = ask.web.port
    named = [f"http://{ask.host}:{port}/a", f"HTTP://{ask.host}:{port}/a"]
    named += [f"http://me:secret@{ask.host}:{port}/a", f"http://{ask.host}:0{port}/a"]
    return page("hosts", text_of(1), [*named, f"//{ask.host}:{port}/a", "/a"])


async def own_host(ask: Ask) -> None:
    if ask.path == "/robots.txt":
        await ask.reply("", 404)
    else:
        await ask.reply(hosts(ask) if ask.path == "/" else page("a", text_of(2), []))


def mirrored(note: str = "") -> Case:
    """A ring of pages; `note` is what a mirror adds to each."""
    pages: dict[str, str | bytes] = {}
    for number in range(MIRRORED):
        links = [f"/{(number + 1) % MIRRORED or ''}", f"/{(number + 7) % MIRRORED or ''}"]
        text = f"{text_of(1000 + number)} {note}"
        pages[f"/{number or ''}"] = page(f"Page {number}", text, links)
    return site(pages)


def shop() -> Case:
    """Forty products with a few words each, and one large menu on every page."""
    menu = text_of(5000, 500)
    products = {f"/product/{number}": number for number in range(40)}
    pages: dict[str, str | bytes] = {
        path: page(f"Product {number}", f"{menu} {text_of(6000 + number, 60)}", ["/"])
        for path, number in products.items()
    }
    pages["/"] = page("Shop", f"{menu} {text_of(6999, 60)}", list(products))
    return site(pages)


CASES: dict[str, Case] = {
    **{name: spelling(urls, name) for name, urls in ONCE.items()},
    **{name: spelling(list(urls), name) for name, urls in KEPT.items()},
    "own_host": own_host,
    "first": mirrored(),
    "mirror": mirrored(),
    "nearly": mirrored("kept here by somebody else"),
    "shop": shop(),
    "minted": minted,
    **{name: sending_on(*sent) for name, sent in SENT_ON.items()},
}


def found(web: HostileWeb, case: str) -> list[str]:
    """Paths of a case that were asked for, but for its root."""
    return [path for path in web.paths(case) if path != "/"]
