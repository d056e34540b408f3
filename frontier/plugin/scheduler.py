"""Scrapy's scheduler interface on the frontier."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.core.scheduler import BaseScheduler

from frontier.errors import StoreError
from frontier.plugin import compat
from frontier.plugin.crawl.leases import ReadyRequests, places_of
from frontier.plugin.crawl.session import CrawlSession, session_of
from frontier.plugin.failures import StorageErrors, fail_at_end, trouble_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred


logger = logging.getLogger(__name__)

STRATEGY_FAILED = "strategy_failed"
"""Scrapy's `finish_reason` of a crawl whose strategy cannot say what is best."""


class FrontierScheduler(BaseScheduler):
    """Takes requests into the frontier and hands the best one out.

    Scrapy cannot re-prioritise a queued request, so nothing is queued here: the frontier is asked
    for what is best at the moment there is a place for it. Where the frontier cannot be written
    down any more, nothing is handed out and the crawl stops.
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
            session.next_request, session.backend.commit_leases, lambda: places_of(downloader)
        )
        return session.filter.open()  # type: ignore[no-any-return]  # as Scrapy declares it

    def close(self, reason: str) -> Deferred[None] | None:
        if self._trouble.error is not None:
            # Looking into a crawl that cannot be read or written would only fail once more.
            self._session.before_close.clear()
        with self._trouble.watching():
            self._session.close()
        return self._session.filter.close(reason)  # type: ignore[no-any-return]  # likewise

    def has_pending_requests(self) -> bool:
        if self._trouble.error is None:
            with self._trouble.watching():
                waiting = bool(self._ready) or self._strategy_failed
                return waiting or self._session.has_pending()
        # What is left is in the store, and the crawl is not finished.
        return True

    def enqueue_request(self, request: Request) -> bool:
        if self._trouble.error is None:
            with self._trouble.watching():
                return self._session.enqueue(request)
        return False

    def next_request(self) -> Request | None:
        if self._trouble.error is None:
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
            # Of a strategy of the project: nobody can say any more which URL is the best.
            self._strategy_failed = True
            crawler = self._session.crawler
            logger.exception("The crawl stops: no URL could be chosen")
            fail_at_end(crawler)
            compat.call_later(0, lambda: compat.close_spider(crawler, STRATEGY_FAILED))
            return None
