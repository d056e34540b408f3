"""Cases of one page each: what a server sends, and what a crawl must make of it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.hostile import Ask, Case


@dataclass(frozen=True)
class Page:
    """The answer for "/" and what is wished of a crawl.

    `found` are paths that must be asked for and `never` those that must not; `truncated` and
    `error` (a part of it) are what must be noted with the page.
    """

    body: bytes
    kind: str = "text/html; charset=utf-8"
    coding: str = ""
    found: tuple[str, ...] = ("/x",)
    never: tuple[str, ...] = ()
    truncated: bool = False
    error: str = ""


LINK = b"<a href=/x>x</a>"


def serving(page: Page) -> Case:
    """Answer "/" with the page, and everything else with one that links nowhere.

    HERE in the page stands for the host of the case with its port.
    """

    async def answer(ask: Ask) -> None:
        if ask.path == "/robots.txt":
            await ask.reply("", 404)
        elif ask.path != "/":
            await ask.reply("<title>found</title>")
        else:
            headers = {"Content_Encoding": page.coding} if page.coding else {}
            here = f"{ask.host}:{ask.web.port}".encode()
            await ask.reply(page.body.replace(b"HERE", here), kind=page.kind, **headers)

    return answer
