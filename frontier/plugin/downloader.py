"""Around the downloader: the result of every request, and pages whose hosts must be left alone.

A spider middleware sees neither failed downloads nor an errback's output, and a downloader
middleware's `process_exception` misses what `process_response` raises. So the project's downloader
class, Scrapy's or its own, is subclassed, and the subclass reports each result.

`PolitenessMiddleware` stands closest to the downloader: it learns that a host is to be left alone
before a retry is counted, and that a page was refused before it is retried.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader import Downloader
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from frontier.plugin import compat
from frontier.plugin.crawl.gate import NotYet
from frontier.plugin.crawl.session import session_of
from frontier.plugin.failures import trouble_of
from frontier.plugin.net.guard import download_check_of
from frontier.plugin.room import LocalRoom
from frontier.plugin.settings import value
from frontier.politeness import REFUSALS
from frontier.urls.canonical import slot_of
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from frontier.plugin.crawl.session import CrawlSession


def reporting(base: type[Any]) -> type[Any]:
    """Return a subclass of a downloader class that reports to the crawl's session."""

    class ReportingDownloader(base):  # type: ignore[misc]  # any downloader class
        """Reports every result of `fetch` and returns it unchanged; downloads politely."""

        def __init__(self, crawler: Crawler) -> None:
            self._crawler = crawler
            self._refused = False
            try:
                super().__init__(crawler)
            except LinkRankError:
                # Raised again by the spider middlewares: by then Scrapy 2.13 has a downloader that
                # it can close.
                self._refused = True
                return
            handlers = getattr(self, "handlers", None)
            if handlers is not None:
                self.handlers = PoliteHandlers(handlers, crawler)

        def close(self) -> None:
            if not self._refused:
                super().close()

        def needs_backout(self) -> bool:
            if not super().needs_backout():
                return False
            # A request that waits for a robots.txt takes nothing that a page needs.
            waiting = session_of(self._crawler).asked_aside
            return bool(len(self.active) - waiting >= self.total_concurrency)

        def get_slot_key(self, request: Request) -> str:
            # Requests copy the slot from their meta, so that a host has one spelling there, too.
            key: str = super().get_slot_key(request)
            if key != urlparse_cached(request).hostname or "download_slot" in request.meta:
                return key
            return slot_of(request.url)

        # A class without `fetch` fails where Scrapy calls it.
        @wraps(getattr(base, "fetch", Downloader.fetch))
        def fetch(self, request: Request, *spider: Spider) -> Any:
            # Scrapy 2.13 passes the spider, later ones where the project's class asks for it.
            fetching = super().fetch(request, *spider)
            if not isinstance(fetching, Deferred):
                return self._report(fetching, request)
            return fetching.addBoth(self._report, request)

        def _report(self, result: Any, request: Request) -> Any:
            seen = result.value if isinstance(result, Failure) else result
            trouble, session = trouble_of(self._crawler), session_of(self._crawler)
            ours = session.flights.unanswered(request) is not None
            if trouble.error is None:
                with trouble.watching():
                    session.fetched(request, seen)
                    return result
            # The store has failed, so nothing is an answer: the URL stays leased, and the request
            # goes back to the scheduler, which drops it.
            return request if ours else result

    # Scrapy's messages name the project's class.
    ReportingDownloader.__module__ = base.__module__
    ReportingDownloader.__qualname__ = base.__qualname__
    return ReportingDownloader


class PoliteHandlers:
    """The downloader's `handlers` behind the gate."""

    def __init__(self, handlers: Any, crawler: Crawler) -> None:
        self._handlers = handlers
        self._crawler = crawler
        self._room = LocalRoom(
            self._count,
            lambda: compat.close_idle_connections(handlers),
            lambda: session_of(crawler).closing,
        )

    def _count(self, stat: str) -> None:
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value(stat)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handlers, name)

    async def download_request_async(self, request: Request) -> Response:
        """Download when the host's turn comes; called by Scrapy from 2.14 on."""
        return await self._in_turn(request, lambda: self._handlers.download_request_async(request))

    def download_request(self, request: Request, spider: Spider) -> Deferred[Response]:
        """Download when the host's turn comes; called by Scrapy 2.13."""
        return deferred_from_coro(
            self._in_turn(
                request,
                lambda: maybe_deferred_to_future(self._handlers.download_request(request, spider)),
            )
        )

    async def _in_turn(
        self, request: Request, fetch: Callable[[], Awaitable[Response]]
    ) -> Response:
        if not request.url.startswith(("http://", "https://")):
            return await self._room.download(request, fetch)
        session = session_of(self._crawler)
        is_page = session.flights.unanswered(request) is not None
        check = download_check_of(self._crawler)
        return await session.gate.download(
            request,
            lambda: self._room.download(request, lambda: check.download(request, fetch)),
            page=is_page,  # only a page of the frontier can be queued again
        )


RETRIES = 5
"""Retries of a refused URL under back-off: a refusal says nothing about the page."""


class PolitenessMiddleware:
    """Postpones pages, and has refused pages retried more often than others."""

    def __init__(self, session: CrawlSession, retries: int) -> None:
        """`retries` of a refused URL; 0: as RetryMiddleware has it."""
        self._session = session
        self._retries = retries

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        usual = settings.getint("RETRY_TIMES")
        backs_off = value(settings, "FRONTIER_BACKOFF") > 0
        return cls(session_of(crawler), RETRIES if backs_off and 0 < usual < RETRIES else 0)

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Set the number of retries of a refused page."""
        refused = response.status in REFUSALS and "cached" not in response.flags
        flight = self._session.flights.unanswered(request) if refused and self._retries else None
        if flight is not None and not flight.lease.revisit:  # a failed revisit is repeated anyway
            request.meta.setdefault("max_retry_times", self._retries)
        return response

    def process_exception(
        self, request: Request, exception: Exception, spider: Spider | None = None
    ) -> Request | None:
        """Queue a postponed page of the frontier again; other requests fail."""
        if not isinstance(exception, NotYet):
            return None
        flight = self._session.flights.unanswered(request)
        if flight is None:
            return None
        self._session.politeness.postpone(exception.slot, exception.seconds, exception.reason)
        flight.postponed = True
        return request
