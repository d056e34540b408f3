"""Recorded responses, read as a Scrapy crawl would have read them; the links of WARC files.

Scrapy's own code chooses the class of a response, decodes its text and recognizes redirects, so
that the frontier reads the same from a recorded page as from a fetched one.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import scrapy
from scrapy.http import Headers, HtmlResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils.response import get_meta_refresh

from frontier.errors import PageError
from frontier.lab.replay.webfile import AnswerKind, Parsed
from frontier.plugin.crawl.bodies import readable
from frontier.plugin.crawl.page_reader import ResponseReader, declared_content
from frontier.urls.canonical import canonical_url
from frontier.urls.resolve import Resolver, located
from frontier.warc.payload import codings_of, header, unpacked
from frontier.web.recorded_web import RecordedWeb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from frontier.export.documents import Answer, TextSource
    from frontier.web.recorded_web import Recorded

logger = logging.getLogger(__name__)

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Statuses that Scrapy's RedirectMiddleware follows."""


def parser_of(settings: BaseSettings) -> tuple[Callable[[Recorded], Parsed], str]:
    """The parser of recorded responses, and a text that names its version and options."""
    reader = ResponseReader()
    max_url = settings.getint("URLLENGTH_LIMIT")
    soon = settings.getint("METAREFRESH_MAXDELAY")
    parse = partial(parse_recorded, reader=reader, max_url=max_url, soon=soon)
    return parse, f"{scrapy.__version__} {reader.limits} {max_url} {soon}"


def parse_recorded(recorded: Recorded, reader: ResponseReader, max_url: int, soon: int) -> Parsed:
    """Read a recorded response; never raises on its content.

    Links of at most `max_url` characters (0: any) are kept. A page that refreshes itself within
    `soon` seconds is a redirect.
    """
    if recorded.status >= 400:
        return Parsed(AnswerKind.FAILED, recorded.status)
    if recorded.status >= 300:
        return _redirect(recorded.url, recorded.status, header(recorded.headers, "location"))
    try:
        return _page(_response(recorded, reader.limits.body), reader, max_url, soon)
    except PageError:
        pass
    except Exception:  # of any parser
        logger.exception("%s is replayed as a page without content", recorded.url)
    return Parsed(AnswerKind.PAGE, recorded.status)


def _redirect(url: str, status: int, location: str) -> Parsed:
    target = located(url, _as_sent(location)) if location else None
    if target is None or status not in _REDIRECTS:
        return Parsed(AnswerKind.FAILED, status)
    return Parsed(AnswerKind.REDIRECT, status, location=target)


def _as_sent(value: str) -> bytes:
    """The bytes of a header value, however the reader of the recording has decoded them."""
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace")


def _response(recorded: Recorded, most: int) -> Response:
    headers = Headers()
    for name, value in recorded.headers:
        # As after Scrapy's HttpCompressionMiddleware, which has unpacked the body by then.
        if name.lower() != "content-encoding":
            headers.appendlist(name, value)
    body = unpacked(recorded.body, codings_of(recorded.headers), most)
    kind = responsetypes.from_args(headers=headers, url=recorded.url, body=body)
    return readable(kind(recorded.url, status=recorded.status, headers=headers, body=body))


def _page(response: Response, reader: ResponseReader, max_url: int, soon: int) -> Parsed:
    delay, target = _refresh(response)
    if delay is not None and delay < soon and target not in ("", response.url):
        return Parsed(AnswerKind.REDIRECT, response.status, location=target)
    content = declared_content(reader.read(response), response)
    links = [link for link in content.links if not max_url or len(link.url) <= max_url]
    if len(links) < len(content.links):
        content = replace(content, links=links)
    return Parsed(AnswerKind.PAGE, response.status, content)


def _refresh(response: Response) -> tuple[float | None, str]:
    """Delay and target of a meta refresh, as MetaRefreshMiddleware reads it."""
    if not isinstance(response, HtmlResponse):
        return None, ""
    try:
        delay, target = get_meta_refresh(response, ("noscript",))
    except ValueError:  # an invalid target or base
        return None, ""
    return delay, Resolver(response.url, None)(target or "") or ""


def texts_of_bodies(paths: Iterable[Path]) -> Callable[[str, bytes], str | None]:
    """Return a function: URL and 128-bit BLAKE2b of a body -> its text; None: not recorded so.

    Raises RecordingError for what is no WARC file.
    """
    reader = ResponseReader()
    web = RecordedWeb(paths, reader.limits.body, latest=True)

    def text_of(url: str, body_hash: bytes) -> str | None:
        recorded = web.find(url)
        if recorded is None:
            return None
        try:
            response = _response(recorded, reader.limits.body)
            if hashlib.blake2b(response.body, digest_size=16).digest() == body_hash:
                return declared_content(reader.read(response), response).text
        except PageError:
            pass
        return None

    return text_of


def recorded_links(
    web: RecordedWeb, parse: Callable[[Recorded], Parsed]
) -> Iterator[tuple[str, str, int]]:
    """Yield (source, target, weight) of the links of a recorded web, by canonical URL.

    A redirect is a link. Of several links to one URL there is one, of several spellings of a page
    the first counts; the weight is 0 where no link is followed (nofollow), else 1.
    """
    pages: set[str] = set()
    for url in web.urls():
        source = canonical_url(url)
        if source in pages:
            continue
        pages.add(source)
        parsed = parse(web.read(url))
        weights = {canonical_url(parsed.location): 1} if parsed.location else {}
        for link in parsed.content.links:
            target = canonical_url(link.url)
            weights[target] = max(weights.get(target, 0), int(not link.nofollow))
        weights.pop(source, None)
        for target, weight in weights.items():
            yield source, target, weight


def recorded_texts(paths: Iterable[Path]) -> TextSource:
    """Return the source of the texts of recorded answers; raises as `texts_of_bodies` does."""
    text_of = texts_of_bodies(paths)

    def texts(ids: Sequence[int], answers: Sequence[Answer]) -> dict[int, str]:
        read = {
            url_id: None if body_hash is None else text_of(url, body_hash)
            for url_id, (url, body_hash) in zip(ids, answers, strict=True)
        }
        return {url_id: text for url_id, text in read.items() if text is not None}

    return texts
