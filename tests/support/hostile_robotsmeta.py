"""Robots meta elements and X-Robots-Tag headers: each case is a host of its own.

The root of a host is a page with a rule, which alone leads to /linked; beside it, only for cases
whose links are not followed, there is nothing to find. `EXPECTED` says whether /linked may be asked
for, and whether the root may be exported.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.hostile import Ask, Case

TOKEN = "probe"
USER_AGENT = "probe/1.0 (+https://probe.example/about)"


@dataclass(frozen=True)
class HostWish:
    """What the root asks for: that its link is followed, that it is shown."""

    followed: bool = True
    shown: bool = True


CASES: dict[str, Case] = {}
EXPECTED: dict[str, HostWish] = {}
NOINDEX, NOFOLLOW = HostWish(shown=False), HostWish(followed=False)
NONE, ALL = HostWish(followed=False, shown=False), HostWish()

Header = tuple[str, str]


def page(head: str, body: str = '<a href="/linked">a page</a>') -> bytes:
    return f"<html><head><title>a page</title>{head}</head><body>{body}</body></html>".encode()


def answering(body: bytes, *headers: Header, kind: str = "text/html; charset=utf-8") -> Case:
    async def answer(ask: Ask) -> None:
        if ask.path == "/":
            lines = [f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"]
            lines += [f"{name}: {value}\r\n" for name, value in headers]
            await ask.raw("".join([*lines, "\r\n"]).encode("latin-1") + body)
        elif ask.path == "/robots.txt":
            await ask.reply("", 404)
        else:
            await ask.reply(page("", f"the page {ask.path}"))

    return answer


def meta(name: str, *elements: str, wish: HostWish) -> None:
    CASES["meta_" + name], EXPECTED["meta_" + name] = answering(page("".join(elements))), wish


def tag(name: str, *values: str, wish: HostWish) -> None:
    headers = [("X-Robots-Tag", value) for value in values]
    CASES["tag_" + name], EXPECTED["tag_" + name] = answering(page(""), *headers), wish


def element(content: str, name: str = "robots") -> str:
    return f'<meta name="{name}" content="{content}">'


meta("noindex", element("noindex"), wish=NOINDEX)
meta("nofollow", element("nofollow"), wish=NOFOLLOW)
meta("none", element("none"), wish=NONE)
meta("all", element("all"), wish=ALL)
meta("two_elements", element("index,follow"), element("noindex"), wish=NOINDEX)
meta("for_us", element("nofollow", TOKEN), wish=NOFOLLOW)
meta("for_another", element("none", "googlebot"), wish=ALL)
meta("for_us_and_all", element("noindex"), element("nofollow", TOKEN), wish=NONE)
meta("over", element("unavailable_after: 2015-01-01"), wish=NOINDEX)
meta("in_a_comment", "<!-- " + element("none") + " -->", wish=ALL)
meta("in_a_script", "<script>'" + element("none") + "'</script>", wish=ALL)
meta("many", *(element(f"word{n}") for n in range(30)), element("nofollow"), wish=NOFOLLOW)

tag("noindex", "noindex", wish=NOINDEX)
tag("nofollow", "nofollow", wish=NOFOLLOW)
tag("none", "none", wish=NONE)
tag("two_headers", "noindex", "nofollow", wish=NONE)
tag("for_us", f"{TOKEN}: nofollow", wish=NOFOLLOW)
tag("for_another", "googlebot: noindex, nofollow", wish=ALL)
tag("in_one_header", f"googlebot: noindex, {TOKEN}: nofollow", wish=NOFOLLOW)
tag("over", "unavailable_after: 25 Jun 2010 15:00:00 PST", wish=NOINDEX)
tag("garbage", "\xff\xfe:::,,,;", wish=ALL)

CASES["meta_and_tag"] = answering(page(element("noindex")), ("X-Robots-Tag", "nofollow"))
EXPECTED["meta_and_tag"] = NONE
CASES["meta_all_and_tag_none"] = answering(page(element("all")), ("X-Robots-Tag", "none"))
EXPECTED["meta_all_and_tag_none"] = NONE
CASES["in_the_body"] = answering(page("", element("nofollow") + '<a href="/linked">x</a>'))
EXPECTED["in_the_body"] = NOFOLLOW
CASES["plain_text"] = answering(b"text", ("X-Robots-Tag", "noindex"), kind="text/plain")
EXPECTED["plain_text"] = NONE
CASES["pdf"] = answering(b"%PDF-1.4", ("X-Robots-Tag", "noindex"), kind="application/pdf")
EXPECTED["pdf"] = NONE
CASES["canonical_of_nofollow"] = answering(
    page(element("nofollow") + '<link rel="canonical" href="/linked">')
)
EXPECTED["canonical_of_nofollow"] = NOFOLLOW
for rel in ("nofollow", "ugc", "sponsored", "NOFOLLOW noopener"):
    name = "rel_" + rel.partition(" ")[0]
    CASES[name] = answering(page("", f'<a rel="{rel}" href="/linked">a page</a>'))
    EXPECTED[name] = ALL
CASES["rel_nofollow_and_not"] = answering(
    page("", '<a rel="nofollow" href="/linked">a</a> <a href="/linked">b</a>')
)
EXPECTED["rel_nofollow_and_not"] = ALL


async def linked_otherwise(ask: Ask) -> None:
    """A page that may not be left leads to one that another page leads to as well."""
    if ask.path == "/":
        await ask.reply(page("", '<a href="/wall">a</a> <a href="/door">b</a>'))
    elif ask.path == "/wall":
        links = '<a href="/linked">a</a> <a href="/never">b</a>'
        await ask.reply(page(element("nofollow"), links))
    elif ask.path == "/door":
        await ask.reply(page("", '<a href="/linked">a</a>'))
    else:
        await ask.reply(page(""), 200 if ask.path == "/linked" else 404)


CASES["linked_otherwise"], EXPECTED["linked_otherwise"] = linked_otherwise, ALL
