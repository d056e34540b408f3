"""Ways to lead a crawl to an address that it must not connect to.

That address listens, on the port of all cases: 127.99.0.1. Each case leads there from its first
page, by each of many spellings or by each of many ways; `/next` of its host is linked as well.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.support.hostile import FORBIDDEN, Ask, Case

SPELLINGS = [
    "127.99.0.1",
    "127.99.0.1.",
    "127.99.1",
    "2137194497",
    "0x7f630001",
    "0X7F.0x63.0.1",
    "0177.0143.0.1",
    "017730600001",
    "0000000000177.99.0.1",
    "127.0x63.1",
    "１２７.９９.０.１",
    "①②⑦.⑨⑨.⓪.①",
    "127。99。0。1",
    "127．99．0．1",
    "127%2E99%2E0%2E1",
    "%31%32%37.99.0.1",
    "[::ffff:127.99.0.1]",
    "[::ffff:7f63:1]",
    "[0:0:0:0:0:ffff:7f63:0001]",
    "[::127.99.0.1]",
    "[64:ff9b::127.99.0.1]",
    "[2002:7f63:1::]",
    "user:secret@127.99.0.1",
    "example.org@127.99.0.1",
    "127.66.0.2@127.99.0.1",
    "\t127.99.0.1",
]
OTHERS = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "www.localhost",
    "127.0.0.1",
    "[::1]",
    "[::]",
    "0.0.0.0",
    "0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "2852039166",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "metadata.test",
]
NAMES = ["private.test", "mapped.test", "nat64.test", "ipv6.test", "zero.test", "metadata.test"]
SCHEMES = [
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "FILE:///etc/passwd",
    "ftp://127.99.0.1/",
    "data:text/html,<a href=/from-data>x</a>",
    "s3://bucket/key",
    "javascript:location='/from-script'",
    "gopher://127.99.0.1:70/",
    "ws://127.99.0.1/",
    "view-source:http://127.99.0.1/",
    "jar:http://127.99.0.1/!/",
    "about:blank",
    "blob:http://127.99.0.1/1",
    "dict://127.99.0.1/",
    "unix:///var/run/docker.sock",
]
ADDRESSES: dict[str, Case] = {}


def _first(name: str, answer: Callable[[Ask], object]) -> None:
    """A case whose first page `answer` makes: text, or a status and headers."""

    async def case(ask: Ask) -> None:
        if ask.path == "/":
            made = answer(ask)
            if isinstance(made, tuple):
                status, headers = made
                await ask.reply('<a href="/next">on</a>', status, **headers)
            else:
                await ask.reply(str(made) + '<a href="/next">on</a>')
        elif ask.path == "/robots.txt":
            await ask.reply("", 404)
        else:
            await ask.reply("<title>harmless</title>the end")

    ADDRESSES[name] = case


def _at(host: str, ask: Ask) -> str:
    return f"http://{host}:{ask.web.port}/secret"


def _bad(ask: Ask) -> str:
    return _at(FORBIDDEN, ask)


_first("harmless", lambda ask: "")
_first(
    "links_of_every_spelling",
    lambda ask: "".join(f'<a href="{_at(one, ask)}">x</a>' for one in SPELLINGS + OTHERS + NAMES),
)
_first(
    "links_without_a_port",
    lambda ask: "".join(f'<a href="http://{one}/">x</a>' for one in SPELLINGS + OTHERS + NAMES),
)
_first(
    "links_without_a_scheme",
    lambda ask: "".join(f'<a href="//{one}:{ask.web.port}/">x</a>' for one in SPELLINGS),
)
_first(
    "links_with_backslashes",
    lambda ask: "".join(rf'<a href="http:\\{one}:{ask.web.port}\">x</a>' for one in SPELLINGS),
)
_first("links_of_every_scheme", lambda ask: "".join(f'<a href="{one}">x</a>' for one in SCHEMES))
_first("https_links", lambda ask: f'<a href="{_bad(ask).replace("http:", "https:")}">x</a>')
_first("frames", lambda ask: f'<iframe src="{_bad(ask)}"></iframe><frame src="{_bad(ask)}">')
_first("areas", lambda ask: f'<map><area href="{_bad(ask)}"></map>')
_first("next_page", lambda ask: f'<link rel=next href="{_bad(ask)}">')
_first("canonical", lambda ask: f'<link rel=canonical href="{_bad(ask)}">')
_first("base", lambda ask: f'<base href="{_bad(ask)}"><a href="deeper">x</a>')
_first("base_of_a_file", lambda ask: '<base href="file:///etc/"><a href="passwd">x</a>')
_first("meta_refresh", lambda ask: f'<meta http-equiv=refresh content="0;url={_bad(ask)}">')
_first("meta_refresh_later", lambda ask: f'<meta http-equiv=refresh content="900;url={_bad(ask)}">')
_first(
    "meta_refresh_to_a_file", lambda ask: '<meta http-equiv=refresh content="0;file:///etc/passwd">'
)
for _status in (301, 302, 303, 307, 308):
    _first(
        f"redirect_{_status}",
        lambda ask, status=_status: (status, {"Location": _bad(ask)}),
    )
for _number, _spelling in enumerate(SPELLINGS):
    _first(
        f"redirect_to_spelling_{_number}",
        lambda ask, host=_spelling: (
            302,
            {"Location": _at(host, ask).encode().decode("latin-1")},
        ),
    )
for _name in NAMES:
    _first(
        f"redirect_to_{_name}",
        lambda ask, host=_name: (302, {"Location": _at(host, ask)}),
    )
for _number, _scheme in enumerate(SCHEMES):
    _first(
        f"redirect_to_scheme_{_number}",
        lambda ask, url=_scheme: (302, {"Location": url}),
    )
_first("redirect_without_a_scheme", lambda ask: (302, {"Location": _bad(ask)[5:]}))
_first("refresh_header", lambda ask: (200, {"Refresh": f"0; url={_bad(ask)}"}))
_first("link_header", lambda ask: (200, {"Link": f'<{_bad(ask)}>; rel="canonical"'}))
_first("content_location", lambda ask: (200, {"Content_Location": _bad(ask)}))


async def _robots_redirect(ask: Ask) -> None:
    if ask.path == "/robots.txt":
        await ask.reply("", 302, Location=_bad(ask))
    else:
        await ask.reply('<a href="/next">on</a>')


async def _robots_sitemap(ask: Ask) -> None:
    if ask.path == "/robots.txt":
        own = ask.url("/sitemap.xml")
        await ask.reply(f"Sitemap: {_bad(ask)}\nSitemap: {own}\n", kind="text/plain")
    elif ask.path == "/sitemap.xml":
        urls = "".join(f"<url><loc>{_at(one, ask)}</loc></url>" for one in SPELLINGS)
        await ask.reply(f"<urlset>{urls}</urlset>", kind="application/xml")
    else:
        await ask.reply('<a href="/next">on</a>')


ADDRESSES["robots_redirect"] = _robots_redirect
ADDRESSES["robots_sitemap"] = _robots_sitemap
