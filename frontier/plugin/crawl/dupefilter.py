"""Which requests of a spider are duplicates: what Scrapy says, in every project.

Where the project has Scrapy's own filter, `frontier.backend.first_requests` says the same by what
the frontier knows.

A DUPEFILTER_CLASS of the project is asked as Scrapy's scheduler would ask it, and decides alone:
what it has not seen is fetched, again if need be. But what it keeps on disk may be ahead of a crawl
that was killed; so a request that the crawl does not know is no duplicate where it comes from what
was in flight then, whatever the filter says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.dupefilters import RFPDupeFilter
from scrapy.utils.misc import build_from_crawler, load_object

from frontier.backend.first_requests import FirstRequests

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler

    from frontier.records import UrlRecord


class RequestFilter:
    """Asked for each request that a spider or a redirect makes."""

    def __init__(
        self, crawler: Crawler, knows: Callable[[int], bool], first: FirstRequests | None = None
    ) -> None:
        """`knows` says of a fingerprint whether the frontier has met its URL; `first` decides."""
        self._crawler = crawler
        self._knows = knows
        chosen = load_object(crawler.settings["DUPEFILTER_CLASS"])
        own = chosen is not RFPDupeFilter
        self._own: Any = build_from_crawler(chosen, crawler) if own else None
        self._first = first or FirstRequests()

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
            candidate.again = self._first.again(
                number, dont_filter=request.dont_filter, known=self._knows(number)
            )
            return False
        candidate.again = True
        if request.dont_filter or not self._own.request_seen(request):
            return False
        if cut and not self._knows(number):
            return False
        self._own.log(request, self._crawler.spider)
        return True
