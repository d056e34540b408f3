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

from crawler.items import PageItem
from frontier.errors import SettingsError
from frontier.plugin import Links, page_of
from frontier.plugin.startup_errors import refuse
from frontier.urls.url_lists import UrlList, read_seeds
from ranking.errors import LinkRankError
from ranking.orders import order_class
from ranking.spelling import or_rather
from ranking.topics.files import names_a_file

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.plugin.crawl.open_page import OpenPage


ARGUMENTS = {
    "topic": "FRONTIER_TOPIC",
    "examples": "FRONTIER_EXAMPLES",
    "not_examples": "FRONTIER_NOT_EXAMPLES",
    "strategy": "FRONTIER_STRATEGY",
    "scores": "FRONTIER_SCORES",
    "distrust": "FRONTIER_DISTRUST",
}
"""Arguments of the spider beside its seeds, and the settings that they are short for."""


class FocusedSpider(scrapy.Spider):
    """Crawls from seeds for a topic.

    Arguments: `seeds` (file or URLs), `topic` (words), `examples` (file or URLs of pages that are
    wanted), `not_examples` (the same, of pages that are not), `strategy` (name or import path),
    `scores` (file of URLs and what they scored in an earlier crawl), `distrust` (file of URLs and
    hosts that are bad).
    """

    name = "focused"

    def __init__(self, seeds: UrlList, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seeds = seeds

    @classmethod
    def from_crawler(
        cls, crawler: Crawler, *args: Any, seeds: str = "", **given: str
    ) -> FocusedSpider:
        try:
            _require_known(given)
            for name, value in given.items():
                if value:
                    crawler.settings.set(ARGUMENTS[name], value, "cmdline")
            _require_topic(crawler)
            listing = read_seeds(seeds)
        except LinkRankError as error:
            refuse(crawler, error)
            raise
        return super().from_crawler(crawler, *args, seeds=listing)

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Yield the seeds, and say which lines were none."""
        for line, text, reason in self.seeds.skipped:
            self.logger.warning("Seed line %d skipped: %r %s", line, text, reason)
            self.crawler.stats.inc_value("frontier/seeds/skipped")
        for url in self.seeds.urls:
            yield scrapy.Request(url)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[PageItem | Links]:
        """Yield the page, unless it asks not to be shown, and the links to follow."""
        page = page_of(response, self.crawler)
        if page is not None:
            if not page.ruled.noindex:
                item = self._item(response, page)
                page.when_closed(partial(_correct, item, page))
                yield item
            yield Links(tuple(page.content.links))

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


def _require_known(given: Iterable[str]) -> None:
    known = ("seeds", *ARGUMENTS)
    for name in given:
        if name not in ARGUMENTS:
            raise SettingsError(
                f"The spider has no argument {name!r}{or_rather(name, known)}. Expected "
                f"-a NAME=... with one of {', '.join(known)}"
            )


def _require_topic(crawler: Crawler) -> None:
    settings = crawler.settings
    if settings.get("FRONTIER_TOPIC") or settings.get("FRONTIER_EXAMPLES"):
        return
    if names_a_file(settings.get("TOPIC_MODEL") or ""):
        return  # a classifier knows its topic
    strategy = settings.get("FRONTIER_STRATEGY")
    if not strategy or order_class(strategy).uses_topic:
        raise SettingsError(
            'Expected a topic, found none. Give words, -a topic="words or a sentence", or '
            "pages of the kind you want, -a examples=FILE; or ask for an order that needs no "
            "topic, such as -a strategy=ppr"
        )
