"""Honest sites of many kinds, each of hundreds of pages: how their URLs and texts are made.

Each is a function of a URL; what it does not know is a 404. What differs from page to page is
little in some of them, as it is on the web: frames of menus, catalogues, lists, copies that are not
translated.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from zlib import crc32

from tests.support.driven_crawl import Page
from tests.support.made_webs import VOCABULARY, said
from tests.support.made_webs import prose as prose_with_names

SITE = "http://site.example"
MENU = (
    "Home News Products Support Contact Sign in Search Imprint Privacy Terms Cookies Help About us"
)
FRAME = f"{MENU} {prose_with_names('the frame of all pages', 60)}"
LANGUAGES = ("en", "fr", "de", "es", "pt-br", "zh", "ja", "ru")

Site = Callable[[str], Page | None]


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


def articles(
    url: str, of: Callable[[int], str], n: int, length: int, frame: str = ""
) -> Page | None:
    """`n` articles at the paths that `of` gives, of about `length` words each."""
    paths = _paths(of, n)
    path = url.removeprefix(SITE)
    number = 0 if path == "/" else paths.get(path)
    if number is None:
        return None
    links = [SITE + "/", *(SITE + of(one) for one in related(number, n))]
    return said(f"{frame} {prose(path, length)}", links)


@cache
def _paths(of: Callable[[int], str], n: int) -> dict[str, int]:
    return {of(one): one for one in range(n)}


def slug(number: int) -> str:
    return f"/{name_of(number)}"


def slug_slash(number: int) -> str:
    return f"/{name_of(number)}/"


def in_section_slash(number: int) -> str:
    return f"/{('news', 'sport', 'arts')[number % 3]}/{name_of(number)}/"


def numbered_slash(number: int) -> str:
    return f"/item/{number}/"


def slug_with_id(number: int) -> str:
    return f"/{name_of(number)}-{number + 10_000}"


def id_then_slug(number: int) -> str:
    return f"/p/{number + 10_000}/{name_of(number)}/"


def slug_then_page(number: int) -> str:
    return f"/{name_of(number)}-{number}/{('overview', 'details', 'reviews')[number % 3]}"


def owner_then_name(number: int) -> str:
    return f"/{name_of(number // 4)}/{name_of(number)}"


def hashed(number: int) -> str:
    return f"/a/{crc32(str(number).encode()):08x}{number}"


def by_argument(number: int) -> str:
    return f"/show.php?article={number}"


def catalogue(url: str) -> Page | None:
    """1,500 products in a frame of many words; a few words and a price are a product's own."""
    frame = FRAME
    if "/product/" in url:
        number = int(re.findall(r"\d+", url)[-1])
        rng = random.Random(number)
        kind = " ".join(rng.choice(VOCABULARY[:150]) for _ in range(4))
        also = [f"{SITE}/product/{one}/" for one in rng.sample(range(1500), 4)]
        return said(f"{frame} {kind} {number % 90}.99", [f"{SITE}/", *also])
    page = int((re.findall(r"\d+", url) or ["1"])[-1])
    products = [f"{SITE}/product/{n}/" for n in range(30 * page - 30, 30 * page)]
    more = [f"{SITE}/list/?page={page + 1}"] if page < 50 else []
    return said(f"{frame} page {page}", [*products, *more])


def short_pages(url: str) -> Page | None:
    """1,200 entries of a register: a name, a town, a year."""
    number = int((re.findall(r"\d+", url) or ["0"])[-1])
    rng = random.Random(number)
    name, town = rng.choice(VOCABULARY[:3000]), rng.choice(VOCABULARY[3000:5000])
    links = [f"{SITE}/entry/{one}" for one in related(number, 1200, 3)]
    return said(f"Entry {name} of {town} since {1900 + number % 120}", links)


