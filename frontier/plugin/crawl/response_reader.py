"""From a response to what its page and its headers say, by the reader that keeps its bounds."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from scrapy.responsetypes import responsetypes
from w3lib.encoding import http_content_type_encoding

from frontier.pagerules.declared import with_headers
from frontier.parsing.charset import charset_of
from frontier.parsing.content import NOTHING, Link
from frontier.parsing.content_type import is_listed, media_type
from frontier.parsing.reader import PageReader, ReadingLimits
from frontier.parsing.slow_hosts import of_few_hosts

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.pagerules.policy import PagePolicy
    from frontier.parsing.content import PageContent
    from frontier.states import Mark

_MARKS = (b"\xef", b"\xff", b"\xfe", b"\0")
"""With which a byte order mark may begin, which stands above the header."""

CUT_FLAGS = {
    "dataloss": "the connection was closed before its end",
    "download_stopped": "its download was stopped",
}
"""Scrapy's flags of a body that is not whole, and the reason that is kept with the page."""


def header_marks(response: Response, policy: PagePolicy) -> Mark:
    """What the headers of a response ask of crawlers, whatever is in its body."""
    return policy.ruling(declared_content(NOTHING, response), time.time()).marks


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


_ASCII = {"ascii", "utf-8", "cp1252"}
"""Charsets in which plain bytes are the same text."""
MANY_HOSTS = "too many hosts on a page"
"""Why a link is refused that leads to one more host than `ReadingLimits.hosts`."""


def _ignore(reason: str, url: str) -> None:
    """Refuse in silence: nobody is told where no crawl keeps count."""


class ResponseReader:
    """Reads responses within bounds; what callbacks get is as it was."""

    def __init__(
        self, refuse: Callable[[str, str], None] = _ignore, limits: ReadingLimits | None = None
    ) -> None:
        """`refuse` is called with a reason and the URL of each link that is left out for it."""
        self.limits = limits or ReadingLimits()
        self._reader = PageReader(self.limits)
        self._refuse = refuse

    def read(self, response: Response) -> PageContent:
        """Read a response; raises PageError for a text that is none or costs too much."""
        is_long = len(response.body) > self.limits.body
        beginning = response
        if is_long:
            beginning = response.replace(body=response.body[: self.limits.body])
        written = in_charset(beginning)
        if not isinstance(written, TextResponse):
            return NOTHING
        content = self._read(written, _parsed_once(beginning, written))
        if is_long:
            content = replace(content, truncated=True)
        if len(content.links) <= self.limits.hosts:
            return content
        refuse = partial(self._refuse, MANY_HOSTS)
        return replace(content, links=of_few_hosts(content.links, self.limits.hosts, refuse))

    def close(self) -> None:
        """End what was started for reading."""
        self._reader.close()

    def _read(self, response: TextResponse, parsed: TextResponse) -> PageContent:
        body, charset, url = response.body, response.encoding, response.url
        if isinstance(response, HtmlResponse):

            def tree() -> Any:
                return parsed.selector.root

            return self._reader.html(body, charset, url, tree)
        if isinstance(response, XmlResponse):
            # What is a page in it is read as one; an XML parser would stop at its first mistake.
            return self._reader.markup(body, charset, url)
        return self._reader.text(body, charset)


def _parsed_once(given: Response, written: TextResponse) -> TextResponse:
    """The response whose tree is read: the callback's own, where that is read as it is written."""
    if type(given) is not type(written):
        return written
    same = given.encoding == written.encoding or (
        {given.encoding, written.encoding} <= _ASCII and given.body.isascii()
    )
    return given if same else written
