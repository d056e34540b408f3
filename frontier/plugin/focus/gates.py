"""Cookie gates: sites that set a cookie, redirect, and show a page only with that cookie.

The ready-made crawl keeps no sessions: it keeps only the cookies of responses that redirect, by
status or by meta refresh, and sends them back to their hosts. A redirect to a URL of its own chain
is requested once more if a cookie was set on the way; Scrapy would drop it as a duplicate. Without
a new cookie a circular redirect ends as in Scrapy, and a page that refreshes itself is a page.

A revisit that is redirected for the time being has not seen its page. The cookie may be missing,
after a restart or because a session has ended. So the target of the redirect is requested once, its
response is dropped, and the next revisit of the host sends the cookie.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.http.request import NO_CALLBACK

from frontier.plugin import compat
from frontier.plugin.crawl.gate import slot_for
from frontier.plugin.crawl.in_flight import RETURNS
from frontier.plugin.crawl.session import session_of
from frontier.refresh.pauses import PERMANENT
from frontier.urls.hosts import with_ascii_host
from frontier.urls.resolve import Resolver, located

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

_COOKIE_CAME = "frontier_cookie_came"
"""Key of `meta`, which redirects copy: a new cookie was set since the first request."""
_MOST_RETURNS = 3
"""Returns to a URL within a chain of redirects: few sites set cookies in several steps."""
_REOPEN = 600.0
"""Seconds between two requests to a host for a cookie alone."""
_MOST_COOKIES = 50
"""Cookies of a request; browsers keep at least as many of a site (RFC 6265, section 6.1)."""


class GateCookies(CookiesMiddleware):
    """Sends cookies like CookiesMiddleware, and keeps only those given to `keep`."""

    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Request | Response | None:
        """Send the kept cookies; most crawls have none at all."""
        if not self.jars and not request.cookies:
            return None
        return super().process_request(request, *compat.spider_passed(spider))

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Keep no cookies of a page."""
        return response

    def keep(self, request: Request, response: Response, *spider: Spider) -> bool:
        """Keep the cookies of a redirect; whether the same request would now send others."""
        if request.meta.get("dont_merge_cookies"):
            return False
        sent = _pairs(request)
        if len(sent) >= _MOST_COOKIES:
            return False
        super().process_response(request, response, *spider)
        again = Request(request.url, meta={"cookiejar": request.meta.get("cookiejar")})
        self.process_request(again, *spider)
        return not _pairs(again) <= sent


def _pairs(request: Request) -> set[bytes]:
    header = request.headers.get("Cookie") or b""
    return {pair.strip() for pair in header.split(b";")} - {b""}


class _Gates:
    """Cookie gates, for both redirect middlewares of Scrapy."""

    _own: Crawler
    _opened: dict[str, float]
    """Host -> time of its last request for a cookie alone, on the monotonic clock."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made: Self = super().from_crawler(crawler)  # type: ignore[misc]  # of the class beside it
        made._own = crawler
        made._opened = {}
        return made

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Redirect like Scrapy, and request a page again that has set a cookie."""
        passed = compat.spider_passed(spider)
        result = super().process_response(request, response, *passed)  # type: ignore[misc]
        if not isinstance(result, Request):
            return response
        cookies: Any = self._own.get_downloader_middleware(GateCookies)
        if cookies is not None and cookies.keep(request, response, *passed):
            result.meta[_COOKIE_CAME] = True
        returns = self._returns(result)
        if not returns:
            flight = session_of(self._own).flights.unanswered(request)
            if flight is not None and flight.lease.revisit and response.status not in PERMANENT:
                await self._open(slot_for(request), result)
            return result
        if result.meta.pop(_COOKIE_CAME, False) and returns <= _MOST_RETURNS:
            result.meta[RETURNS] = True
            return result
        return self.in_circles(result, response)

    async def _open(self, host: str, redirected: Request) -> None:
        """Request the target of a revisit's redirect, so that a cookie set there is kept."""
        now = time.monotonic()
        if now - self._opened.get(host, -_REOPEN) < _REOPEN:
            return
        self._opened[host] = now
        meta = {"cookiejar": redirected.meta.get("cookiejar")}
        with suppress(Exception):  # the revisit has failed anyway
            await compat.download(self._own, Request(redirected.url, NO_CALLBACK, meta=meta))

    def _returns(self, redirected: Request) -> int:
        """How often a chain of redirects has been at its target before."""
        number = session_of(self._own).codec.fingerprint_of
        return [number(url) for url in redirected.meta["redirect_urls"]].count(
            number(redirected.url)
        )

    def in_circles(self, redirected: Request, response: Response) -> Request | Response:
        """Return the end of a chain that leads back to itself."""
        return redirected


class GateRedirects(_Gates, RedirectMiddleware):
    """Redirects by status, to the same host as browsers."""

    async def process_response(  # type: ignore[override]  # Scrapy awaits it
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Redirect like Scrapy, which would write hosts as of IDNA 2003."""
        if "Location" in response.headers:
            target = located(request.url, response.headers["Location"] or b"")
            if target is not None and with_ascii_host(target) != target:
                response.headers["Location"] = with_ascii_host(target)
        return await super().process_response(request, response, spider)


class GateRefreshes(_Gates, MetaRefreshMiddleware):
    """Redirects by meta refresh; a page whose refresh has no web address is a page."""

    async def process_response(  # type: ignore[override]  # Scrapy awaits it
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Redirect like Scrapy, which would fail at an invalid address in a refresh or base."""
        try:
            result = await super().process_response(request, response, spider)
        except ValueError:
            return response
        if isinstance(result, Request) and Resolver(response.url, None)(result.url) is None:
            return response
        return result

    def in_circles(self, redirected: Request, response: Response) -> Request | Response:
        """A page that reloads itself is a page."""
        return response
