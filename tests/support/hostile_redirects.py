"""Redirects as the web has them and as an enemy would: each case is a host of its own.

`CASES` says how a host answers, `EXPECTED` what it must and must not be asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.support.hostile import FORBIDDEN, Ask, Case


@dataclass(frozen=True)
class Expected:
    """Paths that must be asked for, that must not be, and how many requests at most there are.

    `once`: no path is asked for twice. `states` are paths and the state their URL ends in.
    """

    paths: tuple[str, ...] = ("/", "/target")
    never: tuple[str, ...] = ()
    most: int = 10
    once: bool = True
    states: tuple[tuple[str, str], ...] = ()


CASES: dict[str, Case] = {}
EXPECTED: dict[str, Expected] = {}
PAGE = "<html><head><title>a page</title></head><body><p>text</p></body></html>"


def case(
    name: str,
    expected: Expected,
    cases: dict[str, Case] = CASES,
    every: dict[str, Expected] = EXPECTED,
) -> Callable[[Case], Case]:
    """Add a case that has no robots.txt."""

    def add(answer: Case) -> Case:
        async def without_robots(ask: Ask) -> None:
            if ask.path == "/robots.txt":
                await ask.reply("", 404)
            else:
                await answer(ask)

        cases[name], every[name] = without_robots, expected
        return answer

    return add


def linking(*targets: str) -> str:
    anchors = "".join(f'<a href="{one}">{one}</a> ' for one in targets)
    return f"<html><head><title>links</title></head><body>{anchors}</body></html>"


async def raw(ask: Ask, status: int, *lines: bytes, body: bytes = b"") -> None:
    """Write an answer with header lines as they are."""
    head = [b"HTTP/1.1 %d X" % status, b"Content-Length: %d" % len(body), *lines, b"", b""]
    await ask.raw(b"\r\n".join(head) + body)


def answering(location: str | bytes | None, status: int = 302, body: str = "") -> Case:
    """/ redirects to a place, /target is a page, everything else as well."""

    async def answer(ask: Ask) -> None:
        if ask.path != "/":
            await ask.reply(PAGE if ask.path != "/robots.txt" else "", kind="text/html")
            return
        place = location.encode() if isinstance(location, str) else location
        if place is not None:
            root = ask.url("").encode()
            place = place.replace(b"{host}", root).replace(b"{hostport}", root[len("http://") :])
        lines = [] if place is None else [b"Location: " + place]
        await raw(ask, status, b"Content-Type: text/html", *lines, body=body.encode())

    return answer


def simple(
    name: str, location: str | bytes | None, expected: Expected, status: int = 302, body: str = ""
) -> None:
    CASES[name], EXPECTED[name] = answering(location, status, body), expected


FOLLOWED = Expected(states=(("/", "REDIRECTED"), ("/target", "CRAWLED")))
NOWHERE = Expected(paths=("/",), most=1, states=(("/", "ERROR"),))

for status in (301, 302, 303, 307, 308):
    simple(f"status_{status}", "/target", FOLLOWED, status)
for status in (300, 304, 305, 306):
    simple(f"no_redirect_{status}", "/target", NOWHERE, status)


def tagged(name: str, tag: bytes, expected: Expected) -> None:
    async def answer(ask: Ask) -> None:
        if ask.path == "/robots.txt":
            rules = b"X-Robots-Tag: none"
            await raw(ask, 301, b"Location: /rules", rules)
        elif ask.path == "/":
            lines = (b"Location: /target", b"X-Robots-Tag: " + tag)
            await raw(
                ask, 301, b"Content-Type: text/html", *lines, body=linking("/target").encode()
            )
        else:
            await ask.reply("" if ask.path == "/rules" else PAGE, kind="text/html")

    CASES["tag_" + name], EXPECTED["tag_" + name] = answer, expected


for name, tag in [("noindex", b"noindex"), ("other_crawler", b"otherbot: none"), ("all", b"all")]:
    tagged(name, tag, FOLLOWED)
for name, tag in [("nofollow", b"nofollow"), ("none", b"NONE"), ("both", b"noindex, nofollow")]:
    tagged(name, tag, FOLLOWED)
simple("absolute", "{host}/target", FOLLOWED)
simple("relative_without_slash", "target", FOLLOWED)
simple("without_scheme", b"//{hostport}/target", FOLLOWED)
simple("fragment", "/target#part", FOLLOWED)
simple("credentials", b"http://user:secret@{hostport}/target", FOLLOWED)
simple(
    "space_inside",
    "/tar get",
    Expected(paths=("/", "/tar%20get"), states=(("/", "REDIRECTED"),)),
)
simple(
    "utf_8",
    "/tärget".encode(),
    Expected(paths=("/", "/t%C3%A4rget"), states=(("/", "REDIRECTED"),)),
)
simple(
    "latin_1",
    "/tärget".encode("latin-1"),
    Expected(paths=("/", "/t%E4rget"), states=(("/", "REDIRECTED"),)),
)
simple("missing", None, NOWHERE)
simple("empty", "", Expected(paths=("/",), most=1))
simple("garbage", b"http://[::1:x/%%%", NOWHERE)
simple("very_long", "/" + "x" * 20_000, Expected(paths=("/",), most=3, once=False))
for scheme in ("file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:alert(1)", "mailto:a@b"):
    simple("scheme_" + scheme.partition(":")[0], scheme, NOWHERE)
simple("scheme_data", "data:text/html,<a href=/target>x</a>", NOWHERE)
simple("to_itself", "/", Expected(paths=("/",), most=1, states=(("/", "FILTERED"),)))
simple(
    "links_in_the_body",
    "/target",
    Expected(never=("/in-the-body",)),
    body=linking("/in-the-body"),
)
simple("a_200_with_location", "/target", Expected(("/",), ("/target",), 1), 200, PAGE)
simple("a_404_with_location", "/target", NOWHERE, 404)
simple("a_201_with_location", "/target", Expected(("/",), ("/target",), 1), 201, PAGE)


@case("private_address", Expected(paths=("/",), most=1))
async def private_address(ask: Ask) -> None:
    await ask.reply(status=302, Location=f"http://{FORBIDDEN}:{ask.web.port}/")


@case("private_address_spelled_otherwise", Expected(paths=("/",), most=1))
async def private_decimal(ask: Ask) -> None:
    await ask.reply(status=302, Location=f"http://2137194497:{ask.web.port}/")


async def forbidden_by_robots(ask: Ask) -> None:
    if ask.path == "/robots.txt":
        await ask.reply("User-agent: *\nDisallow: /target\n", kind="text/plain")
    else:
        await ask.reply(status=302, Location="/target")


CASES["forbidden_by_robots"] = forbidden_by_robots
EXPECTED["forbidden_by_robots"] = Expected(("/",), ("/target",), states=(("/target", "ROBOTS"),))


@case("circle_of_two", Expected(("/", "/b"), most=2))
async def circle_of_two(ask: Ask) -> None:
    await ask.reply(status=302, Location="/b" if ask.path == "/" else "/")


@case("circle_with_page", Expected(("/", "/a", "/b", "/page"), states=(("/page", "CRAWLED"),)))
async def circle_with_page(ask: Ask) -> None:
    if ask.path == "/":
        await ask.reply(linking("/a", "/page"))
    elif ask.path == "/page":
        await ask.reply(PAGE)
    else:
        await ask.reply(status=302, Location="/b" if ask.path == "/a" else "/a")


@case("chain_of_ten", Expected(("/", "/10"), most=11, states=(("/10", "CRAWLED"),)))
async def chain_of_ten(ask: Ask) -> None:
    number = int(ask.path[1:] or 0)
    if number == 10:
        await ask.reply(PAGE)
    else:
        await ask.reply(status=302, Location=f"/{number + 1}")


@case("minted_without_end", Expected(("/",), most=22))
async def minted_without_end(ask: Ask) -> None:
    number = int(ask.path.partition("?")[2] or 0)
    await ask.reply(status=302, Location=f"/r?{number + 1}")


@case("minted_in_both_ways", Expected(("/",), most=22))
async def minted_in_both_ways(ask: Ask) -> None:
    number = int(ask.path.partition("?")[2] or 0) + 1
    if number % 2:
        await ask.reply(status=302, Location=f"/r?{number}")
    else:
        await ask.reply(f'<meta http-equiv="refresh" content="0; url=/r?{number}">')


@case("to_what_was_fetched", Expected(("/", "/page", "/old", "/older"), most=4))
async def to_what_was_fetched(ask: Ask) -> None:
    if ask.path == "/":
        await ask.reply(linking("/page", "/old", "/older"))
    elif ask.path == "/page":
        await ask.reply(PAGE)
    else:
        await ask.reply(status=301, Location="/page")


simple("elsewhere", "/target", Expected())


@case("across_hosts", Expected(("/",), most=1, states=(("/", "REDIRECTED"),)))
async def across_hosts(ask: Ask) -> None:
    await ask.reply(status=302, Location=ask.url("/from-elsewhere", "elsewhere"))


@case("cookie_first", Expected(("/",), most=1))
async def cookie_first(ask: Ask) -> None:
    if "cookie" in ask.headers:
        await ask.reply(PAGE)
    else:
        await ask.reply(status=302, Location="/", Set_Cookie="seen=1")


async def robots_txt_redirects(ask: Ask) -> None:
    if ask.path == "/robots.txt":
        await ask.reply(status=301, Location="/rules")
    elif ask.path == "/rules":
        await ask.reply("User-agent: *\nDisallow: /secret\n", kind="text/plain")
    else:
        await ask.reply(linking("/secret") if ask.path == "/" else PAGE)


CASES["robots_txt_redirects"] = robots_txt_redirects
EXPECTED["robots_txt_redirects"] = Expected(("/",), ("/secret",), states=(("/", "CRAWLED"),))
