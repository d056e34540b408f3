"""The focused spider: from seeds and a topic to the best pages first.

::

    scrapy crawl focused -a seeds=seeds.txt -a topic="words or a sentence" -s JOBDIR=crawls/mine

It holds no ordering logic: it says which pages to start from, what an item is, and that every link
may be followed. The frontier decides which one is.
"""

from __future__ import annotations

from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, Any

import scrapy

from frontier.errors import SettingsError
from frontier.plugin import Links, page_of
from frontier.plugin.extensions.spiderstate import WholeSpiderState
from frontier.plugin.focus.items import PageItem
from frontier.plugin.focus.seed_hosts import ALLOWED, SeedHosts
from frontier.plugin.focus.wanted import ARGUMENTS, require_known, require_topic
from frontier.plugin.startup_errors import refuse
from frontier.urls.url_lists import UrlList, read_seeds
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.parsing.html import Link
    from frontier.plugin.crawl.open_page import OpenPage


class FocusedSpider(scrapy.Spider):
    """Crawls from seeds for a topic.

    Arguments: `seeds` (file or URLs), `stay` (1: only the hosts of the seeds), `topic` (words),
    `examples` (file or URLs of pages that are wanted), `not_examples` (the same, of pages that are
    not), `strategy` (name or import path), `scores` (file of URLs and what they scored in an
    earlier crawl), `distrust` (file of URLs and hosts that are bad).
    """

    name = "focused"

    def __init__(self, seeds: UrlList, *, stay: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seeds = seeds
        self.stay = stay
        self.seed_hosts: SeedHosts | None = None
        self.state: dict[str, Any] = {}  # Scrapy's, another one where there is a JOBDIR

    @classmethod
    def from_crawler(
        cls, crawler: Crawler, *args: Any, seeds: str | UrlList = "", stay: str = "", **given: str
    ) -> FocusedSpider:
        settings = crawler.settings
        try:
            require_known(given)
            for name, value in given.items():
                if value:
                    settings.set(ARGUMENTS[name], value, "cmdline")
            require_topic(settings.get)
            listing = seeds if isinstance(seeds, UrlList) else read_seeds(seeds)
            if _is_on(stay) and settings.get("FRONTIER_EXCHANGE"):
                raise SettingsError(
                    "Expected no `stay` in a crawl with several fetchers: where seeds redirect to, "
                    "one fetcher cannot tell the others. Leave it out, or crawl with one process"
                )
        except LinkRankError as error:
            refuse(crawler, error)
            raise
        return super().from_crawler(crawler, *args, seeds=listing, stay=_is_on(stay))

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Yield the seeds, and say which lines were none."""
        if self.stay:
            found = self.state.setdefault("seed_hosts", set())
            self.seed_hosts = SeedHosts(self.seeds.urls, found)
        for line, text, reason in self.seeds.skipped:
            self.logger.warning("Seed line %d skipped: %r %s", line, text, reason)
            self.crawler.stats.inc_value("frontier/seeds/skipped")
        for url in self.seeds.urls:
            yield scrapy.Request(url, meta=ALLOWED if self.stay else None)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[PageItem | Links]:
        """Yield the page, unless it asks not to be shown, and the links to follow."""
        page = page_of(response, self.crawler)
        if page is not None:
            self._note_host(response)
            if not page.ruled.noindex:
                item = self._item(response, page)
                page.when_closed(partial(_correct, item, page))
                yield item
            yield Links(self._followed(page.content.links))

    def _followed(self, links: Iterable[Link]) -> tuple[Link, ...]:
        hosts = self.seed_hosts
        return tuple(links if hosts is None else (link for link in links if link.url in hosts))

    def _note_host(self, response: Response) -> None:
        if self.seed_hosts is not None and self.seed_hosts.arrived(response):
            kept = self.crawler.get_extension(WholeSpiderState)
            if kept is not None:
                kept.spider_closed(self)  # now: a crawl that is killed resumes with it

    def _item(self, response: Response, page: OpenPage) -> PageItem:
        chain = response.meta.get("redirect_urls")
        return PageItem(
            url=chain[0] if chain else page.lease.request.url,
            final_url=response.url,
            title=page.content.title or None,
            status=response.status,
            depth=page.depth,
            fetched_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            relevance=page.relevance,
            score=page.score,
            referrer=page.referrer,
            anchor=page.anchor,
            text_length=len(page.content.text),
            content_hash=page.content_hash.hex(),
        )


def _correct(item: PageItem, page: OpenPage) -> None:
    """A page that turned out to repeat another one says so, and what it is worth then."""
    item.relevance = page.relevance
    item.duplicate_of = page.duplicate_of


def _is_on(given: object) -> bool:
    return str(given).strip().lower() not in ("", "0", "false", "no")
