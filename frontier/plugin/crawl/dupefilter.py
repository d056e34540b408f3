"""Which requests of a spider are duplicates: what Scrapy says, in every project.

Scrapy's own filter remembers the requests that were made without `dont_filter`, and nothing else.
The frontier knows their URLs anyway, and every other URL; so what is kept here is only which URLs
it knows by requests with `dont_filter` alone: those, such as the pages of `start_urls`, are fetched
once more for the first request without.

A DUPEFILTER_CLASS of the project is asked as Scrapy's scheduler would ask it, and decides alone:
what it has not seen is fetched, again if need be. But what it keeps on disk may be ahead of a crawl
that was killed; so a request that the crawl does not know is no duplicate where it comes from what
was in flight then, whatever the filter says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.dupefilters import RFPDupeFilter
from scrapy.utils.misc import build_from_crawler, load_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler

    from frontier.records import UrlRecord


class RequestFilter:
    """Asked for each request that a spider or a redirect makes."""

    def __init__(self, crawler: Crawler, knows: Callable[[int], bool]) -> None:
        """`knows` says of a fingerprint whether the frontier has met its URL."""
        self._crawler = crawler
        self._knows = knows
        chosen = load_object(crawler.settings["DUPEFILTER_CLASS"])
        own = chosen is not RFPDupeFilter
        self._own: Any = build_from_crawler(chosen, crawler) if own else None
        self._unfiltered: set[int] = set()

    def open(self) -> Any:
        """Open the project's filter; what it returns is for Scrapy to wait for."""
        return self._own.open() if self._own is not None else None

    def close(self, reason: str) -> Any:
        """Close it, likewise."""
        return self._own.close(reason) if self._own is not None else None

    def drops(self, request: Request, candidate: UrlRecord, *, cut: bool) -> bool:
        """Whether a request must not be made although the frontier may not know it.

        Sets `again` of the candidate: whether it is fetched although it is known. `cut` is
        whether the same may have been asked by a process that died before the crawl had stored it.
        """
        number = candidate.fingerprint
        if self._own is None:
            candidate.again = request.dont_filter or self._is_first(number)
            if request.dont_filter and not self._knows(number):
                self._unfiltered.add(number)
            return False
        candidate.again = True
        if request.dont_filter or not self._own.request_seen(request):
            return False
        if cut and not self._knows(number):
            return False
        self._own.log(request, self._crawler.spider)
        return True

    def _is_first(self, number: int) -> bool:
        """Whether a URL that requests with `dont_filter` led to is asked for without it at last."""
        if number not in self._unfiltered:
            return False
        self._unfiltered.remove(number)
        return True
