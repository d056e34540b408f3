"""Texts that processes beside the crawl read: the main texts of its pages, and its PDFs.

A page is parsed and its callback runs meanwhile; before the page is closed its text is waited for,
so that both are committed together. Nothing else waits.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from scrapy.http import HtmlResponse
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from frontier.parsing.content import NOTHING
from frontier.parsing.reader import ReadingLimits
from frontier.texts import MAIN, OFF

if TYPE_CHECKING:
    from concurrent.futures import Future

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.config import CrawlConfig
    from frontier.parsing.content import PageContent
    from frontier.plugin.crawl.open_page import OpenPage
    from frontier.texts.worker import TextWorkers

_T = TypeVar("_T")


class PageTexts:
    """The texts of one crawl's open pages."""

    def __init__(self, crawler: Crawler, config: CrawlConfig) -> None:
        self.are_kept = config.text != OFF
        self._are_main = config.text == MAIN
        self._limits = ReadingLimits()
        self._stats: Any = crawler.stats
        self._pdfs: WeakKeyDictionary[Response, PageContent] = WeakKeyDictionary()

    @cached_property
    def _workers(self) -> TextWorkers:
        from frontier.texts.worker import TextWorkers  # most crawls need none

        return TextWorkers()

    def close(self) -> None:
        """End the processes."""
        if "_workers" in vars(self):
            self._workers.close()

    def begin(self, page: OpenPage) -> None:
        """Begin to extract the main text of a page, if it has one and that is kept."""
        response = page.response
        is_page = isinstance(response, HtmlResponse) and response.status < 300
        if not (self._are_main and is_page) or page.noindex:
            return
        if len(response.body) <= self._limits.body:
            title = page.content.title
            page.main_text = self._workers.main_text(response.text, response.url, title)

    async def finish(self, page: OpenPage) -> None:
        """Wait for the main text of a page; without any, its visible text is kept."""
        if page.main_text is not None:
            page.kept = await self._result(page.main_text)

    async def read_pdf(self, response: Response) -> None:
        """Read a PDF, before it is a page; a PDF that cannot be read is a page without text."""
        content = None
        if len(response.body) <= self._limits.body:
            pdf = self._workers.pdf(response.body, response.url, self._limits.links)
            content = await self._result(pdf)
        self._pdfs[response] = content or NOTHING

    def of_pdf(self, response: Response) -> PageContent | None:
        """Return what was read of a PDF; None for anything else."""
        return self._pdfs.pop(response, None)

    async def _result(self, future: Future[_T | None]) -> _T | None:
        from twisted.internet import reactor

        ended: Deferred[None] = Deferred()
        call: Any = reactor.callFromThread
        future.add_done_callback(lambda _: call(ended.callback, None))
        await maybe_deferred_to_future(ended)
        result = future.result()
        if result is None:
            self._stats.inc_value("frontier/texts/failed")
        return result
