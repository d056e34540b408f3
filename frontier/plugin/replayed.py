"""Recorded responses as a Scrapy crawl would have read them: what the lab parses a web with.

Which class a response has, how its text is decoded and what counts as a redirect are Scrapy's own
code here, so that a replayed page says to the frontier what a fetched one would.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import scrapy
from scrapy.http import Headers, HtmlResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils.response import get_meta_refresh

from frontier.errors import PageError
from frontier.lab.payload import header
from frontier.lab.recorded_urls import join_url
from frontier.lab.replay.web import Kind
from frontier.lab.replay.webwriter import Parsed
from frontier.linkfiles.decoding import UndecodableError, unpacked
from frontier.plugin.bodies import in_charset
from frontier.plugin.reading import ResponseReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from frontier.lab.recording import Recorded

logger = logging.getLogger(__name__)

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""As Scrapy's RedirectMiddleware has it."""


def parser_of(settings: BaseSettings) -> tuple[Callable[[Recorded], Parsed], str]:
    """What reads recorded responses, and a text that says how, for the name of the result."""
    reader = ResponseReader(settings)
    max_url = settings.getint("URLLENGTH_LIMIT")
    soon = settings.getint("METAREFRESH_MAXDELAY")
    parse = partial(parse_recorded, reader=reader, max_url=max_url, soon=soon)
    code = blake2b(Path(__file__).read_bytes(), digest_size=8).hexdigest()
    return parse, f"{scrapy.__version__} {code} {reader.limits} {max_url} {soon}"


def parse_recorded(recorded: Recorded, reader: ResponseReader, max_url: int, soon: int) -> Parsed:
    """Read one recorded response; never raises on what it holds.

    Links of at most `max_url` characters (0: any) are kept. A page that refreshes itself within
    `soon` seconds is a redirect.
    """
    length = len(recorded.body)
    if recorded.status >= 400:
        return Parsed(Kind.FAILED, recorded.status, length=length)
    if recorded.status >= 300:
        return _redirect(recorded.url, recorded.status, header(recorded.headers, "location"))
    try:
        return _page(_response(recorded), reader, max_url, soon, length)
    except (UndecodableError, PageError):
        return Parsed(Kind.PAGE, recorded.status, length=length)
    except Exception:  # parsers of others
        logger.exception("%s is replayed as a page without content", recorded.url)
        return Parsed(Kind.PAGE, recorded.status, length=length)


def _redirect(url: str, status: int, location: str) -> Parsed:
    target = join_url(url, location) if location and status in _REDIRECTS else ""
    if not target.lower().startswith(("http://", "https://")):
        return Parsed(Kind.FAILED, status)
    return Parsed(Kind.REDIRECT, status, location=target)


def _response(recorded: Recorded) -> Response:
    headers = Headers()
    for name, value in recorded.headers:
        # As Scrapy's HttpCompressionMiddleware leaves them, which has unpacked the body by then.
        if name.lower() != "content-encoding":
            headers.appendlist(name, value)
    body = unpacked(recorded.body, header(recorded.headers, "content-encoding"))
    kind = responsetypes.from_args(headers=headers, url=recorded.url, body=body)
    return in_charset(kind(recorded.url, status=recorded.status, headers=headers, body=body))


def _page(
    response: Response, reader: ResponseReader, max_url: int, soon: int, length: int
) -> Parsed:
    if isinstance(response, HtmlResponse):
        seconds, target = get_meta_refresh(response, ignore_tags=("noscript",))
        if seconds is not None and target and seconds < soon:
            found = _redirect(response.url, 301, target)
            return Parsed(found.kind, response.status, location=found.location)
    content = reader.read(response)
    links = [one for one in content.links if not max_url or len(one.url) <= max_url]
    if len(links) < len(content.links):
        content = replace(content, links=links)
    return Parsed(Kind.PAGE, response.status, content, length=length)
