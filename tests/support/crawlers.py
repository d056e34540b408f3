"""A crawler of Scrapy and a frontier in this process, for parts of a session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.misc import build_from_crawler, load_object

from frontier.config import CrawlConfig
from frontier.plugin.crawl.embedded import EmbeddedFrontier
from frontier.plugin.crawl.request_codec import RequestCodec
from frontier.records import Lease


def crawler_with(**settings: object) -> Crawler:
    """A crawler that is not going to crawl, so that it needs no reactor."""
    crawler = Crawler(Spider, Settings(settings))
    cls = load_object(crawler.settings["REQUEST_FINGERPRINTER_CLASS"])
    crawler.request_fingerprinter = build_from_crawler(cls, crawler)
    crawler.stats = MemoryStatsCollector(crawler)
    return crawler


@dataclass
class Parts:
    """The parts of a session that are made before all others."""

    crawler: Crawler
    config: CrawlConfig
    codec: RequestCodec
    frontier: EmbeddedFrontier
    spider: Spider

    def leases(self, most: int = 100) -> list[Lease]:
        """Lease what waits, best first."""
        leases = self.frontier.next(most, lambda _: most)
        self.frontier.commit_leases()
        return leases


@contextmanager
def opened(directory: Path | None = None, **config: Any) -> Iterator[Parts]:
    """Open a frontier, breadth first unless `config` says otherwise, and close it."""
    crawler, made = crawler_with(), CrawlConfig(directory=directory, **{"strategy": "bfs"} | config)
    codec = RequestCodec(crawler, made)
    frontier = EmbeddedFrontier(crawler, made, codec)
    try:
        yield Parts(crawler, made, codec, frontier, Spider("s"))
    finally:
        frontier.close("finished", "")
