"""From a response to what its page and its headers say, by Scrapy's text of it, within bounds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse

from frontier.pagerules.declared import with_headers
from frontier.parsing.content import NOTHING, Link
from frontier.parsing.reader import (
    ReadingLimits,
    of_few_hosts,
    read_html,
    read_markup,
    read_plain,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.parsing.content import PageContent

CUT_FLAGS = {
    "dataloss": "the connection was closed before its end",
    "download_stopped": "its download was stopped",
}
"""Scrapy's flags of a body that is not whole, and the reason that is kept with the page."""

MANY_HOSTS = "too many hosts on a page"
"""Why a link is refused that leads to one more host than `ReadingLimits.hosts`."""


def declared_content(content: PageContent, response: Response) -> PageContent:
    """Join what headers say to what a page says; where it sends readers later on is a link."""
    found = response.headers.getlist
    # Bytes that are no text become something, never an error.
    content = with_headers(
        content, lambda name: [value.decode("latin-1") for value in found(name)], response.url
    )
    if content.refresh is None:
        return content
    url, own = content.refresh[1], response.url.partition("#")[0]
    if url == own or any(link.url == url for link in content.links):
        return content
    return replace(content, links=[*content.links, Link(url, "", "", nofollow=False)])


def has_rules(response: Response) -> bool:
    """Whether headers of a response say what a page could say to crawlers."""
    return any(name in response.headers for name in ("X-Robots-Tag", "Link", "Refresh"))


def is_html(response: Response) -> bool:
    """Whether a response is a page of HTML, by Scrapy's word."""
    return isinstance(response, HtmlResponse)


def _ignore(reason: str, url: str) -> None:
    """Refuse without a trace, where no crawl keeps count."""


class ResponseReader:
    """Reads responses within bounds; what callbacks get is as it was."""

    def __init__(
        self, refuse: Callable[[str, str], None] = _ignore, limits: ReadingLimits | None = None
    ) -> None:
        """`refuse` is called with a reason and the URL of each link that is left out for it."""
        self.limits = limits or ReadingLimits()
        self._refuse = refuse

    def read(self, response: Response) -> PageContent:
        """Read a response; raises PageError for a text that is none."""
        if not isinstance(response, TextResponse):
            return NOTHING
        is_long = len(response.body) > self.limits.body
        beginning = response
        if is_long:
            beginning = response.replace(
                body=response.body[: self.limits.body], encoding=response.encoding
            )
        content = self._read(beginning)
        if is_long:
            content = replace(content, truncated=True)
        if len(content.links) <= self.limits.hosts:
            return content
        refuse = partial(self._refuse, MANY_HOSTS)
        return replace(content, links=of_few_hosts(content.links, self.limits.hosts, refuse))

    def _read(self, response: TextResponse) -> PageContent:
        response = readable(response)
        text, charset, most = response.text, response.encoding, self.limits.links
        if isinstance(response, HtmlResponse):
            return read_html(text, lambda: response.selector.root, charset, response.url, most)
        if isinstance(response, XmlResponse):
            # What is a page in it is read as one; an XML parser would stop at its first mistake.
            return read_markup(text, charset, response.url, most)
        return read_plain(text)


def readable(response: TextResponse) -> TextResponse:
    """Return a response whose text can be had; the same one nearly always.

    A server may name a codec of Python that is none of texts; then it is read as UTF-8.
    """
    try:
        _ = response.text
    except (LookupError, UnicodeError):
        return response.replace(encoding="utf-8")
    return response
