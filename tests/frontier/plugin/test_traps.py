"""Traps: a crawl spends little in each and ends; what guests ask for is fetched, if last."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from scrapy import version_info

from frontier.inspection import CrawlView
from frontier.traps.budgets import HOST_SPENT, PATTERN_SPENT
from frontier.traps.limits import ESCAPED_ESCAPES, REPEATS
from tests.support.hostile import HostileWeb, crawl, hostile
from tests.support.hostile_traps import ENDLESS, HONEST_PATHS
from tests.support.scrapy_runs import Run, run_spider
from tests.support.sites import Answer, Page, links, serving
from tests.support.told import tells

NOT_BEFORE = pytest.mark.skipif(
    version_info < (2, 14), reason="before Scrapy 2.14 callbacks wait: thousands take too long"
)

MOST = 200
"""Requests that a trap may cost, its honest pages included, with a fifth of the usual budgets."""


@dataclass
class Crawled:
    """A crawl of all traps at once."""

    web: HostileWeb
    run: Run
    folder: Path


def _crawled(folder: Path, topic: str) -> Iterator[Crawled]:
    with hostile(ENDLESS) as web:
        seeds = [web.url(case) for case in ENDLESS]
        run = crawl(
            folder,
            seeds,
            *("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=0"),
            *("CONCURRENT_REQUESTS=32", "ROBOTSTXT_OBEY=0"),
            "FRONTIER_TRAP_BUDGET=12",
            topic=topic,
        )
        yield Crawled(web, run, folder)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    yield from _crawled(tmp_path_factory.mktemp("plain"), "")


@pytest.mark.slow
@NOT_BEFORE
@pytest.mark.parametrize("case", ENDLESS)
def test_a_trap_costs_little_and_hides_nothing(plain: Crawled, case: str) -> None:
    paths = plain.web.paths(case)
    assert len(paths) <= MOST
    assert set(HONEST_PATHS) <= set(paths)


@pytest.mark.slow
@NOT_BEFORE
def test_the_crawl_ends_by_itself(plain: Crawled) -> None:
    assert plain.run.stats["finish_reason"] == "finished"


@pytest.mark.slow
@NOT_BEFORE
def test_refusals_and_what_was_given_up_are_listed_by_reason(plain: Crawled) -> None:
    with CrawlView.open(plain.folder / "job") as view:
        stats = view.stats()
    assert {REPEATS, ESCAPED_ESCAPES} <= {one.reason for one in stats.refused}
    assert {PATTERN_SPENT, HOST_SPENT} <= {one.reason for one in stats.traps}
    assert sum(one.count for one in stats.traps) == stats.states["trap"]
    assert stats.states["queued"] == 0


# -- traps in a project that plugs the frontier in: what its spiders ask for is fetched, if last --


SPIDER = """
import scrapy

class Kinds(scrapy.Spider):
    name = "kinds"
    url = {url!r}

    async def start(self):
        for kind in ("list?page=0", "chain/0", "image/0.png", "short/", "sitemap.xml", "wide/",
                     "odd/"):
            yield self.asking("/" + kind)

    def asking(self, path):
        kind = path.strip("/").split("/")[0].split("?")[0]
        return scrapy.Request(self.url + path, callback=getattr(self, "parse_" + kind[:3]))

    def parse_lis(self, response):
        found = response.json()
        yield {{"path": "list"}}
        yield from (self.asking(one) for one in found["entries"])
        if found["next"]:
            yield self.asking(found["next"])

    def parse_ent(self, response):
        yield {{"path": "entry"}}

    def parse_cha(self, response):
        yield {{"path": "chain"}}
        yield from (self.asking(one) for one in response.css("a::attr(href)").getall())

    parse_sho = parse_wid = parse_odd = parse_cha

    def parse_ima(self, response):
        yield {{"path": "image"}}
        number = int(response.url.split("/")[-1][:-4])
        if number < {n}:
            yield self.asking(f"/image/{{number + 1}}.png")

    def parse_sit(self, response):
        response.selector.remove_namespaces()
        yield {{"path": "sitemap"}}
        yield from (self.asking(one) for one in response.xpath("//loc/text()").getall())
