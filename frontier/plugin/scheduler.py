"""The scheduler, and the spider middleware next to the engine: a crawl's two ways in.

The middleware runs outermost: it sees 404 and 500 responses before HttpErrorMiddleware drops them,
and the requests of a callback after every other middleware. It sends the requests to the engine one
by one and at once, as Scrapy does; the middleware knows, and the scheduler does not, to which page
they belong.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler

from frontier.errors import StoreError, described
from frontier.plugin import compat
from frontier.plugin.crawl.leaving import ReadyRequests, places_of
from frontier.plugin.crawl.open_page import Links
from frontier.plugin.crawl.session import CrawlSession, session_of
from frontier.plugin.extensions.endings import why
from frontier.plugin.failures import StorageErrors, fail_at_end, refuse_late, trouble_of
from frontier.states import Change
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Generator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

    from frontier.plugin.crawl.open_page import OpenPage


logger = logging.getLogger(__name__)

STRATEGY_FAILED = "strategy_failed"
"""Scrapy's `finish_reason` of a crawl whose strategy raises."""


class FrontierScheduler(BaseScheduler):
    """Adds requests to the frontier and leases the best one.

    Scrapy cannot re-prioritise a queued request, so nothing is queued here: the frontier chooses
    the best URL at the moment when the downloader has a place for it. When the frontier cannot be
    stored any more, nothing is leased and the crawl stops.
    """

    def __init__(self, session: CrawlSession, trouble: StorageErrors) -> None:
        self._session = session
        self._trouble = trouble
        self._strategy_failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FrontierScheduler:
        return cls(session_of(crawler), trouble_of(crawler))

    def open(self, spider: Spider) -> Deferred[None] | None:
        session = self._session
        session.open(spider)
        downloader = session.crawler.engine.downloader
        self._ready = ReadyRequests(
            session.next_request, session.frontier.commit_leases, lambda: places_of(downloader)
        )
        return session.filter.open()  # type: ignore[no-any-return]  # as Scrapy declares it

    def close(self, reason: str) -> Deferred[None] | None:
        if self._trouble.error is not None:
            # Reading a crawl that cannot be read or written would only fail once more.
            self._session.hooks.closing.clear()
        session = self._session
        with self._trouble.watching():
            session.close(reason, why(reason, session.crawler.settings, session.figures.enough))
        return session.filter.close(reason)  # type: ignore[no-any-return]  # likewise

    def has_pending_requests(self) -> bool:
        if self._trouble.error is None:
            with self._trouble.watching():
                waiting = bool(self._ready) or self._strategy_failed
                return waiting or self._session.has_pending()
        # The other URLs are in the store, and the crawl is not finished.
        return True

    def enqueue_request(self, request: Request) -> bool:
        if self._trouble.error is None:
            with self._trouble.watching():
                return self._session.enqueue(request)
        return False

    def next_request(self) -> Request | None:
        # Scrapy itself begins to close later than the session.
        if self._trouble.error is None and not self._session.closing:
            with self._trouble.watching():
                return self._next()
        return None

    def _next(self) -> Request | None:
        if self._strategy_failed:
            return None
        try:
            return self._ready.next()
        except StoreError:
            raise
        except Exception:
            # Of a strategy of the project: the best URL is not known any more.
            self._strategy_failed = True
            crawler = self._session.crawler
            logger.exception("The crawl stops: the strategy failed to choose a URL")
            fail_at_end(crawler)
            compat.call_later(0, lambda: compat.close_spider(crawler, STRATEGY_FAILED))
            return None


_ITEMS_HELD = 100
"""Items of a page kept until the page is closed; more would take memory."""


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
            async for output in start:
                yield output
        finally:  # an exception ends the seeds, too
            self._flush_seeds()
            self._session.frontier.seeds_ended()

    @property
    def _has_ended(self) -> bool:
        """Whether the crawl is closing, and its store may be closed."""
        return self._trouble.error is not None or self._session.closing

    def _flush_seeds(self) -> None:
        with self._trouble.watching():
            self._session.seeds.flush()

    def process_spider_input(self, response: Response, spider: Spider | None = None) -> None:
        with self._trouble.watching():
            self._session.pages.open(response)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any], spider: Spider | None = None
    ) -> AsyncIterator[Any]:
        """Keep requests and links for the page, pass items on.

        Items wait until the page is closed, unless there are very many, so that the frontier does
        not wait for slow pipelines to learn from the page. A page with items counts as fetched on
        disk when the last of them is through the pipelines (`PagesInPipelines`).
        """
        page = self._session.pages.of(response)
        if page is None:
            async for item in result:
                yield item
            return
        items: list[Any] = []
        any_items = False
        try:
            callback_waits = partial(self._session.order_wait.suspended, page.flight.number)
            async for item in Watched(result, callback_waits):
                if isinstance(item, Request):
                    self._session.pages.follow(page, item)
                elif isinstance(item, Links):
                    self._session.pages.follow_links(page, item)
                else:
                    any_items = True
                    items.append(item)
                while len(items) > _ITEMS_HELD:
                    yield items.pop(0)
        except Exception as error:
            # The earlier output of the callback stands, as in Scrapy.
            page.error = f"callback: {described(error)}"
            await self._finish_text(page)
            self._close(page, items=any_items)
            for item in items:
                yield item
            raise
        # Not reached when a hard stop drops the generator half-way: the page stays leased and is
        # fetched again.
        await self._finish_text(page)
        self._close(page, items=any_items)
        for item in items:
            yield item
        gone = getattr(self._session.spider, "frontier_page_gone", None)
        if page.change is Change.GONE and gone is not None:
            for item in gone(response, page):
                yield item

    def process_spider_exception(
        self, response: Response, exception: Exception, spider: Spider | None = None
    ) -> None:
        """Close the page of a callback that raised before its first output."""
        page = self._session.pages.of(response)
        if page is not None:
            page.error = f"callback: {described(exception)}"
            self._close(page)

    async def _finish_text(self, page: OpenPage) -> None:
        if page.main_text is not None:
            self._session.order_wait.suspended_in_crowd(page.flight.number)
            await self._session.pages.texts.finish(page)

    def _close(self, page: OpenPage, *, items: bool = False) -> None:
        with self._trouble.watching():
            self._session.close_page(page, items=items)
        page.settle()


class Watched:
    """An asynchronous iterator that calls a function whenever it waits for something."""

    def __init__(self, iterator: AsyncIterator[Any], waits: Callable[[], None]) -> None:
        self._iterator = iterator
        self._waits = waits

    def __aiter__(self) -> Watched:
        return self

    def __anext__(self) -> Awaitable[Any]:
        return _Step(self._iterator.__anext__(), self._waits)


class _Step:
    """One step: an awaitable that is its own iterator, and calls a function at each wait."""

    def __init__(self, step: Awaitable[Any], waits: Callable[[], None]) -> None:
        self._step: Any = step.__await__()
        self._waits = waits
        self.throw, self.close = self._step.throw, self._step.close

    def __await__(self) -> Generator[Any, Any, Any]:
        return self  # type: ignore[return-value]  # has what `await` asks of a generator

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, answer: Any) -> Any:
        awaited = self._step.send(answer)
        self._waits()
        return awaited
