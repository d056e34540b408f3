"""Crawls over cases of one page each, and what stays of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

from frontier.records import PageRecord
from frontier.states import Mark
from frontier.store import StoreReader
from tests.support.hostile import HostileWeb, crawl, hostile
from tests.support.hostile_pages import Page, serving
from tests.support.scrapy_runs import Run

_QUICK = (
    *("CONCURRENT_REQUESTS=32", "DEPTH_LIMIT=1", "DOWNLOAD_TIMEOUT=900"),
    "frontier.parsing.reader:ReadingLimits.links=60",
    "frontier.parsing.reader:ReadingLimits.hosts=20",
)


@dataclass(frozen=True)
class Crawled:
    """A crawl that has ended; `rows` are what the store says, by URL."""

    pages: dict[str, Page]
    web: HostileWeb
    run: Run
    rows: dict[str, PageRecord]
    refused: Counter[str]

    def check(self, case: str) -> None:
        """Hold a case against what is wished of it."""
        page, row = self.pages[case], self.rows[self.web.url(case)]
        asked = self.web.paths(case)
        # In bytes: which harmless characters are escaped is the business of others.
        read = {unquote_to_bytes(path) for path in asked}
        assert read.issuperset(map(unquote_to_bytes, page.found)), (asked[:20], row)
        assert read.isdisjoint(map(unquote_to_bytes, page.never))
        assert (Mark.TRUNCATED in row.marks) is page.truncated, row
        assert page.error in (row.error or ""), row
        assert page.error or not row.error or row.error.startswith("truncated"), row


def crawled_over(pages: dict[str, Page], folder: Path, *settings: str) -> Crawled:
    """Crawl from the first page of every case, and from there as far as it leads."""
    with hostile({name: serving(page) for name, page in pages.items()}) as web:
        seeds = [web.url(case) for case in pages]
        run = crawl(folder, seeds, *_QUICK, *settings)
    refused: Counter[str] = Counter()
    with StoreReader.open(folder / "job") as reader:
        urls = {row.url_id: row.url for row in reader.iter_urls()}
        rows = {urls[row.url_id]: row for row in reader.iter_pages()}
        for one in reader.refusals():
            refused[one.reason] += one.links
    return Crawled(pages, web, run, rows, refused)
