"""Asks for one robots.txt, and makes an `Answer` of whatever comes.

The request goes through the project's downloader middlewares (proxies, authentication, caches), but
not through those that would follow its redirects or repeat it: both have rules of their own here.
Redirects are followed to other hosts too (RFC 9309, section 2.3.1.2), where nothing counts them as
offsite, and like any request never to an address that must not be connected to.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http.request import NO_CALLBACK

from frontier.errors import AddressError, CertificateError
from frontier.plugin import compat
from frontier.plugin.failures import UnreachableRobotsError, described
from frontier.plugin.net.watch import TRUNCATED
from frontier.plugin.redirecting import located
from frontier.plugin.wire import NotNow
from frontier.robots import Answer, failed, judged, robots_url
from frontier.robots.answers import astray

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

MOST_REDIRECTS = 10
"""RFC 9309 has at least five followed; Scrapy's own default for pages is 20."""
_FINAL = (AddressError, CertificateError)
FINAL = (*_FINAL, UnreachableRobotsError)
"""Faults that trying again does not mend, of the origin itself or of where it redirects to."""

_BYTES = "frontier_robots_bytes"
"""Key of `request.meta`: how much of a file has come, in bytes."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_UNHANDLED = {
    "dont_obey_robotstxt": True,
    "dont_redirect": True,
    "dont_retry": True,
    "dont_merge_cookies": True,
    "allow_offsite": True,
    "handle_httpstatus_all": True,
}
_PRIORITY = 1000
"""As Scrapy's: before the pages that wait for it."""


class RobotsFetcher:
    """Downloads files of at most `limit` bytes, each request in at most `seconds`."""

    def __init__(self, crawler: Crawler, limit: int, seconds: float) -> None:
        self._crawler = crawler
        self._stats: Any = crawler.stats
        self._limit = limit
        self._seconds = seconds
        crawler.signals.connect(self._received, signals.bytes_received)

    async def ask(self, origin: str) -> Answer:
        """Ask an origin for its file.

        Raises NotNow where politeness has its host left alone, and one of FINAL.
        """
        url = robots_url(origin)
        seen = {url}
        for hop in range(MOST_REDIRECTS + 1):
            try:
                response = await self._download(url)
            except _FINAL as fault:
                if not hop:
                    raise
                reason = f"it is redirected to {url}: {fault}"
                raise UnreachableRobotsError(reason, answered=True) from fault
            if isinstance(response, Answer):
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

    async def _download(self, url: str) -> Response | Answer:
        meta: dict[str, Any] = {**_UNHANDLED, _BYTES: 0, "download_timeout": self._seconds}
        request = Request(url, NO_CALLBACK, meta=meta, priority=_PRIORITY)
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await compat.download(self._crawler, request)
        except (NotNow, *_FINAL):
            raise
        except Exception as error:  # whatever a handler or a middleware of the project raises
            if not isinstance(error, IgnoreRequest):
                self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            logger.debug("No answer from %s: %r", url, error)
            return failed(described(error))
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        return response

    def _judged(self, response: Response) -> Answer:
        cut = [flag for flag in response.flags if flag.startswith(TRUNCATED)]
        if cut and len(response.body) <= self._limit:
            return failed(cut[0])
        return judged(response.status, response.body, _headers(response))

    def _received(self, data: bytes, request: Request) -> None:
        """Stop a download that has brought more than is read."""
        so_far = request.meta.get(_BYTES)
        if so_far is None:
            return
        request.meta[_BYTES] = so_far + len(data)
        if request.meta[_BYTES] > self._limit:
            raise StopDownload(fail=False)


def _headers(response: Response) -> dict[str, str]:
    """Names in lower case, values as text; Scrapy's own way raises for bytes that are no UTF-8."""
    return {
        bytes(name).decode("latin-1").lower(): b",".join(values).decode("latin-1")
        for name, values in response.headers.items()
    }
