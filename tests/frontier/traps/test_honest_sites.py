"""Sites of ordinary kinds, many times the budgets: none of their pages is refused or missed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest

from frontier.states import State
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.made_webs import MadeWeb, prose, said

SITE = "http://site.example"


def _number(url: str) -> int:
    return int(re.findall(r"\d+", url)[-1])


def blog(url: str) -> Page | None:
    """Posts by date, archives by month that link to the next one."""
    parts = re.fullmatch(rf"{SITE}/(\d+)/(\d+)/(?:post-(\d+)/)?", url)
    if parts is None:
        return said("Welcome to the blog", [f"{SITE}/2017/01/"])
    year, month, post = (int(one or 0) for one in parts.groups())
    if post:
        return said(prose(url), [f"{SITE}/{year}/{month:02}/"])
    after = (year, month + 1) if month < 12 else (year + 1, 1)
    later = [f"{SITE}/{after[0]}/{after[1]:02}/"] if after[0] < 2024 else []
    posts = [f"{SITE}/{year}/{month:02}/post-{n}/" for n in range(1, 4)]
    return said(f"Archive of {month}/{year}", [*posts, *later])


def forum(url: str) -> Page | None:
    """A list of threads on 20 pages, each thread on three."""
    if "thread" in url:
        thread, page = (int(one) for one in re.findall(r"\d+", url))
        more = [f"{SITE}/thread/{thread}?page={page + 1}"] if page < 3 else []
        return said(prose(url), [f"{SITE}/", *more])
    page = _number(url) if "?" in url else 1
    threads = [f"{SITE}/thread/{10 * page + n}?page=1" for n in range(10)]
    return said(
        f"Threads, page {page}", [*threads, f"{SITE}/list?page={page + 1}"][: 10 + (page < 20)]
    )


def shop(url: str) -> Page | None:
    """600 products, each a few words of its own in a frame of many."""
    frame = "Add to basket Delivery in three days Our terms Contact Imprint Price"
    if "product" in url:
        return said(f"{frame} {prose(url, 12)}", [f"{SITE}/", f"{SITE}/list/1"])
    page = _number(url) if "list" in url else 1
    more = [f"{SITE}/list/{page + 1}"] if page < 12 else []
    return said(f"{frame} {page}", [*(f"{SITE}/product/{50 * page + n}" for n in range(50)), *more])


def wiki(url: str) -> Page | None:
    """Articles, categories and special pages that only list them."""
    n = _number(url) if re.search(r"\d", url) else 0
    if "Special" in url or "Category" in url:
        return said(
            "Pages in this category", [f"{SITE}/wiki/Article_{8 * n % 490 + k}" for k in range(8)]
        )
    if n >= 500:
        return None
    links = [f"{SITE}/wiki/Article_{one}" for one in (2 * n + 1, 2 * n + 2) if one < 500]
    lists = [f"{SITE}/wiki/Category:Of_{n}", f"{SITE}/wiki/Special:WhatLinksHere/{n}"]
    return said(prose(url), [*links, *(lists if n < 150 else [])])


def tables(url: str) -> Page | None:
    """Years of measurements, nothing but figures."""
    year = _number(url) if re.search(r"\d", url) else 1700
    rows = " ".join(f"{(year * 7919 * k) % 1_000_003 / 100:.2f}" for k in range(1, 60))
    return said(rows, [f"{SITE}/table/{year + 1}"] if year < 2000 else [])


def pictures(url: str) -> Page | None:
    """Pages of pictures, which say nothing and lead nowhere."""
    if url.endswith(".jpg"):
        return Page(text=" " * _number(url))
    return said("Pictures", [f"{SITE}/img/{n}.jpg" for n in range(500)])


def moved(url: str) -> Page | None:
    """A site that was moved: every old address leads to a new one."""
    if "old" in url:
        return Page(redirect=f"{SITE}/new/{_number(url)}")
    if "new" in url:
        return said(prose(url), [])
    return said("We have moved", [f"{SITE}/old/page-{n}.html" for n in range(300)])


def files(url: str) -> Page | None:
    """A tree of folders with texts in them."""
    parts = url.removeprefix(SITE).strip("/").split("/")
    if url.endswith(".txt"):
        return said(prose(url), [])
    depth = len([one for one in parts if one])
    down = [f"{url}{name}{depth}/" for name in ("src", "doc", "lib")] if depth < 4 else []
    return said("Index of files Parent Directory", [*down, f"{url}readme.txt", f"{url}notes.txt"])


SITES: dict[str, tuple[Callable[[str], Page | None], int]] = {
    "blog": (blog, 1 + 84 + 252),
    "forum": (forum, 1 + 19 + 600),
    "shop": (shop, 1 + 12 + 600),
    "wiki": (wiki, 500 + 300),
    "tables": (tables, 301),
    "pictures": (pictures, 501),
    "moved": (moved, 301),
    "files": (files, 121 * 3),
}


def _fetched(crawl: DrivenCrawl) -> Iterable[str]:
    return {one for one in crawl.fetched if crawl.web.get(one) is not None}


@pytest.mark.parametrize("name", SITES)
def test_an_honest_site_is_fetched_whole(name: str) -> None:
    make, expected = SITES[name]
    crawl = DrivenCrawl(None, MadeWeb(make), strategy="bfs")
    crawl.seed(f"{SITE}/")
    crawl.run(20_000)
    counts, refused = crawl.backend.ledger.counts, dict(crawl.backend.refusals.counts)
    fetched = len(list(_fetched(crawl)))
    crawl.close()
    assert (counts[State.TRAP], refused) == (0, {})
    assert fetched >= expected