def tags(url: str) -> Page | None:
    """600 posts, and 300 tags and 60 archive pages that only list them."""
    path = url.removeprefix(SITE)
    number = int((re.findall(r"\d+", url) or ["1"])[-1])
    if path.startswith("/post/"):
        rng = random.Random(number)
        tagged = [f"{SITE}/tag/{VOCABULARY[rng.randrange(300)]}/" for _ in range(5)]
        return said(prose(path, 60), [f"{SITE}/", *tagged])
    if path.startswith("/tag/"):
        rng = random.Random(path)
        posts = [f"{SITE}/post/{rng.randrange(600)}/" for _ in range(8)]
        return said(f"{MENU} Posts tagged {path.split('/')[2]}", posts)
    posts = [f"{SITE}/post/{n}/" for n in range(10 * number - 10, 10 * number)]
    more = [f"{SITE}/page/{number + 1}/"] if number < 60 else []
    return said(f"{MENU} Older posts Newer posts", [*posts, *more])


def profiles(url: str) -> Page | None:
    """900 members of whom hardly anything is known, each with a list of friends."""
    path = url.removeprefix(SITE)
    number = _paths(slug_slash, 900).get(path.removeprefix("/user"), 0)
    friends = [f"{SITE}/user/{name_of(one)}/" for one in related(number, 900, 3)]
    who = name_of(number).replace("-", " ") if number else ""
    return said(f"{MENU} Profile of {who} has not written anything yet Friends", friends)


def languages(url: str, *, argument: bool, translated: int, canonical: bool = False) -> Page | None:
    """150 pages in eight languages, by folder or argument; untranslated ones are in English."""
    found = re.search(r"lang=([\w-]+)" if argument else r"example/([\w-]+)/", url)
    language = found[1] if found else "en"
    own = "/" + url.partition("?")[0].split("/")[-2] + "/"
    number = _paths(slug_slash, 150).get(own, 0)

    def address(one: int, of: str) -> str:
        path = f"/{name_of(one)}/" if one else "/"
        return f"{SITE}{path}?lang={of}" if argument else f"{SITE}/{of}{path}"

    here = language in LANGUAGES and (number * 8 + LANGUAGES.index(language)) % 100 < translated
    written = language if here else "en"
    menu = MENU if written == "en" else prose(f"menu {written}", 10)
    text = f"{menu} {prose(f'{number} {written}', 60)}"
    others = [address(number, one) for one in LANGUAGES]
    page = said(text, [*(address(one, language) for one in related(number, 150)), *others])
    if canonical and written != language:
        return replace(page, canonical=address(number, "en"))
    return page


def printed(url: str) -> Page | None:
    """500 articles, each with a print version and one for every campaign, all with a canonical."""
    path = url.removeprefix(SITE)
    number = int((re.findall(r"/(\d+)", path) or ["0"])[0])
    base = f"{SITE}/article/{number}/"
    own = [f"{SITE}/article/{one}/" for one in related(number, 500, 3)]
    copies = [f"{base}print/", f"{base}?from=menu", f"{base}?from=mail"]
    page = said(prose(f"article {number}"), [f"{one}?from=box" for one in own] + own + copies)
    return page if url == base or path == "/" else replace(page, canonical=base)


SITES: dict[str, tuple[Site, int]] = {
    **{
        of.__name__.replace("_", " "): (partial(articles, of=of, n=n, length=length), n - 2)
        for of, n, length in (
            *((slug, 900, 60), (slug_slash, 900, 60), (in_section_slash, 900, 60)),
            *((numbered_slash, 900, 60), (slug_with_id, 600, 60), (id_then_slug, 600, 60)),
            *((slug_then_page, 900, 30), (owner_then_name, 900, 40), (hashed, 600, 60)),
            *((by_argument, 600, 60),),
        )
    },
    "slugs with slash in a frame": (
        partial(articles, of=slug_slash, n=1500, length=15, frame=FRAME), 1498,
    ),
    "catalogue": (catalogue, 1550),
    "short pages": (short_pages, 1199),
    "tags and archives": (tags, 900),
    "profiles": (profiles, 898),
    "languages by folder": (partial(languages, argument=False, translated=100), 1180),
    "languages by argument": (partial(languages, argument=True, translated=100), 1180),
    "languages by folder, few translated": (
        partial(languages, argument=False, translated=20), 1180,
    ),
    "languages by argument, few translated": (
        partial(languages, argument=True, translated=20), 1180,
    ),
    "languages by folder, copies named": (
        partial(languages, argument=False, translated=20, canonical=True), 1180,
    ),
    "copies that name their originals": (printed, 1900),
}  # fmt: skip
"""Sites by what they are, and how many pages each has at the least."""
