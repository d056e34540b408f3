"""Asks for one robots.txt, and makes an `RobotsAnswer` of whatever comes.

The request goes through the project's downloader middlewares (proxies, authentication, caches), but
not through those that would follow its redirects or repeat it; only where a file that cannot be
reached forbids nothing, it is repeated as a page is, as in Scrapy. Redirects are followed to other
hosts too (RFC 9309, section 2.3.1.2), and like any request never to an address that must not be
connected to.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from frontier.errors import AddressError, described
from frontier.plugin.crawl.gate import NotYet
from frontier.plugin.failures import ClosingError, UnreachableRobotsError
from frontier.plugin.own_downloads import own_downloads_of
from frontier.robots import RobotsAnswer, failed, judged, robots_url
from frontier.robots.parser import LIMIT
from frontier.robots.response import astray
from frontier.urls.resolve import located

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

TIMEOUT = 20.0
"""Seconds: all pages of a host wait for its file."""
MOST_REDIRECTS = 10
"""RFC 9309 has at least five followed; Scrapy's own default for pages is 20."""
FINAL = (AddressError, UnreachableRobotsError)
"""Faults that trying again does not mend, of the origin itself or of where it redirects to."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_UNHANDLED = {
    "dont_obey_robotstxt": True,
    "dont_redirect": True,
    "dont_merge_cookies": True,
    "allow_offsite": True,
    "handle_httpstatus_all": True,
    # What came of a file that breaks off holds.
    "download_fail_on_dataloss": False,
}
_MOST_TIMES = 32
"""Times the bytes that are read, from which on a file counts as one that cannot be had."""
_PRIORITY = 1000
"""As Scrapy's: before the pages that wait for it."""


class RobotsFetcher:
    """Downloads files; `as_pages`: with the timeout and the retries of pages, as Scrapy does."""

    def __init__(self, crawler: Crawler, *, as_pages: bool) -> None:
        self._downloads = own_downloads_of(crawler)
        self._stats: Any = crawler.stats
        self._meta: dict[str, Any] = {
            **_UNHANDLED,
            "dont_retry": not as_pages,
            "download_maxsize": _MOST_TIMES * LIMIT,
        }
        if not as_pages:
            self._meta["download_timeout"] = TIMEOUT

    async def ask(self, origin: str, needed: Callable[[], bool]) -> RobotsAnswer:
        """Ask an origin for its file; once the crawl closes, only if it is `needed` even then.

        Raises NotYet where politeness has its host left alone, ClosingError, and one of FINAL.
        """
        url = robots_url(origin)
        seen = {url}
        for hop in range(MOST_REDIRECTS + 1):
            try:
                response = await self._download(url, needed)
            except AddressError as fault:
                if not hop:
                    raise
                reason = f"it is redirected to {url}: {fault}"
                raise UnreachableRobotsError(reason, answered=True) from fault
            if isinstance(response, RobotsAnswer):
                return response
            if response.status not in _REDIRECTS:
                return self._judged(response)
            location = response.headers.get("Location")
            target = located(response.url, location) if location else None
            if target is None or target in seen:
                return astray("a redirect that leads nowhere")
            seen.add(target)
            url = target
        return astray(f"more than {MOST_REDIRECTS} redirects")

    async def _download(self, url: str, needed: Callable[[], bool]) -> Response | RobotsAnswer:
        request = Request(url, NO_CALLBACK, meta={**self._meta}, priority=_PRIORITY)
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await self._downloads.get(request, needed)
        except (NotYet, ClosingError, AddressError):
            raise
        except Exception as error:  # whatever a handler or a middleware of the project raises
            if not isinstance(error, IgnoreRequest):
                self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            logger.debug("No response from %s: %r", url, error)
            return failed(described(error))
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        return response

    def _judged(self, response: Response) -> RobotsAnswer:
        names = ("cache-control", "retry-after")
        values = (b",".join(response.headers.getlist(name)).decode("latin-1") for name in names)
        return judged(response.status, response.body, dict(zip(names, values, strict=True)))
