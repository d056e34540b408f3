"""All attacks of `spam_webs` at once on one honest web, each with hosts of its own, and served."""

from __future__ import annotations

import re
from collections import defaultdict

from tests.support.hostile import Ask, Case
from tests.support.spam_webs import ATTACKS, TARGET, SpamWeb, honest

TOGETHER = [name for name in ATTACKS if name != "bomb_in_comments"]
"""What can be told from honest pages before it is fetched: where half of the honest pages name the
target, nothing speaks against it."""
_HOST = re.compile(r"http://([a-z0-9]+)\.example/")


def attacked() -> tuple[SpamWeb, dict[str, str]]:
    """The honest web with all doors open, and the spam by URL as HTML."""
    web, spam = honest(), {}
    before = {url: len(page.links) for url, page in web.pages.items()}
    for name in TOGETHER:
        other = ATTACKS[name]()
        own = {_host_of(url) for url in other.spam}

        def named(text: str, own: set[str] = own, name: str = name) -> str:
            mine = name.replace("_", "")
            return _HOST.sub(
                lambda found: f"http://{mine if found[1] in own else ''}{found[1]}.example/", text
            )

        spam |= {named(url): named(page.html()) for url, page in other.spam.items()}
        for url, page in other.pages.items():
            doors = page.links[before[url] :]
            web.pages[url].links += [(named(target), text) for target, text in doors]
    return web, spam


def target_of(attack: str) -> str:
    """What an attack is to lift, among all attacks."""
    return TARGET.replace("http://", f"http://{attack.replace('_', '')}")


def cases(pages: dict[str, str]) -> dict[str, Case]:
    """Every host of some pages as a case of a hostile web, named by the host."""
    by_host: dict[str, dict[str, str]] = defaultdict(dict)
    for url, body in pages.items():
        by_host[_host_of(url)]["/" + url.split("/", 3)[3]] = body
    return {host: _serving(own) for host, own in by_host.items()}


def _serving(pages: dict[str, str]) -> Case:
    async def answer(ask: Ask) -> None:
        body = pages.get(ask.path)
        if body is None:
            await ask.reply("nothing here", 404)
            return
        known = ask.web.cases
        hosts = {host: ask.web.url(host) for host in set(_HOST.findall(body)) if host in known}
        await ask.reply(_HOST.sub(lambda found: hosts.get(found[1], found[0]), body))

    return answer


def _host_of(url: str) -> str:
    found = _HOST.match(url)
    assert found is not None
    return found[1]
