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
from tests.support.made_webs import VOCABULARY, MadeWeb, said
from tests.support.made_webs import prose as prose_with_names

SITE = "http://site.example"
MENU = (
    "Home News Products Support Contact Sign in Search Imprint Privacy Terms Cookies Help About us"
)
FRAME = f"{MENU} {prose_with_names('the frame of all pages', 60)}"
LANGUAGES = ("en", "fr", "de", "es", "pt-br", "zh", "ja", "ru")


def prose(name: str, length: int = 80) -> str:
    """A text without a name that no other page has: what is new in it is how it is put."""
    return prose_with_names(name, length, n_names=0)


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
    """600 articles at paths such as /p/10007/two-words/."""
    path = url.removeprefix(SITE)
    number = 0 if path == "/" else _paths(600).get(path)
    if number is None:
        return None
    links = [SITE + "/", *(SITE + address_of(one) for one in related(number, 600))]
    return said(prose(path, 60), links)


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


def short_pages(url: str) -> Page | None:
    """600 entries of a register: a name, a town, a year."""
    number = int((re.findall(r"\d+", url) or ["0"])[-1])
    rng = random.Random(number)
    name, town = rng.choice(VOCABULARY[:3000]), rng.choice(VOCABULARY[3000:5000])
    links = [f"{SITE}/entry/{one}" for one in related(number, 600, 3)]
    return said(f"Entry {name} of {town} since {1900 + number % 120}", links)


def languages(url: str) -> Page | None:
    """80 pages in eight languages by folder; what is not translated names the English one."""
    found = re.search(r"example/([\w-]+)/(?:([\w-]+)/)?", url)
    language = found[1] if found else "en"
    number = {name_of(one): one for one in range(1, 80)}.get(found[2] if found else "", 0)

    def address(one: int, of: str) -> str:
        return f"{SITE}/{of}/{name_of(one)}/" if one else f"{SITE}/{of}/"

    here = language in LANGUAGES and (number * 8 + LANGUAGES.index(language)) % 100 < 20
    written = language if here else "en"
    menu = MENU if written == "en" else prose(f"menu {written}", 10)
    others = [address(number, one) for one in LANGUAGES]
    links = [*(address(one, language) for one in related(number, 80)), *others]
    page = said(f"{menu} {prose(f'{number} {written}', 60)}", links)
    return page if written == language else replace(page, canonical=address(number, "en"))


SITES: dict[str, tuple[Callable[[str], Page | None], int]] = {
    "articles": (articles, 598),
    "catalogue": (catalogue, 775),
    "short pages": (short_pages, 599),
    "languages": (languages, 630),
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
    crawl.close()
    assert (counts[State.TRAP], refused, finished) == (0, {}, True)
    assert len(set(crawl.fetched)) >= expected
