"""What the headers of a response say of its body, and of the page in it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy.http import Response, TextResponse
from scrapy.responsetypes import responsetypes
from w3lib.encoding import http_content_type_encoding

from frontier.pagerules.declared import with_headers
from frontier.parsing.charset import charset_of
from frontier.parsing.content import NOTHING, Link
from frontier.parsing.content_type import is_listed, media_type

if TYPE_CHECKING:
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
