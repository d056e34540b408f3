"""Pages that were read are freed by themselves, not when the garbage collector comes by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.scrapy_runs import run_spider
from tests.support.sites import links, serving

if TYPE_CHECKING:
    from pathlib import Path

SITE = {"/": links(*(f"/{i}" for i in range(1, 40)))} | {f"/{i}": links("/") for i in range(1, 40)}
COUNTS = """
import gc
import weakref
import scrapy
from frontier.plugin import Links, page_of

gc.disable()

class Counter(scrapy.Spider):
    name = "counter"
    start_urls = [{url!r}]
    alive = weakref.WeakSet()

    def parse(self, response):
        self.alive.add(response)
        self.crawler.stats.max_value("alive", len(self.alive))
        for one in response.css("title"):
            yield {{"of": response.url}}
        {links}
"""


@pytest.mark.parametrize(
    "links_of_page",
    [
        "yield Links(page_of(response, self.crawler).content.links)",
        'yield from response.follow_all(css="a")',
    ],
)
def test_few_pages_are_alive_at_once(tmp_path: Path, links_of_page: str) -> None:
    with serving({**SITE}) as site:
        run = run_spider(tmp_path, COUNTS.format(url=f"{site.url}/", links=links_of_page))
    assert run.stats["frontier/pages"] == 40
    assert run.stats["alive"] < 10
