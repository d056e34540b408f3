"""What a WARC record says about links: a page with them, a redirect, or nothing.

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
from frontier.utils import Closing
from frontier.warc.payload import MOST_HEAD, codings_of, header, playable, split_message, status_of
from frontier.warc.recorded_urls import join_url

if TYPE_CHECKING:
    from frontier.parsing.content import PageContent
    from frontier.warc.payload import Headers
    from frontier.warc.scan import Record

_HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|title|body)\b", re.IGNORECASE)
_SNIFFED = 1024
_NOT_HTML = "responses that are not HTML"
_SOON = 10
"""Seconds; what sends its readers on later is a page, see METAREFRESH_MAXDELAY of `crawler`."""


class Recorded(NamedTuple):
    """A fetched URL, and where it leads: URLs, and whether they are nofollow."""

    url: str
    links: list[tuple[str, bool]]
    redirect: bool = False


class Revisit(NamedTuple):
    """A URL that answered as another record did, which was not written again."""

    url: str
    of_url: str


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

    def read(self, record: Record) -> Recorded | Revisit | str:
        """Read one record, or say why it has no links; never raises on what it holds.

        "" is said of one that was never meant to have any.
        """
        url = record.fields.get("warc-target-uri", "").strip("<>")
        if not url.lower().startswith(("http://", "https://")):
            return ""
        if "warc-segment-number" in record.fields:
            return "segments of records, which are not joined"
        if record.type == "revisit":
            return Revisit(url, record.fields.get("warc-refers-to-target-uri", url).strip("<>"))
        if record.type == "resource":
            return self._resource(url, record)
        return self._response(url, record) if record.type == "response" else ""

    def _resource(self, url: str, record: Record) -> Recorded | str:
        media_type = record.fields.get("content-type", "")
        if not _is_html(media_type):
            return _NOT_HTML
        return self._page(url, [("Content-Type", media_type)], record)

    def _response(self, url: str, record: Record) -> Recorded | str:
        status = status_of(record.peek)
        if status is None:
            return "responses without an HTTP status"
        if status >= 400:
            return "responses with a status of 400 or more"
        headers = split_message(record.peek)[1]
        if status >= 300:
            return self._redirect(url, header(headers, "location"))
        media_type = header(headers, "content-type")
        if media_type and not _is_html(media_type):
            return _NOT_HTML
        return self._page(url, None, record)

    def _redirect(self, url: str, location: str) -> Recorded | str:
        target = join_url(url, location) if location else ""
        if not target.lower().startswith(("http://", "https://")):
            return "redirects that lead nowhere"
        return Recorded(url, [(target, False)], redirect=True)

    def _page(self, url: str, headers: Headers | None, record: Record) -> Recorded | str:
        body = record.place.read(MOST_HEAD + self._limits.body)
        if headers is None:
            headers, body = playable(*split_message(body)[1:])
        content_type = header(headers, "content-type")
        try:
            body = unpack(body, codings_of(headers), self._limits.body).body
            if not content_type and not _LOOKS_LIKE_HTML.search(body[:_SNIFFED]):
                return _NOT_HTML
            return self._read(url, self._content(body, content_type, url))
        except PageError as error:
            return f"pages that cannot be read: {error}"

    def _content(self, body: bytes, content_type: str, url: str) -> PageContent:
        charset = charset_of(body, content_type)

        def tree() -> object:
            root = parsed(decoded(body, charset).strip().replace("\0", ""))
            return etree.Element("html") if root is None else root

        return self._reader.html(body, charset, url, tree)

    def _read(self, url: str, content: PageContent) -> Recorded:
        seconds, target = content.refresh or (0.0, url)
        if canonical_url(url) == canonical_url(target):
            target = ""  # it leads to itself
        if target and seconds < _SOON:
            return Recorded(url, [(target, False)], redirect=True)
        kept = of_few_hosts(content.links, self._limits.hosts)
        links = [(link.url, link.nofollow) for link in kept]
        if target:
            links.append((target, False))
        most = self._max_url
        return Recorded(url, [one for one in links if not most or len(one[0]) <= most])


def _is_html(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in _HTML
