"""Refreshes and canonical addresses, each case a host of its own; see `hostile_redirects`."""

from __future__ import annotations

from functools import partial

from tests.support.hostile import FORBIDDEN, Ask, Case
from tests.support.hostile_redirects import PAGE, Expected
from tests.support.hostile_redirects import case as any_case

CASES: dict[str, Case] = {}
EXPECTED: dict[str, Expected] = {}
case = partial(any_case, cases=CASES, every=EXPECTED)
FOLLOWED = Expected(states=(("/", "REDIRECTED"), ("/target", "CRAWLED")))


# Refreshes


def refreshing(head: str, body: str = "", **headers: str) -> Case:
    async def answer(ask: Ask) -> None:
        if ask.path == "/":
            page = f"<html><head>{head}</head><body><p>text</p>{body}</body></html>"
            await ask.reply(page, **headers)
        elif ask.path == "/robots.txt":
            await ask.reply("", 404)
        else:
            await ask.reply(PAGE)

    return answer


def refresh(name: str, content: str, expected: Expected) -> None:
    CASES[name] = refreshing(f'<meta http-equiv="refresh" content="{content}">')
    EXPECTED[name] = expected


AS_PAGE = Expected(("/",), most=1, states=(("/", "CRAWLED"),))
AS_LINK = Expected(states=(("/", "CRAWLED"), ("/target", "CRAWLED")))

refresh("refresh", "0; url=/target", FOLLOWED)
refresh("refresh_after_three", "3; url=/target", FOLLOWED)
refresh("refresh_late", "60; url=/target", AS_LINK)
refresh("refresh_itself", "5", AS_PAGE)
refresh("refresh_itself_at_once", "0; url=/", AS_PAGE)
refresh("refresh_to_a_script", "0; url=javascript:alert(1)", AS_PAGE)
refresh("refresh_garbage", "soon; url=", AS_PAGE)
CASES["refresh_by_header"] = refreshing("", Refresh="0; url=/target")
EXPECTED["refresh_by_header"] = FOLLOWED
CASES["refresh_in_the_body"] = refreshing(
    "", '<meta http-equiv="refresh" content="0; url=/target">'
)
EXPECTED["refresh_in_the_body"] = FOLLOWED
CASES["refresh_in_noscript"] = refreshing(
    '<noscript><meta http-equiv="refresh" content="0; url=/noscript"></noscript>'
)
EXPECTED["refresh_in_noscript"] = Expected(("/",), states=(("/", "CRAWLED"),))
CASES["refresh_in_a_comment"] = refreshing(
    '<!-- <meta http-equiv="refresh" content="0; url=/comment"> -->'
)
EXPECTED["refresh_in_a_comment"] = Expected(("/",), ("/comment",), 1, states=(("/", "CRAWLED"),))
CASES["redirect_by_script"] = refreshing("<script>location.href = '/script'</script>")
EXPECTED["redirect_by_script"] = Expected(("/",), ("/script",), 1, states=(("/", "CRAWLED"),))
CASES["refresh_far_down"] = refreshing(
    "<style>" + "x " * 5_000 + '</style><meta http-equiv="refresh" content="0; url=/target">'
)
EXPECTED["refresh_far_down"] = AS_LINK


@case("refresh_of_a_404", Expected(("/",), ("/target",), 1, states=(("/", "ERROR"),)))
async def refresh_of_a_404(ask: Ask) -> None:
    await ask.reply('<meta http-equiv="refresh" content="0; url=/target">', 404)


@case("refresh_circle", Expected(("/", "/b"), most=2))
async def refresh_circle(ask: Ask) -> None:
    target = "/b" if ask.path == "/" else "/"
    await ask.reply(f'<meta http-equiv="refresh" content="0; url={target}">')


# Canonical addresses


def named(head: str, **headers: str) -> Case:
    return refreshing(head, '<a href="/linked">linked</a>', **headers)


