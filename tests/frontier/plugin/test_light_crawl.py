"""What a crawl with the default order does not import: every crawl would pay for it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.support.sites import links, serving

if TYPE_CHECKING:
    from pathlib import Path

PAGES = 60
"""Enough for several turns and re-ranks."""
NOT_NEEDED = "numpy.ma", "warcio", "frontier.warc", "frontier.inspection.view", "scipy", "sklearn"
CRAWL = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess

url, directory, unwanted = sys.argv[1], sys.argv[2], sys.argv[3].split(",")

class Follower(scrapy.Spider):
    name = "follower"
    start_urls = [url]

    def parse(self, response):
        yield from response.follow_all(css="a")

process = CrawlerProcess({
    "ADDONS": {"frontier.plugin.LinkRankAddon": 500},
    "FRONTIER_TOPIC": "pages about stone bridges",
    "FRONTIER_ALLOW_NETWORKS": "127.0.0.0/8",
    "JOBDIR": directory,
    "LOG_LEVEL": "ERROR",
    "COOKIES_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
})
crawler = process.create_crawler(Follower)
process.crawl(crawler)
process.start()
from frontier.urls.domains import registered_domain
registered_domain("www.example.com")
print(crawler.stats.get_value("response_received_count"))
print(sorted(set(unwanted) & set(sys.modules)))
"""


def test_a_crawl_imports_nothing_that_it_does_not_use(tmp_path: Path) -> None:
    with serving({f"/{n}": links(f"/{2 * n + 1}", f"/{2 * n + 2}") for n in range(PAGES)}) as site:
        arguments = [f"{site.url}/0", str(tmp_path / "job"), ",".join(NOT_NEEDED)]
        done = subprocess.run(
            [sys.executable, "-c", CRAWL, *arguments],
            capture_output=True,
            text=True,
            timeout=100,
        )
    received, imported = done.stdout.splitlines()
    assert int(received) >= PAGES, done.stderr
    assert imported == "[]"
