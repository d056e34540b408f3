"""What a recorded response says about links: a page with them, a redirect, or nothing.

The rules are the crawler's, and so is the reader, with its bounds: who recorded a page may have
been sent a bomb. A response below 300 that is HTML is a page, whatever links it holds; a 3xx with a
Location, and a page that refreshes itself to another URL soon, are redirects; errors and files of
other types lead nowhere. Bodies are read only of what may be a page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from frontier.errors import PageError
from frontier.parsing.bodies import decoded, unpacked
from frontier.parsing.reader import ReadingLimits, of_few_hosts, read_markup
from frontier.urls.canonical import canonical_url
from frontier.urls.resolve import located
from frontier.warc.payload import codings_of, header

if TYPE_CHECKING:
    from frontier.parsing.content import PageContent
    from frontier.warc.captures import Capture

_HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|title|body)\b", re.IGNORECASE)
_SNIFFED = 1024
_NOT_HTML = "responses that are not HTML"
_SOON = 10
"""Seconds; what sends its readers on later is a page, see METAREFRESH_MAXDELAY of `crawler`."""


class Leads(NamedTuple):
    """A fetched URL, and where it leads: URLs, and whether they are nofollow."""

    url: str
    links: list[tuple[str, bool]]
    redirect: bool = False


class Reading:
    """Reads records as the crawler's settings have it."""

    def __init__(self, limits: ReadingLimits | None = None, max_url: int = 2083) -> None:
        """`max_url` characters may a URL have; 0: any number."""
        self._limits = limits or ReadingLimits()
        self._max_url = max_url

    def read(self, capture: Capture) -> Leads | str:
        """Read one response, or say why it has no links; never raises on what it holds."""
        if capture.status >= 400:
            return "responses with a status of 400 or more"
        headers = capture.headers()
        if capture.status >= 300:
            location = header(headers, "location")
            target = located(capture.url, location.encode("latin-1")) if location else None
            if target is None:
                return "redirects that lead nowhere"
            return Leads(capture.url, [(target, False)], redirect=True)
        content_type = header(headers, "content-type")
        if content_type and not _is_html(content_type):
            return _NOT_HTML
        return self._page(capture, content_type)

    def _page(self, capture: Capture, content_type: str) -> Leads | str:
        found = capture.read(self._limits.body)
        try:
            body = unpacked(found.body, codings_of(found.headers), self._limits.body)
            if not content_type and not _LOOKS_LIKE_HTML.search(body[:_SNIFFED]):
                return _NOT_HTML
            text, charset = decoded(body, content_type)
            content = read_markup(text, charset, capture.url, self._limits.links)
        except PageError as error:
            return f"pages that cannot be read: {error}"
        return self._read(capture.url, content)

    def _read(self, url: str, content: PageContent) -> Leads:
        seconds, target = content.refresh or (0.0, url)
        if canonical_url(url) == canonical_url(target):
            target = ""  # it leads to itself
        if target and seconds < _SOON:
            return Leads(url, [(target, False)], redirect=True)
        kept = of_few_hosts(content.links, self._limits.hosts)
        links = [(link.url, link.nofollow) for link in kept]
        if target:
            links.append((target, False))
        most = self._max_url
        return Leads(url, [one for one in links if not most or len(one[0]) <= most])


def _is_html(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in _HTML