def canonical(name: str, href: str, expected: Expected) -> None:
    CASES[name] = named(f'<link rel="canonical" href="{href}">')
    EXPECTED[name] = expected


MERGED = Expected(
    ("/", "/target", "/linked"),
    states=(("/", "REDIRECTED"), ("/target", "CRAWLED"), ("/linked", "CRAWLED")),
)
STANDS = Expected(("/", "/linked"), states=(("/", "CRAWLED"), ("/linked", "CRAWLED")))

canonical("canonical", "/target", MERGED)
canonical("canonical_itself", "/", STANDS)
CASES["canonical_by_header"] = named("", Link='</target>; rel="canonical"')
EXPECTED["canonical_by_header"] = MERGED
CASES["canonical_twice"] = named(
    '<link rel="canonical" href="/target"><link rel="canonical" href="/other">'
)
EXPECTED["canonical_twice"] = STANDS


@case("canonical_to_a_404", STANDS)
async def canonical_to_a_404(ask: Ask) -> None:
    if ask.path == "/gone":
        await ask.reply("", 404)
    else:
        await named('<link rel="canonical" href="/gone">')(ask)


async def canonical_forbidden(ask: Ask) -> None:
    if ask.path == "/robots.txt":
        await ask.reply("User-agent: *\nDisallow: /gone\n", kind="text/plain")
    else:
        await named('<link rel="canonical" href="/gone">')(ask)


CASES["canonical_forbidden"] = canonical_forbidden
EXPECTED["canonical_forbidden"] = Expected(("/", "/linked"), ("/gone",), states=(("/", "CRAWLED"),))


@case("redirect_and_canonical_back", Expected(("/", "/b"), states=(("/b", "CRAWLED"),), most=2))
async def redirect_and_canonical_back(ask: Ask) -> None:
    if ask.path == "/":
        await ask.reply(status=301, Location="/b")
    else:
        await ask.reply(f'<head><link rel="canonical" href="/"></head>{PAGE}')


@case("canonical_and_redirect_back", Expected(("/", "/b"), states=(("/", "CRAWLED"),), most=2))
async def canonical_and_redirect_back(ask: Ask) -> None:
    if ask.path == "/b":
        await ask.reply(status=301, Location="/")
    else:
        await ask.reply(f'<head><link rel="canonical" href="/b"></head>{PAGE}')


@case("canonical_circle", Expected(("/", "/b"), states=(("/b", "CRAWLED"),), most=2))
async def canonical_circle(ask: Ask) -> None:
    target = "/b" if ask.path == "/" else "/"
    await ask.reply(f'<head><link rel="canonical" href="{target}"></head><p>{ask.path}</p>')


@case("minted_canonicals", Expected(("/",), most=10))
async def minted_canonicals(ask: Ask) -> None:
    """Every page is new and names a newer one; nothing else leads anywhere."""
    number = int(ask.path.partition("?")[2] or 0) + 1
    await ask.reply(f'<head><link rel="canonical" href="/c?{number}"></head><p>{number}</p>')


CASES["stranger"] = named("")
EXPECTED["stranger"] = Expected(("/", "/from-a-stranger"))


@case("canonical_of_another_host", Expected(("/", "/linked"), states=(("/", "CRAWLED"),)))
async def canonical_of_another_host(ask: Ask) -> None:
    target = ask.url("/from-a-stranger", "stranger")
    await named(f'<link rel="canonical" href="{target}">')(ask)


@case("private_by_refresh", Expected(paths=("/",), most=1))
async def private_by_refresh(ask: Ask) -> None:
    target = f"http://{FORBIDDEN}:{ask.web.port}/"
    await ask.reply(f'<meta http-equiv="refresh" content="0;url={target}">')


@case("private_by_canonical", Expected(paths=("/",), most=1))
async def private_by_canonical(ask: Ask) -> None:
    await ask.reply(
        f'<head><link rel="canonical" href="http://{FORBIDDEN}:{ask.web.port}/"></head>{PAGE}'
    )
