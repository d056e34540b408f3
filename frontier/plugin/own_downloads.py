"""What the frontier downloads for itself: robots.txt and examples. It ends with the crawl.

Scrapy waits for everything that is in flight when a spider closes. A page in flight is read to its
end, with all that its callback and its pipelines still ask for. What was asked for beside the pages
is no use any more: from the first moment of the close nothing new leaves, and what has left is not
waited for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from frontier.plugin import compat
from frontier.plugin.failures import ClosingError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_OWN = "frontier_own"
"""Key of `request.meta`, which whoever repeats the request copies: its `_Download`."""
_of: WeakKeyDictionary[Crawler, OwnDownloads] = WeakKeyDictionary()


@dataclass(eq=False)
class _Download:
    needed: Callable[[], bool]
    arrived: bool = False


def own_downloads_of(crawler: Crawler) -> OwnDownloads:
    """Return those of a crawler, made on first use."""
    if crawler not in _of:
        _of[crawler] = OwnDownloads(crawler)
    return _of[crawler]


class OwnDownloads:
    """Downloads through the project's middlewares and slots, until the crawl closes."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._closed = False

    async def get(self, request: Request, needed: Callable[[], bool] = lambda: False) -> Response:
        """Download; raises ClosingError once the crawl closes, unless it is `needed` even then."""
        download = request.meta[_OWN] = _Download(needed)
        self._check(download)
        try:
            # Without a turn of the loop in between: the crawl might be taken for idle.
            return await compat.download(self._crawler, request)
        except Exception:
            self._check(download)
            raise

    def check(self, request: Request) -> None:
        """Raise ClosingError for a request of ours that leaves too late.

        That may be one that Scrapy still held, or a repetition of it.
        """
        download: _Download | None = request.meta.get(_OWN)
        if download is not None:
            self._check(download)

    async def fetch(self, request: Request, fetch: Callable[[], Awaitable[Response]]) -> Response:
        """Fetch any request; raises what `check` does."""
        self.check(request)
        download: _Download | None = request.meta.get(_OWN)
        if download is None:
            return await fetch()
        download.arrived = False
        response = await fetch()
        download.arrived = True
        return response

    def _check(self, download: _Download) -> None:
        if self._closed and not download.needed():
            raise ClosingError

    def close(self) -> None:
        """Have nothing waited for that is not needed any more and has not come yet."""
        self._closed = True
        compat.forget_in_flight(self._crawler, self._is_useless)

    def _is_useless(self, request: Request) -> bool:
        download: _Download | None = request.meta.get(_OWN)
        return download is not None and not (download.arrived or download.needed())


def is_own(request: Request) -> bool:
    """Whether a request is the frontier's own."""
    return _OWN in request.meta
