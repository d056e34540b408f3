"""What a WARC record says about links: a page with them, a redirect, or nothing.

The rules are the crawler's. A response below 300 that is HTML is a page, whatever links it holds; a
3xx with a Location, and a page that refreshes itself to another URL soon, are redirects; errors and
files of other types lead nowhere. Bodies are read only of what may be a page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree
from w3lib.html import get_meta_refresh

from frontier.html import read_page
from frontier.lab.payload import header, playable, split_message, status_of
from frontier.lab.recorded_urls import join_url
from frontier.linkfiles.decoding import MAX_BODY, UndecodableError, text_of, unpacked
from frontier.parsing.taming import is_tame, tamed
from frontier.urls import canonical_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.lab.answers import Headers
    from frontier.lab.warcscan import Record

_HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_CONTENT_TYPE = re.compile(rb"^content-type[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|title|body)\b", re.IGNORECASE)
_SNIFFED = 1024
_SOON = 10
"""Seconds; what sends its readers on later is a page (METAREFRESH_MAXDELAY of the add-on)."""
_PARSER = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)


class OutLink(NamedTuple):
    """Where a page leads; a nofollow link hands on no score."""

    url: str
    nofollow: bool


@dataclass(frozen=True, slots=True)
class Recorded:
    """A fetched URL and where it leads."""

    url: str
    links: tuple[OutLink, ...]
    redirect: bool = False


@dataclass(frozen=True, slots=True)
class Revisit:
    """A URL that answered as another record did, which was not written again."""

    url: str
    of_url: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """A record without links, and why; "" where it was never meant to have any."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the crawler's settings say about links."""

    max_links: int = 5000
    max_url: int = 2083
    """Characters of a URL; 0: no limit."""
    decode: Callable[[bytes, str], str] = text_of
    """Bytes and Content-Type of an HTML page -> its text; raises nothing."""

    def read(self, record: Record) -> Recorded | Revisit | Nothing:
        """Read one record; never raises on what it holds."""
        url = record.fields.get("warc-target-uri", "").strip("<>")
        if not url.lower().startswith(("http://", "https://")):
            return Nothing()
        if "warc-segment-number" in record.fields:
            return Nothing("segments of records, which are not joined")
        if record.type == "revisit":
            return Revisit(url, record.fields.get("warc-refers-to-target-uri", url).strip("<>"))
        if record.type == "resource":
            return self._resource(url, record)
        return self._response(url, record) if record.type == "response" else Nothing()

    def _resource(self, url: str, record: Record) -> Recorded | Nothing:
        media_type = record.fields.get("content-type", "")
        if not _is_html(media_type):
            return Nothing("responses that are not HTML")
        return self._page(url, [("Content-Type", media_type)], record)

    def _response(self, url: str, record: Record) -> Recorded | Nothing:
        status = status_of(record.peek)
        if status is None:
            return Nothing("responses without an HTTP status")
        if status >= 400:
            return Nothing("responses with a status of 400 or more")
        if status >= 300:
            return self._redirect(url, header(split_message(record.peek)[1], "location"))
        found = _CONTENT_TYPE.search(record.peek)
        if found and not _is_html(found[1].decode("latin-1")):
            return Nothing("responses that are not HTML")
        return self._page(url, None, record)

    def _redirect(self, url: str, location: str) -> Recorded | Nothing:
        if not location:
            return Nothing("redirects that lead nowhere")
        target = join_url(url, location)
        if not target.lower().startswith(("http://", "https://")):
            return Nothing("redirects that lead nowhere")
        return Recorded(url, (OutLink(target, nofollow=False),), redirect=True)

    def _page(self, url: str, headers: Headers | None, record: Record) -> Recorded | Nothing:
        if record.place.size > MAX_BODY:
            return Nothing(f"pages of more than {MAX_BODY:,} bytes")
        block = record.place.read()
        body = block
        if headers is None:
            headers, body = playable(*split_message(block)[1:])
        content_type = header(headers, "content-type")
        try:
            body = unpacked(body, header(headers, "content-encoding"))
        except UndecodableError as error:
            return Nothing(f"pages of which {error}")
        if not content_type and not _LOOKS_LIKE_HTML.search(body[:_SNIFFED]):
            return Nothing("responses that are not HTML")
        return self._read(url, self.decode(body, content_type))

    def _read(self, url: str, text: str) -> Recorded:
        seconds, target = get_meta_refresh(text, url, ignore_tags=("noscript",))
        if seconds is not None and target and seconds < _SOON and not _same(url, target):
            return Recorded(url, (OutLink(target, nofollow=False),), redirect=True)
        content = read_page(_tree(text), url, max_links=self.max_links)
        links = [OutLink(link.url, link.nofollow) for link in content.links]
        if content.refresh is not None and not _same(url, content.refresh[1]):
            links.append(OutLink(content.refresh[1], nofollow=False))
        most = self.max_url
        return Recorded(url, tuple(one for one in links if not most or len(one.url) <= most))


def _same(url: str, other: str) -> bool:
    """Whether a page that leads from one URL to the other leads to itself."""
    return canonical_url(url) == canonical_url(other)


def _is_html(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in _HTML


def _tree(text: str) -> object:
    """Parse a text as Scrapy's selectors do; None where there is nothing in it."""
    body = text.strip().replace("\0", "").encode("utf-8", "replace")
    if not is_tame(body):
        body = tamed(text.replace("\0", ""))[0].encode("utf-8", "replace")
    try:
        return etree.fromstring(body, parser=_PARSER) if body else None
    except etree.XMLSyntaxError:
        return None
