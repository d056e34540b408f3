"""What a recorded response says about links: a page with them, a redirect, or nothing.

The rules are the crawler's, and so is the reader, with its bounds: who recorded a page may have
been sent a bomb. A response below 300 that is HTML is a page, whatever links it holds; a 3xx with a
Location, and a page that refreshes itself to another URL soon, are redirects; errors and files of
other types lead nowhere. Bodies are read only of what may be a page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from frontier.errors import PageError
from frontier.parsing.charset import charset_of, decoded
from frontier.parsing.decompress import unpack
from frontier.parsing.dispatch import parsed
from frontier.parsing.reader import PageReader, ReadingLimits
from frontier.parsing.slow_hosts import of_few_hosts
from frontier.urls.canonical import canonical_url
from frontier.urls.resolve import located
from frontier.utils import Closing
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


class Reading(Closing):
    """Reads records as the crawler's settings have it; ends at `close` what it started for that."""

    def __init__(self, limits: ReadingLimits | None = None, max_url: int = 2083) -> None:
        """`max_url` characters may a URL have; 0: any number."""
        self._limits = limits or ReadingLimits()
        self._max_url = max_url
        self._reader = PageReader(self._limits)

    def close(self) -> None:
        """End the process for difficult pages, if there is one."""
        self._reader.close()

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
            body = unpack(found.body, codings_of(found.headers), self._limits.body).body
            if not content_type and not _LOOKS_LIKE_HTML.search(body[:_SNIFFED]):
                return _NOT_HTML
            return self._read(capture.url, self._content(body, content_type, capture.url))
        except PageError as error:
            return f"pages that cannot be read: {error}"

    def _content(self, body: bytes, content_type: str, url: str) -> PageContent:
        charset = charset_of(body, content_type)

        def tree() -> object:
            root = parsed(decoded(body, charset).strip().replace("\0", ""))
            return etree.Element("html") if root is None else root

        return self._reader.html(body, charset, url, tree)

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
