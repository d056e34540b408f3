"""The downloader middleware that takes pages back whose hosts cannot be asked now.

It stands closest to the downloader: so it hears first that a host is to be left alone, before a
retry is counted, and that a page was refused, before it is retried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.plugin.crawl.session import session_of
from frontier.plugin.settings.table import value
from frontier.plugin.throttle.network_gate import NotYet
from frontier.politeness import REFUSALS

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from frontier.plugin.crawl.session import CrawlSession

RETRIES = 5
"""Of one refused URL, where refusals make a pause longer: they say nothing about the page."""


class PolitenessMiddleware:
    """Postpones pages, and lets those that were refused be retried more often than others."""

    def __init__(self, session: CrawlSession, retries: int) -> None:
        """`retries` of one refused URL; 0 leaves it to others to retry it or not."""
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
        """Say of a page that was refused how often it may be retried."""
        refused = response.status in REFUSALS and "cached" not in response.flags
        if refused and self._retries and self._session.in_flight(request) is not None:
            request.meta.setdefault("max_retry_times", self._retries)
        return response

    def process_exception(
        self, request: Request, exception: Exception, spider: Spider | None = None
    ) -> Request | None:
        """Take back a page of the frontier; others have to see how they manage."""
        if not isinstance(exception, NotYet):
            return None
        lease = self._session.in_flight(request)
        if lease is None:
            return None
        self._session.politeness.postpone(exception.slot, exception.seconds, exception.reason)
        lease.postponed = True
        return request
