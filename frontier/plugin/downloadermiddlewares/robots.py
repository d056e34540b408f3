"""The downloader middleware that keeps to robots.txt (RFC 9309), in the place of Scrapy's own.

It sees every request before it leaves: pages, redirect targets, what callbacks download by
themselves. Scrapy's names hold: `ROBOTSTXT_OBEY`, `ROBOTSTXT_USER_AGENT`, the meta key
`dont_obey_robotstxt` and the stats `robotstxt/...`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from frontier.plugin.crawl.session import session_of
from frontier.plugin.failures import ForbiddenByRobotsError
from frontier.plugin.own_downloads import is_own
from frontier.plugin.robots.fetch import RobotsFetcher
from frontier.plugin.robots.keeper import RobotsKeeper
from frontier.plugin.settings.table import ALLOW, value
from frontier.robots import RobotsCache, origin_of
from frontier.robots.user_agent import product_token

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class RobotsMiddleware:
    """Lets through what may be fetched, refuses what may not, and parks what nobody knows yet."""

    def __init__(self, crawler: Crawler, keeper: RobotsKeeper) -> None:
        settings = crawler.settings
        self._session = session_of(crawler)
        self._keeper = keeper
        self._stats = crawler.stats
        self._own_name = settings["ROBOTSTXT_USER_AGENT"]
        self._user_agent = settings["USER_AGENT"]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        lenient = value(settings, "FRONTIER_ROBOTS_UNREACHABLE") == ALLOW
        book = RobotsCache(session_of(crawler).frontier.notes, lenient=lenient)
        fetcher = RobotsFetcher(crawler, as_pages=lenient)
        return cls(crawler, RobotsKeeper(crawler, fetcher, book))

    async def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Request | None:
        """Return None for what may be fetched, and the request itself where it has to wait.

        Raises ForbiddenByRobotsError and UnreachableRobotsError.
        """
        origin = None if request.meta.get("dont_obey_robotstxt") else origin_of(request.url)
        if origin is None:
            return None
        lease = self._session.in_flight(request)
        if lease is None:
            # Nothing can take it back: it waits as long as it takes.
            await self._keeper.known(origin, to_the_end=not is_own(request))
        elif not await self._keeper.known_soon(origin):
            self._session.parked_urls.bind(lease, origin)
            self._keeper.ask_later(origin)
            return request
        self._judge(request, origin)
        return None

    def _judge(self, request: Request, origin: str) -> None:
        if not self._keeper.is_known(origin):
            raise self._keeper.refusal(origin)
        if not self._keeper.book.rules(origin, self._token(request)).allows(request.url):
            logger.debug("Forbidden by robots.txt: %s", request)
            if self._stats is not None:
                self._stats.inc_value("robotstxt/forbidden")
            raise ForbiddenByRobotsError

    def _token(self, request: Request) -> str:
        if self._own_name:
            return product_token(self._own_name)
        header = request.headers.get("User-Agent")
        return product_token(header.decode("latin-1") if header else self._user_agent or "")
