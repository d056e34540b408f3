"""How many requests are in flight: as many as the project allows, few while a topic is young."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.support.scrapy_runs import run_spider
from tests.support.sites import Asked, links, serving

N_PAGES, PLACES, FEED = 40, 12, 3
TOPIC = "FRONTIER_TOPIC=volcano"

SPIDER = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["{url}/0"]

        def parse(self, response):
            yield from response.follow_all(css="a")
"""


def slow(asked: Asked) -> tuple[int, dict[str, str], bytes]:
    time.sleep(0.05)
    return 200, {"Content-Type": "text/html"}, links(text=f"volcano {asked.path}").encode()


def at_once(folder: Path, *settings: str) -> int:
    """Requests at once, at most, of a crawl of a page and those it links to."""
    pages = [f"/{number}" for number in range(1, N_PAGES)]
    with serving({"/0": links(*pages, text="volcano"), **dict.fromkeys(pages, slow)}) as site:
        run = run_spider(
            *(folder, SPIDER.format(url=site.url)),
            *(f"FRONTIER_MAX_IN_FLIGHT={FEED}", "DOWNLOAD_DELAY=0", *settings),
            concurrency=PLACES,
        )
        assert run.stats["frontier/pages"] == N_PAGES
        return site.at_once


def test_a_young_crawl_with_a_topic_keeps_few_in_flight(tmp_path: Path) -> None:
    assert at_once(tmp_path, TOPIC) == FEED


def test_a_share_of_the_pages_fetched_may_be_in_flight(tmp_path: Path) -> None:
    found = at_once(tmp_path, TOPIC, "frontier.plugin.crawl.embedded:IN_FLIGHT_GROWTH=0.2")
    assert FEED < found < PLACES


@pytest.mark.parametrize("settings", [(), (TOPIC, "FRONTIER_MAX_IN_FLIGHT=1000")], ids=str)
def test_without_a_topic_or_with_a_large_feed_the_project_decides(
    tmp_path: Path, settings: tuple[str, ...]
) -> None:
    assert at_once(tmp_path, *settings) > 2 * FEED
