"""Crawls that write down how they do, as a crawl of Scrapy or `scrapy frontier serve` does."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from frontier import records
from frontier.backend.progress.figures import CrawlFigures
from frontier.backend.progress.snapshots import Snapshots
from frontier.records import Lease
from frontier.verdict import Verdict
from tests.support.driven_crawl import LATER, NEXT, WEB, A, B, DrivenCrawl, Page

A_SECOND_B = "http://b.example/second"


class WatchedCrawl(DrivenCrawl):
    """A crawl whose clock goes on by `pause` seconds each time that it is looked at."""

    def __init__(
        self, directory: Path, web: dict[str, Page], pause: float = 100.0, **config: Any
    ) -> None:
        super().__init__(directory, web, **config)
        self.figures = CrawlFigures(self.backend, self.config)
        ticks = count()
        self.snapshots = Snapshots(
            self.backend, self.figures, self.config, lambda: next(ticks) * pause
        )
        self.backend.snapshots = self.snapshots

    def taken(self, lease: Lease, page: records.Page, verdict: Verdict) -> None:
        self.figures.page(lease.url_id, page, verdict)


def small_watched_crawl(directory: Path, **config: Any) -> WatchedCrawl:
    """The small crawl of `driven_crawl`, open: six URLs answered, NEXT and LATER wait."""
    crawl = WatchedCrawl(directory, WEB, **{"strategy": "bfs", "topic": "pages", **config})
    crawl.seed(A)
    crawl.run(6)
    return crawl


def wide_web(pages: int, hosts: int) -> dict[str, Page]:
    """Pages that link to others near and far, a third of them relevant."""

    def url(number: int) -> str:
        return f"http://host{number % hosts}.example/{number}"

    def page(number: int) -> Page:
        near = (number * step % pages for step in (2, 3, 7, 11))
        links = {url(one): (one % 10) / 10 for one in near if one != number}
        return Page(links, relevance=0.75 if number % 3 == 0 else 0.25, title=f"Page {number}")

    return {url(number): page(number) for number in range(1, pages)}


__all__ = ["LATER", "NEXT", "A", "B", "WatchedCrawl", "small_watched_crawl", "wide_web"]
