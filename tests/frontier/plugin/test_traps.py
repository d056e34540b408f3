"""Traps: a crawl spends little in each and ends; what guests ask for is fetched, if last."""

from __future__ import annotations

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
from tests.support.made_webs import prose
from tests.support.scrapy_runs import Run, run_spider
from tests.support.sites import Asked, Said, links, serving, typed
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

    class Short(scrapy.Spider):
        name = "short"
        start_urls = [{url!r} + "/short/0"]

        def parse(self, response):
            yield {{"url": response.url}}
            yield from response.follow_all(css="a")
"""
MANY = 60


@pytest.mark.parametrize("traps", ["last", "drop"])
def test_pages_that_look_like_a_trap_are_fetched_last_or_given_up_as_the_project_says(
    tmp_path: Path, traps: str
) -> None:
    pages = {
        f"/short/{n}": links(*(f"/short/{3 * n + one}" for one in (1, 2, 3) if 3 * n + one < MANY))
        for n in range(MANY)
    }
    small = "FRONTIER_TRAP_BUDGET=6", f"FRONTIER_TRAPS={traps}", "FRONTIER_SUMMARY=1"
    with serving(pages) as site:
        run = run_spider(tmp_path, SPIDER.format(url=site.url), *small, concurrency=8)
    assert run.stats["finish_reason"] == "finished"
    level, told = ("WARNING", run.log) if traps == "last" else ("ERROR", run.stdout)
    assert tells(run.log, level, "127.0.0.1", "traps")
    assert "127.0.0.1" in told
    assert (len(run.items) >= MANY) is (traps == "last")


SITEMAP = """
    from scrapy.spiders import SitemapSpider

    class Products(SitemapSpider):
        name = "products"
        sitemap_urls = [{url!r} + "/sitemap.xml"]

        def parse(self, response):
            yield {{"url": response.url}}
"""


def test_what_is_under_way_when_a_budget_ends_is_fetched_once(tmp_path: Path) -> None:
    paths = [f"/product/{n}" for n in range(200)]
    texts = (prose(path if n % 100 == 99 else "the template") for n, path in enumerate(paths))
    pages = {path: links(text=text) for path, text in zip(paths, texts, strict=True)}

    def answered(asked: Asked) -> Said:
        if asked.path == "/sitemap.xml":
            listed = "".join(f"<url><loc>{asked.site}{path}</loc></url>" for path in paths)
            return typed("application/xml", f"<urlset>{listed}</urlset>")
        return pages.get(asked.path)

    with serving(answered) as site:
        code = SITEMAP.format(url=site.url)
        run = run_spider(tmp_path, code, "FRONTIER_TRAP_BUDGET=1", concurrency=16)
        asked = site.paths
    assert tells(run.log, "WARNING", "127.0.0.1", "traps")
    assert sorted(asked) == sorted(["/sitemap.xml", *paths])
    assert len(run.items) == len(paths)
