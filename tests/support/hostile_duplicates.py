"""One page under many addresses: each case is a host of its own."""

from __future__ import annotations

from html import escape

from tests.support.hostile import Ask, Case, HostileWeb

SENT_ON: dict[str, tuple[str, str, str]] = {
    "sent_on_without_tracking": ("/a?utm_source=x", "/a", "301"),
    "sent_on_with_a_session": ("/a.do", "/a.do;jsessionid=0A", "302"),
    "sent_on_to_one_slash": ("/a//b", "/a/b", "308"),
    "refreshed_without_tracking": ("/a?gclid=1", "/a", "refresh"),
}


def page(title: str, links: list[str]) -> str:
    anchors = " ".join(f'<a href="{escape(url)}">{number}</a>' for number, url in enumerate(links))
    return f"<html><title>{title}</title><body><p>{title}</p>{anchors}</body></html>"


def sending_on(start: str, target: str, how: str) -> Case:
    """The root leads to `start`, which sends on to another spelling of itself, the page."""

    async def answer(ask: Ask) -> None:
        if ask.path == "/robots.txt":
            await ask.reply("", 404)
        elif ask.path == "/":
            await ask.reply(page(how, [start]))
        elif ask.path != start:
            await ask.reply(page("there", ["/behind"]))
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
        await ask.reply(page("minted", ["/a.do"]))
    else:
        await ask.reply("", 302, Location=f"/a.do;jsessionid={len(ask.web.log):032X}")


def hosts(ask: Ask) -> str:
    """A page that names its own host in all spellings that lead there."""
    port = ask.web.port
    named = [f"http://{ask.host}:{port}/a", f"HTTP://{ask.host}:{port}/a"]
    named += [f"http://me:secret@{ask.host}:{port}/a", f"http://{ask.host}:0{port}/a"]
    return page("hosts", [*named, f"//{ask.host}:{port}/a", "/a"])


async def own_host(ask: Ask) -> None:
    if ask.path == "/robots.txt":
        await ask.reply("", 404)
    else:
        await ask.reply(hosts(ask) if ask.path == "/" else page("a", []))


CASES: dict[str, Case] = {
    "own_host": own_host,
    "minted": minted,
    **{name: sending_on(*sent) for name, sent in SENT_ON.items()},
}


def found(web: HostileWeb, case: str) -> list[str]:
    """Paths of a case that were asked for, but for its root."""
    return [path for path in web.paths(case) if path != "/"]
