"""Scrapy's redirect middlewares, told beforehand where a response leads.

What Scrapy does with a redirect (hops counted, methods, cookies, referrers) stays as it is. Which
address a response leads to is decided here, as for links; what is no http or https address of
bounded length is no redirect, and the response an answer with the status it has. What its headers
ask of crawlers is noted with its address: with noindex it is not shown.

A refresh is a redirect whether a meta element or the header of that name asks for it. A page that
refreshes *itself* is a page that is to be looked at again, which is no reason not to read it.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.http import HtmlResponse
from w3lib.url import safe_url_string

from frontier.pagerules.declared import refresh_header
from frontier.parsing.head import refresh_rule
from frontier.parsing.html import parsed
from frontier.plugin.crawl.response_reader import header_marks, readable
from frontier.plugin.crawl.session import session_of
from frontier.urls.canonical import canonical_url
from frontier.urls.resolve import Resolver, located
from frontier.urls.rules import BY_W3LIB

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

REPLACED = {
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": (
        "frontier.plugin.downloadermiddlewares.redirects.LocationRedirects"
    ),
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": (
        "frontier.plugin.downloadermiddlewares.redirects.RefreshRedirects"
    ),
}
"""Scrapy's middlewares, and what the add-on puts in their place."""
_LONGEST = 4_000
"""Characters of a page that a refresh is looked for in, and of the address that it may lead to."""
_NO_MARKUP = ("script", "style", "template", "textarea", "title")
"""Elements in which a tag is text."""


class _Noting:
    """Notes the X-Robots-Tag of answers to what the frontier handed out."""

    _crawler: Crawler | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made: Self = super().from_crawler(crawler)  # type: ignore[misc]  # Scrapy's, mixed in
        made._crawler = crawler
        return made

    def follow(
        self, request: Request, response: Response, told: Response, spider: Spider | None
    ) -> Request | Response:
        """What Scrapy makes of `told`, if that is a request; else the response as it came."""
        if self._crawler is not None and b"X-Robots-Tag" in response.headers:
            session = session_of(self._crawler)
            lease = session.in_flight(request)
            # None for robots.txt, which no rule for pages is about, and a spider's own download.
            if lease is not None:
                lease.marks = header_marks(response, session.config.page_policy)
        base: Any = super()
        # Scrapy 2.13 passes the spider, later ones warn about it.
        found = base.process_response(request, told, *(() if spider is None else (spider,)))
        return response if hasattr(found, "status") else found


class LocationRedirects(_Noting, RedirectMiddleware):
    """Follows `Location`, of the statuses that Scrapy follows: 301, 302, 303, 307 and 308."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        location = response.headers.get("Location")
        if location is None or not 300 <= response.status < 400:
            return response
        target = located(response.url, location)
        if target is None:
            return response
        headers = response.headers.copy()
        headers["Location"] = target + _fragment(location.decode("latin-1"))
        return self.follow(request, response, response.replace(headers=headers), spider)


class RefreshRedirects(_Noting, MetaRefreshMiddleware):
    """Follows a refresh that comes within METAREFRESH_MAXDELAY seconds and leads elsewhere."""

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._soon = settings.getint("METAREFRESH_MAXDELAY")
        self._ignored = (*_NO_MARKUP, *settings.getlist("METAREFRESH_IGNORE_TAGS"))

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        if response.status >= 300:
            return response
        target = refreshed(response, self._soon, self._ignored)
        if target is None:
            return response
        return self.follow(request, response, _plain(response.url, target), spider)


def refreshed(response: Response, soon: float, ignored: tuple[str, ...]) -> str | None:
    """Return where a response sends its readers in less than `soon` seconds, with its fragment.

    Elements within those of the tags in `ignored` do not count. None where it sends them nowhere,
    or to itself.
    """
    found = _refresh(response, ignored)
    if found is None or found[0] >= soon:
        return None
    target = _resolved(Resolver(response.url, None), found[1])
    if target is None or len(target) > _LONGEST:
        return None
    # By w3lib's rules: the same address without a session or tracking may be the page to read.
    here, there = (canonical_url(url, BY_W3LIB) for url in (response.url, target))
    return None if here == there else target


def _refresh(response: Response, ignored: tuple[str, ...]) -> tuple[float, str] | None:
    values = [value.decode("latin-1") for value in response.headers.getlist("Refresh")]
    found = refresh_header(values, response.url) if values else None
    if found is not None or not isinstance(response, HtmlResponse):
        return found
    return _in_markup(response, ignored)


def _in_markup(response: HtmlResponse, ignored: tuple[str, ...]) -> tuple[float, str] | None:
    """The first refresh of a page's beginning that leads somewhere, by the steps of browsers."""
    text = readable(response).text[:_LONGEST]
    if "refresh" not in text.lower() or (root := parsed(text)) is None:
        return None
    base = next((href for href in root.xpath("//base/@href") if href), None)
    resolve = Resolver(response.url, base)
    for meta in root.iter("{*}meta"):
        rule = refresh_rule(meta.get("content") or "")
        is_refresh = (meta.get("http-equiv") or "").strip().lower() == "refresh"
        if not is_refresh or rule is None or any(True for _ in meta.iterancestors(*ignored)):
            continue
        target = _resolved(resolve, rule[1])
        if target is not None:
            return rule[0], target
    return None


def _resolved(resolve: Resolver, address: str) -> str | None:
    target = resolve(address)
    return None if target is None else target + _fragment(address)


def _fragment(address: str) -> str:
    """The fragment of an address with its mark; it belongs to the request, not to what is asked."""
    fragment = address.partition("#")[2].strip()
    return safe_url_string(f"#{fragment}") if fragment else ""


def _plain(url: str, target: str) -> HtmlResponse:
    """The simplest page that refreshes to a target, for Scrapy to make a request of."""
    body = f'<meta http-equiv="refresh" content="0;url={escape(target)}">'
    return HtmlResponse(url, body=body, encoding="utf-8")
