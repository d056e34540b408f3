"""The spider middleware that stands next to the engine: what a callback makes of a page.

It runs outermost, so it sees 404 and 500 responses before HttpErrorMiddleware takes them away, and
the requests of a callback after every other middleware has had its say. Requests go to the engine
from here, one by one and at once, as Scrapy would send them; that they belong to one page is what
the middleware knows and the scheduler does not.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request

from frontier.errors import described
from frontier.plugin import compat
from frontier.plugin.crawl.leases import Watched
from frontier.plugin.crawl.open_page import Links
from frontier.plugin.crawl.session import CrawlSession, session_of
from frontier.plugin.failures import StorageErrors, refuse_late, trouble_of
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.plugin.crawl.open_page import OpenPage


_ITEMS_HELD = 100
"""Items of one page kept until it is closed: more would be memory, not order."""


class FrontierSpiderMiddleware:
    """Opens a page before the spider sees it, and closes it after its last output."""

    def __init__(self, session: CrawlSession, trouble: StorageErrors) -> None:
        self._session = session
        self._trouble = trouble

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FrontierSpiderMiddleware:
        return cls(session_of(crawler), trouble_of(crawler))

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Learn the topic before the first seed leaves."""
        if self._has_ended:
            return
        try:
            await self._session.frontier.begin()
        except LinkRankError as error:
            if self._has_ended:
                return
            refuse_late(self._session.crawler, error)
            compat.close_spider(self._session.crawler, "no_topic")
            return
        try:
            async for one in start:
                yield one
        finally:  # a spider whose seeds end with an exception has no more of them either
            self._add_roots()
            self._session.frontier.seeds_told()

    @property
    def _has_ended(self) -> bool:
        """Whether the crawl ends, and its store may be closed."""
        return self._trouble.error is not None or self._session.closing

    def _add_roots(self) -> None:
        with self._trouble.watching():
            self._session.add_roots()

    def process_spider_input(self, response: Response, spider: Spider | None = None) -> None:
        with self._trouble.watching():
            self._session.open_page(response)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any], spider: Spider | None = None
    ) -> AsyncIterator[Any]:
        """Keep requests and links for the page, pass items on.

        Items wait until the page is closed, unless there are very many, so that what a page
        teaches does not wait for slow pipelines. A page with items counts as fetched on disk when
        the last of them is through (`PagesInPipelines`).
        """
        page = self._session.page(response)
        if page is None:
            async for one in result:
                yield one
            return
        items: list[Any] = []
        any_items = False
        try:
            callback_waits = partial(self._session.patience.suspended, page.lease.number)
            async for one in Watched(result, callback_waits):
                if isinstance(one, Request):
                    self._session.follow(page, one)
                elif isinstance(one, Links):
                    self._session.follow_links(page, one)
                else:
                    any_items = True
                    items.append(one)
                while len(items) > _ITEMS_HELD:
                    yield items.pop(0)
        except Exception as error:
            # What the callback had yielded stands, as it does in Scrapy.
            page.error = f"callback: {described(error)}"
            self._close(page, items=any_items)
            for one in items:
                yield one
            raise
        # Not reached when the generator is thrown away half-way (a hard stop): the page stays
        # leased and is fetched again.
        self._close(page, items=any_items)
        for one in items:
            yield one

    def process_spider_exception(
        self, response: Response, exception: Exception, spider: Spider | None = None
    ) -> None:
        """Close the page of a callback that raised before its first output."""
        page = self._session.page(response)
        if page is not None:
            page.error = f"callback: {described(exception)}"
            self._close(page)

    def _close(self, page: OpenPage, *, items: bool = False) -> None:
        with self._trouble.watching():
            self._session.close_page(page, items=items)
        page.settle()
