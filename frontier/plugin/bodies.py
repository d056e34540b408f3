"""Downloader middlewares that make of what was sent what can be read: unpacked, in its charset.

They do so for pages with FRONTIER_MEND_PAGES, and for what the frontier downloads for itself; what
others get is what Scrapy makes of it. They stand where Scrapy's own unpacking does, before anything
looks at the text of a response: Scrapy's middlewares decode all of it to find a meta refresh, and
guess the charset from all of it where none is named, which for a body of megabytes takes seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import Response, TextResponse
from scrapy.responsetypes import responsetypes
from w3lib.encoding import http_content_type_encoding

from frontier.errors import PageError
from frontier.parsing.charset import charset_of
from frontier.parsing.mediatype import is_listed, media_type
from frontier.parsing.unpacking import Unpacked, unpack
from frontier.plugin.installing import add, paths_of, replace
from frontier.plugin.net.watch import CUT_AT, TRUNCATED
from frontier.plugin.settings_reading import limits_from

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

REPLACED = "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware"
UNPACKING = "frontier.plugin.bodies.UnpackingMiddleware"
CHARSETS = "frontier.plugin.bodies.CharsetMiddleware"
CHARSETS_ORDER = 585
"""After unpacking (590), before the search for a meta refresh (580)."""
_MARKS = (b"\xef", b"\xff", b"\xfe", b"\0")
"""With which a byte order mark may begin, which stands above the header."""


class Pages:
    """Tells the pages of a crawl, which are mended, from what others download."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._mends = crawler.settings.getbool("FRONTIER_MEND_PAGES")

    def mends(self, request: Request) -> bool:
        """Whether the response to a request is a page that is to be mended."""
        if not self._mends:
            return False
        # Here, for the session imports this module.
        from frontier.plugin.session import session_of

        return session_of(self._crawler).in_flight(request) is not None


class UnpackingMiddleware(HttpCompressionMiddleware):
    """Scrapy's HttpCompressionMiddleware, which reads what it can of pages instead of failing.

    Scrapy's bound is that of downloads, and what is larger unpacked fails; that of pages is
    FRONTIER_MAX_BODY, and what came until then is read.
    """

    most = 0
    pages: Pages | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = super().from_crawler(crawler)
        middleware.most = limits_from(crawler.settings).body
        middleware.pages = Pages(crawler)
        return middleware

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        own = request.meta.get(CUT_AT)
        if own is None and not (self.pages and self.pages.mends(request)):
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
            found = Unpacked(b"", str(error))
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

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Pages(crawler))

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        return in_charset(response) if self._pages.mends(request) else response


def in_charset(response: Response) -> Response:
    """Return the response with the encoding that its page is written in.

    Of several Content-Types, in one header or in many, the one counts that browsers go by.
    """
    header = (response.headers.get("Content-Type") or b"").decode("latin-1")
    kind, meant = type(response), header
    values = [value.decode("latin-1") for value in response.headers.getlist("Content-Type")]
    if is_listed(values):
        meant = media_type(values)
        kind = _kind_of(response, meant) if meant else kind
    if not issubclass(kind, TextResponse):
        return response if kind is type(response) else _without_text(response, kind)
    charset = charset_of(response.body, meant)
    same = kind is type(response) and http_content_type_encoding(header) == charset
    if same and response.body[:1] not in _MARKS:
        return response  # Scrapy comes to the same
    return response.replace(cls=kind, encoding=charset)


def _without_text(response: Response, kind: type[Response]) -> Response:
    # Not `replace`: it hands on the encoding, which only texts have.
    return kind(**{name: getattr(response, name) for name in kind.attributes})


def _kind_of(response: Response, meant: str) -> type[Response]:
    headers = response.headers.copy()
    headers["Content-Type"] = meant
    return responsetypes.from_args(headers=headers, url=response.url, body=response.body)


def install_bodies(settings: BaseSettings) -> None:
    """Put both in, unless the project has decided about Scrapy's unpacking itself.

    Raises SettingsError for a bound that is out of its range.
    """
    limits_from(settings)
    named = paths_of(settings["DOWNLOADER_MIDDLEWARES"] or ())
    if REPLACED not in named and UNPACKING not in named:
        replace(settings, "DOWNLOADER_MIDDLEWARES", REPLACED, UNPACKING)
    add(settings, "DOWNLOADER_MIDDLEWARES", {CHARSETS: CHARSETS_ORDER})


def _codings(response: Response) -> list[str]:
    """Content encodings in the order they were applied, `identity` and the empty one aside."""
    header = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1")
    named = (one.strip().lower() for one in header.split(","))
    return [one for one in named if one]
