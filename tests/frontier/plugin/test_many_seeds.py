"""Seeds that come faster than pages are added in portions, and none is lost where a crawl stops."""

from __future__ import annotations

from pathlib import Path

from frontier.store import StoreReader
from tests.support.scrapy_runs import run_spider
from tests.support.sites import serving

SEEDS = 2500
SPIDER = """
    import scrapy
    from frontier.plugin.crawl.session import session_of

    class S(scrapy.Spider):
        name = "s"
        custom_settings = {{"CLOSESPIDER_PAGECOUNT": 3}}

        async def start(self):
            backend = session_of(self.crawler).backend
            add = backend.add_seeds

            def counted(seeds):
                self.crawler.stats.inc_value("mine/portions")
                add(seeds)

            backend.add_seeds = counted
            for number in range({seeds}):
                yield scrapy.Request(f"{url}/{{number}}")
                yield scrapy.Request(f"{url}/{{number // 2}}")

        def parse(self, response):
            pass
"""


def test_seeds_are_added_in_portions_and_all_are_there_when_the_crawl_stops(tmp_path: Path) -> None:
    with serving({f"/{number}": "a page" for number in range(SEEDS)}) as site:
        code = SPIDER.format(url=site.url, seeds=SEEDS)
        run = run_spider(tmp_path, code, f"JOBDIR={tmp_path / 'job'}")
    assert run.stats["finish_reason"] == "closespider_pagecount"
    assert run.stats["mine/portions"] < SEEDS / 10
    with StoreReader.open(tmp_path / "job") as reader:
        urls = [row.url for row in reader.iter_urls()]
    assert sorted(urls) == sorted(f"{site.url}/{number}" for number in range(SEEDS))
    assert len(set(site.paths)) == len(site.paths)
