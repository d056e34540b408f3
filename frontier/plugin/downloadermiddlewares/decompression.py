"""Downloader middlewares that make of what was sent what can be read: unpacked, in its charset.

They do so for pages with FRONTIER_MEND_PAGES, and for what the frontier downloads for itself. They
stand where Scrapy's own unpacking does, before anything looks at the text of a response: Scrapy's
middlewares decode all of it to find a meta refresh, and guess the charset from all of it where none
is named, which for a body of megabytes takes seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import TextResponse
from scrapy.responsetypes import responsetypes

from frontier.errors import PageError
from frontier.parsing.decompress import Decompressed, unpack
from frontier.plugin.crawl.headers import in_charset
from frontier.plugin.crawl.session import session_of
from frontier.plugin.net.download_state import CUT_AT, TRUNCATED
from frontier.plugin.settings.components import add, paths_of, replace
from frontier.plugin.settings.limits import reading_limits

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

REPLACED = "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware"
UNPACKING = "frontier.plugin.downloadermiddlewares.decompression.DecompressionMiddleware"
CHARSETS = "frontier.plugin.downloadermiddlewares.decompression.CharsetMiddleware"
CHARSETS_ORDER = 585
"""After unpacking (590), before the search for a meta refresh (580)."""


def mends(crawler: Crawler, request: Request) -> bool:
    """Whether a request is for a page that is to be mended, not for somebody's download."""
    mended = crawler.settings.getbool("FRONTIER_MEND_PAGES")
    return mended and session_of(crawler).in_flight(request) is not None


class DecompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's HttpCompressionMiddleware, which reads what it can of pages instead of failing.

    Scrapy's bound is that of downloads, and what is larger unpacked fails; that of pages is
    FRONTIER_MAX_BODY, and what came until then is read.
    """

    most = 0
    frontier: Crawler | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = super().from_crawler(crawler)
        middleware.most = reading_limits(crawler.settings).body
        middleware.frontier = crawler
        return middleware

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        own = request.meta.get(CUT_AT)
        if own is None and not (self.frontier and mends(self.frontier, request)):
            # Scrapy 2.13 passes the spider, later ones warn about it.
            given = () if spider is None else (spider,)
            found: Request | Response = super().process_response(request, response, *given)
            return found
        return self._unpacked(request, response, own)

    def _unpacked(self, request: Request, response: Response, own: int | None) -> Response:
        codings = _codings(response)
        if not codings or request.method == "HEAD":
            return response
        most = own or request.meta.get("download_maxsize") or self.most
        try:
            found = unpack(response.body, codings, most)
        except PageError as error:
            found = Decompressed(b"", str(error))
        headers = response.headers.copy()
        headers.pop("Content-Encoding", None)
        if self.stats:
            self.stats.inc_value("httpcompression/response_bytes", len(found.body))
            self.stats.inc_value("httpcompression/response_count")
        kind = responsetypes.from_args(headers=headers, url=response.url, body=found.body)
        changes: dict[str, Any] = {"cls": kind, "body": found.body, "headers": headers}
        if issubclass(kind, TextResponse):
            changes["encoding"] = None
        if found.cut:
            changes["flags"] = [*response.flags, TRUNCATED + found.cut]
        unpacked: Response = response.replace(**changes)
        return unpacked


class CharsetMiddleware:
    """Says in which charset the text of a page is written, before others guess."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        return in_charset(response) if mends(self._crawler, request) else response


def install_bodies(settings: BaseSettings) -> None:
    """Put both in, unless the project has decided about Scrapy's unpacking itself.

    Raises SettingsError for a bound that is out of its range.
    """
    reading_limits(settings)
    named = paths_of(settings["DOWNLOADER_MIDDLEWARES"] or ())
    if REPLACED not in named and UNPACKING not in named:
        replace(settings, "DOWNLOADER_MIDDLEWARES", REPLACED, UNPACKING)
    add(settings, "DOWNLOADER_MIDDLEWARES", {CHARSETS: CHARSETS_ORDER})


def _codings(response: Response) -> list[str]:
    """Content encodings in the order they were applied, `identity` and the empty one aside."""
    header = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1")
    named = (one.strip().lower() for one in header.split(","))
    return [one for one in named if one]
