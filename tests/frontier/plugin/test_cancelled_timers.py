"""Timers that are cancelled, of which each request has several, do not pile up."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from scrapy import version_info

from tests.support.sites import Asked, Page, links, serving

if TYPE_CHECKING:
    from pathlib import Path

PAGES = 100
CRAWL = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess
from frontier.plugin.extensions import timers

url, directory, order = sys.argv[1:]
timers._SECONDS = 0.02

class Follower(scrapy.Spider):
    name = "follower"
    start_urls = [url]
    kept = 0

    def parse(self, response):
        from twisted.internet import reactor
        waiting = reactor._newTimedCalls + reactor._pendingTimedCalls
        Follower.kept = max(Follower.kept, sum(bool(one.cancelled) for one in waiting))
        yield from response.follow_all(css="a")

process = CrawlerProcess({
    "ADDONS": {"frontier.plugin.LinkRankAddon": 500},
    "EXTENSIONS": {"frontier.plugin.extensions.timers.CancelledTimers": eval(order)},
    "CONCURRENT_REQUESTS": 1,
    "FRONTIER_ALLOW_NETWORKS": ["127.0.0.0/8"],
    "JOBDIR": directory,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
})
crawler = process.create_crawler(Follower)
process.crawl(crawler)
process.start()
print(crawler.stats.get_value("response_received_count"), Follower.kept)
"""


pytestmark = pytest.mark.skipif(
    version_info < (2, 14), reason="this Scrapy has timers of Twisted's that are due all the time"
)


def kept(folder: Path, order: int | None) -> int:
    """How many cancelled timers there were at once; with the extension at an order, or without."""

    def slow(asked: Asked) -> Page:
        time.sleep(0.01)
        number = int(asked.path[1:])
        return 200, {"Content-Type": "text/html"}, links(f"/{number + 1}").encode()

    pages = {f"/{n}": slow for n in range(PAGES)}
    with serving(pages) as site:
        arguments = [f"{site.url}/0", str(folder / "job"), str(order)]
        run = subprocess.run(
            [sys.executable, "-c", CRAWL, *arguments],
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
    return int(run.stdout.split()[-1])


def test_timers_that_were_cancelled_go(tmp_path: Path) -> None:
    assert kept(tmp_path, 0) < PAGES


def test_without_the_extension_they_pile_up(tmp_path: Path) -> None:
    assert kept(tmp_path, None) > PAGES
