"""Honest sites whose pages differ in little, as on the web: no budget refuses a page of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from frontier.states import State
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.made_webs import VOCABULARY, MadeWeb, prose, said

SITE = "http://site.example"
MENU = (
    "Home News Products Support Contact Sign in Search Imprint Privacy Terms Cookies Help About us"
)
FRAME = f"{MENU} {prose('the frame of all pages', 60)}"
LANGUAGES = ("en", "fr", "de", "es", "pt-br", "zh", "ja", "ru")


def nameless(name: str, length: int) -> str:
    """A text without a name that no other page has: what is new in it is how it is put."""
    return prose(name, length, n_names=0)


@cache
def name_of(number: int) -> str:
    """Two or three words of the language, the title of a page."""
    rng = random.Random(number)
    return "-".join(rng.choice(VOCABULARY[:3000]) for _ in range(rng.randint(2, 3)))


def related(number: int, n: int, k: int = 6) -> list[int]:
    """Pages that a page leads to: the next three, and some that one may have come by."""
    rng = random.Random(number)
    earlier = rng.sample(range(number + 1), min(number + 1, k))
    return [one for one in (number + 1, number + 2, number + 3, *earlier) if one < n]


def articles(url: str) -> Page | None:
    """300 articles at paths such as /p/10007/two-words/."""
    path = url.removeprefix(SITE)
    number = 0 if path == "/" else _paths(300).get(path)
    if number is None:
        return None
    links = [SITE + "/", *(SITE + address_of(one) for one in related(number, 300))]
    return said(nameless(path, 60), links)


def address_of(number: int) -> str:
    return f"/p/{number + 10_000}/{name_of(number)}/"


@cache
def _paths(n: int) -> dict[str, int]:
    return {address_of(one): one for one in range(n)}


def catalogue(url: str) -> Page | None:
    """750 products in a frame of many words; a few words and a price are a product's own."""
    frame = FRAME
    if "/product/" in url:
        number = int(re.findall(r"\d+", url)[-1])
        rng = random.Random(number)
        kind = " ".join(rng.choice(VOCABULARY[:150]) for _ in range(4))
        also = [f"{SITE}/product/{one}/" for one in rng.sample(range(750), 4)]
        return said(f"{frame} {kind} {number % 90}.99", [f"{SITE}/", *also])
    page = int((re.findall(r"\d+", url) or ["1"])[-1])
    products = [f"{SITE}/product/{n}/" for n in range(30 * page - 30, 30 * page)]
    more = [f"{SITE}/list/?page={page + 1}"] if page < 25 else []
    return said(f"{frame} page {page}", [*products, *more])


def languages(url: str) -> Page | None:
    """80 pages in eight languages by folder; what is not translated names the English one."""
    found = re.search(r"example/([\w-]+)/(?:([\w-]+)/)?", url)
    language = found[1] if found else "en"
    number = {name_of(one): one for one in range(1, 80)}.get(found[2] if found else "", 0)

    def address(one: int, of: str) -> str:
        return f"{SITE}/{of}/{name_of(one)}/" if one else f"{SITE}/{of}/"

    here = language in LANGUAGES and (number * 8 + LANGUAGES.index(language)) % 100 < 20
    written = language if here else "en"
    menu = MENU if written == "en" else nameless(f"menu {written}", 10)
    others = [address(number, one) for one in LANGUAGES]
    links = [*(address(one, language) for one in related(number, 80)), *others]
    page = said(f"{menu} {nameless(f'{number} {written}', 60)}", links)
    return page if written == language else replace(page, canonical=address(number, "en"))


def number_in(url: str) -> int:
    return int(re.findall(r"\d+", url)[-1])


def forum(url: str) -> Page | None:
    """A list of threads on 10 pages, each thread on three."""
    if "thread" in url:
        thread, page = (int(one) for one in re.findall(r"\d+", url))
        more = [f"{SITE}/thread/{thread}?page={page + 1}"] if page < 3 else []
        return said(prose(url), [f"{SITE}/", *more])
    page = number_in(url) if "?" in url else 1
    threads = [f"{SITE}/thread/{10 * page + n}?page=1" for n in range(10)]
    return said(
        f"Threads, page {page}", [*threads, f"{SITE}/list?page={page + 1}"][: 10 + (page < 10)]
    )


def tables(url: str) -> Page | None:
    """Years of measurements, nothing but figures."""
    year = number_in(url) if re.search(r"\d", url) else 1700
    rows = " ".join(f"{(year * 7919 * k) % 1_000_003 / 100:.2f}" for k in range(1, 60))
    return said(rows, [f"{SITE}/table/{year + 1}"] if year < 2000 else [])


def pictures(url: str) -> Page | None:
    """Pages of pictures, which say nothing and lead nowhere."""
    if url.endswith(".jpg"):
        return Page(text=" " * number_in(url))
    return said("Pictures", [f"{SITE}/img/{n}.jpg" for n in range(500)])


def moved(url: str) -> Page | None:
    """A site that was moved: every old address leads to a new one."""
    if "old" in url:
        return Page(redirect=f"{SITE}/new/{number_in(url)}")
    if "new" in url:
        return said(prose(url), [])
    return said("We have moved", [f"{SITE}/old/page-{n}.html" for n in range(300)])


SITES: dict[str, tuple[Callable[[str], Page | None], int]] = {
    "articles": (articles, 298),
    "catalogue": (catalogue, 775),
    "languages": (languages, 630),
    "forum": (forum, 1 + 9 + 300),
    "tables": (tables, 301),
    "pictures": (pictures, 501),
    "moved": (moved, 301),
}
"""Sites by what they are, and how many pages each has at the least."""


@pytest.mark.parametrize("name", SITES)
def test_nothing_of_it_is_refused(name: str) -> None:
    make, expected = SITES[name]
    crawl = DrivenCrawl(None, MadeWeb(make), strategy="bfs")
    crawl.seed(f"{SITE}/")
    crawl.run(5000)
    counts, refused = crawl.backend.ledger.counts, dict(crawl.backend.refusals.counts)
    finished = crawl.backend.finished()
    pages = sum(crawl.web.get(one) is not None for one in set(crawl.fetched))
    crawl.close()
    assert (counts[State.TRAP], refused, finished) == (0, {}, True)
    assert pages >= expected