"""
MANY = 120
ODD = (
    "/odd/" + "/".join(map(str, range(30))),
    "/odd/a/b/a/b/a/b/a/b",
    "/odd/?" + "&".join(f"a{n}=1" for n in range(40)),
    "/odd/?next=%2525252F",
)
"""What is spelled as only a program spells it."""


class Kinds(dict[str, Answer]):
    """Honest places that look like traps, made as they are asked for."""

    def get(self, path: str, default: Answer | None = None) -> Answer | None:  # type: ignore[override]  # of a page
        kind = path.strip("/").replace("?", "/").split("/")[0]
        made = getattr(self, "_" + kind.partition(".")[0], None)
        return default if made is None else made(int("".join(filter(str.isdigit, path)) or 0))

    def _list(self, number: int) -> Page:
        more = f"/list?page={number + 1}" if number < MANY // 4 else None
        entries = [f"/entry/{4 * number + k}" for k in range(4)]
        body = json.dumps({"entries": entries, "next": more}).encode()
        return 200, {"Content-Type": "application/json"}, body

    def _entry(self, number: int) -> Page:
        return 200, {"Content-Type": "application/json"}, b'{"name": "entry"}'

    def _chain(self, number: int) -> str:
        return links(*([f"/chain/{number + 1}"] if number < MANY else []), text=f"Page {number}")

    def _image(self, number: int) -> Page:
        return 200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes([number])

    def _short(self, number: int) -> str:
        after = range(3 * number + 1, 3 * number + 4)
        return links(*(f"/short/{one}" for one in after if one <= MANY), text="Nothing to see")

    def _sitemap(self, number: int) -> Page:
        body = "".join(f"<url><loc>/short/s{one}</loc></url>" for one in range(1000, 1000 + MANY))
        return 200, {"Content-Type": "application/xml"}, f"<urlset>{body}</urlset>".encode()

    def _wide(self, number: int) -> str:
        return links(
            *(f"/wide/{one}" for one in range(1, MANY + 1)) if not number else (), text="A"
        )

    def _odd(self, number: int) -> str:
        return links(*(() if number else ODD), text="Odd")


EXPECTED = {
    "list": MANY // 4 + 1,
    "entry": MANY + 4,
    "image": MANY + 1,
    "sitemap": 1,
    "chain": 3 * (MANY + 1) + MANY + 1 + len(ODD),
}
"""Items of each kind; under "chain" are what is short, wide and odd, and what the sitemap names."""


def crawled_by_kinds(folder: Path, *settings: str) -> Run:
    with serving(Kinds()) as site:
        code = SPIDER.format(url=site.url, n=MANY)
        small = ("FRONTIER_TRAP_BUDGET=6",)
        return run_spider(folder, code, *small, *settings, concurrency=8)


def counted(run: Run) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in run.items:
        found[item["path"]] = found.get(item["path"], 0) + 1
    return found


@pytest.mark.slow
def test_everything_that_a_spider_asks_for_is_fetched_and_what_went_last_is_told(
    tmp_path: Path,
) -> None:
    run = crawled_by_kinds(tmp_path)

    assert counted(run) == EXPECTED
    assert run.stats["finish_reason"] == "finished"
    assert tells(run.log, "WARNING", "127.0.0.1", "traps", "path of more")
    assert tells(run.log, "WARNING", "127.0.0.1", "traps", HOST_SPENT)


def test_a_project_can_have_them_given_up_which_is_told_as_an_error(tmp_path: Path) -> None:
    run = crawled_by_kinds(tmp_path, "FRONTIER_TRAPS=drop", "FRONTIER_SUMMARY=1")

    assert sum(counted(run).values()) < sum(EXPECTED.values()) // 2
    assert tells(run.log, "ERROR", "127.0.0.1", "traps", "trap")
    assert "127.0.0.1" in run.stdout
