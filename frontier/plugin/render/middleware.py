"""FRONTIER_RENDER: pages of the frontier, shown in a browser before anybody reads them.

A page is downloaded as ever: by the project's handler, in its host's turn, with its robots.txt and
redirects. `frontier.render.policy` decides whether it is worth a browser. If so, this middleware
shows it, in another turn of its host, and passes on what the browser made of it: for the spider,
the topic and the order there is one page, the rendered one. A revisit is shown only if the page was
shown before, and its document has changed since. An address that scripts send the browser to
becomes a meta refresh, which the project follows as it follows any: with robots.txt, and so many
times. A page that cannot be shown, or gains nothing, stays as it was downloaded.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from html import escape
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.http import HtmlResponse
from scrapy.utils.response import get_meta_refresh

from frontier.backend.revisits.results import UNMODIFIED
from frontier.errors import BrowserError, SettingsError
from frontier.plugin import compat
from frontier.plugin.crawl.bodies import readable
from frontier.plugin.crawl.gate import NotYet
from frontier.plugin.crawl.in_flight import SAME_DOCUMENT
from frontier.plugin.crawl.open_page import RENDERED_FLAG
from frontier.plugin.crawl.session import session_of
from frontier.plugin.failures import fail_at_end
from frontier.plugin.net.browser import AddressProxy, proxy_options, routed
from frontier.plugin.net.guard import download_check_of
from frontier.plugin.settings import value
from frontier.render import ALL
from frontier.render.policy import RenderPolicy
from frontier.render.signs import content_of
from ranking.errors import MissingExtraError

try:
    from frontier.plugin.render.browser import ARGUMENTS, Browsers, launched
    from frontier.plugin.render.tab import Document, RenderError
except ImportError as missing:
    raise MissingExtraError("playwright", "FRONTIER_RENDER", "browser") from missing

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from frontier.plugin.crawl.in_flight import Flight
    from frontier.plugin.render.tab import Rendered
    from frontier.render.policy import Decision

logger = logging.getLogger(__name__)

CHOSEN = "playwright"
"""Key of `request.meta`: with it, a project says itself whether a browser shows a page."""
FAILED = "browser_failed"
"""Scrapy's `finish_reason` of a crawl whose pages are to be shown, and that has no browser."""
_NOT_SENT = frozenset(("content-encoding", "content-length", "transfer-encoding", "connection"))
"""Headers of a body as it came over the wire."""


class RenderMiddleware:
    """Shows the pages of the frontier in a browser."""

    def __init__(self, crawler: Crawler, browsers: Browsers) -> None:
        self._crawler = crawler
        self._session = session_of(crawler)
        self._browsers = browsers
        self._way = value(crawler.settings, "FRONTIER_RENDER")
        self._policy = RenderPolicy(self._way, focused=self._session.config.focused)
        self._policy.restore(self._session.frontier.notes.renderings())
        self._has_browser = True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not compat.runs_on_asyncio():
            raise SettingsError(
                "FRONTIER_RENDER needs the asyncio reactor: leave TWISTED_REACTOR out, or set it "
                "to twisted.internet.asyncioreactor.AsyncioSelectorReactor"
            )
        check = download_check_of(crawler)
        proxy = AddressProxy(check.guard, check.refused_in_browsers)
        options = launch_options(crawler, proxy.url)

        async def launch() -> Any:
            await proxy.serve()
            return await launched(options)

        async def close() -> None:
            await browsers.close()
            proxy.close()

        stats: Any = crawler.stats
        browsers = Browsers(launch, lambda: stats.inc_value("frontier/render/browsers"))
        crawler.signals.connect(close, signals.engine_stopped, weak=False)
        return cls(crawler, browsers)

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return the page as a browser shows it."""
        flight = self._session.flights.unanswered(request)
        if flight is None:
            return response
        response = readable(response)
        if not may_be_shown(request, response):
            return response
        assert isinstance(response, HtmlResponse)
        lease = flight.lease
        plain = self._policy.plain_hash(lease.url_id) if lease.revisit else None
        if plain == hash_of(response) and not lease.whole:
            self._count("unchanged", 1)
            return response.replace(status=UNMODIFIED, flags=[*response.flags, SAME_DOCUMENT])
        if lease.revisit and plain is None and not self._session.frontier.leaves_open:
            return response
        root, anchor = root_of(response), lease.anchor or ""
        decision = self._policy.decide(root, response.url, anchor, lease.priority)
        if self._has_browser and (decision.shown or plain is not None):
            return await self._in_turn(flight, decision, response)
        return self._left(flight, decision, response)

    async def _in_turn(
        self, flight: Flight, decision: Decision, response: HtmlResponse
    ) -> Request | Response:
        async def show() -> Response:
            return await self._shown(flight, decision, response)

        try:
            return await self._session.gate.download(flight.request, show)
        except NotYet as later:
            self._session.politeness.postpone(later.slot, later.seconds, later.reason)
            return _again(flight)
        except RenderError as error:
            logger.info("Not rendered, and used as downloaded: %s", error)
            self._count("failed", 1)
        except BrowserError as error:
            if self._give_up(error):
                return _again(flight)
        return self._left(flight, decision, response)

    def _give_up(self, error: BrowserError) -> bool:
        """Go on without a browser, or end a crawl whose pages are all to be shown: True."""
        ends = bool(self._way == ALL)
        if self._has_browser and not self._session.closing:
            what = "the crawl ends" if ends else "pages are used as they are downloaded"
            logger.error("FRONTIER_RENDER cannot show pages, %s: %s", what, error)
            if ends:
                fail_at_end(self._crawler)
                compat.close_spider(self._crawler, FAILED)
        self._has_browser = ends
        return ends

    def _left(self, flight: Flight, decision: Decision, response: HtmlResponse) -> Response:
        """Use a page as it was downloaded, and what its JSON has."""
        note, flight.in_json = self._policy.left(decision), decision.signs.in_json
        flight.rendering = None if note is None else json.dumps(note)
        self._count("from_json", int(flight.in_json is not None))
        return response

    async def _shown(self, flight: Flight, decision: Decision, response: HtmlResponse) -> Response:
        began = time.monotonic()
        rendered = await self._browsers.show(document_of(flight.request, response))
        shown = shown_response(response, rendered)
        spent = {"seconds": round(time.monotonic() - began, 2), "bytes": rendered.received}
        counts = {"pages": 1, "requests": rendered.requests, "blocked": rendered.blocked, **spent}
        if rendered.moved_to is None:
            content = content_of(root_of(shown), shown.url)
            note = self._policy.learn(decision, content, {**spent, "failed": rendered.failed})
            counts |= {"links": note["links"], "words": note["words"]}
            if self._way == ALL or note["gain"]:
                note["plain"] = hash_of(response)
            else:
                shown, flight.in_json = response, decision.signs.in_json
            flight.rendering = json.dumps(note)
            self._policy.keep(flight.lease.url_id, note.get("plain"))
        for name, amount in counts.items():
            self._count(name, amount)
        return shown

    def _count(self, name: str, amount: float) -> None:
        if amount:
            stats: Any = self._crawler.stats
            stats.inc_value(f"frontier/render/{name}", amount)


def launch_options(crawler: Crawler, proxy: str) -> dict[str, Any]:
    """How a browser is started: as the project says, through the proxy, in its sandbox."""
    own = crawler.settings.getdict("PLAYWRIGHT_LAUNCH_OPTIONS")
    options = {"chromium_sandbox": True, **own, "args": [*ARGUMENTS, *(own.get("args") or ())]}
    return routed(options, proxy_options(proxy))


def may_be_shown(request: Request, response: Response) -> bool:
    """Whether a browser would show the page of a response, and may: a project can choose."""
    return (
        isinstance(response, HtmlResponse)
        and response.status < 300
        and request.method == "GET"
        and CHOSEN not in request.meta
        and get_meta_refresh(response)[1] is None
    )


def document_of(request: Request, response: HtmlResponse) -> Document:
    """The page for the browser, which speaks as the crawl does."""
    headers = {
        name.lower(): "\n".join(value.decode("latin-1") for value in values)
        for name, values in _decoded(response)
        if name.lower() not in _NOT_SENT
    }
    headers["content-type"] = f"text/html; charset={response.encoding}"
    agent, cookies = request.headers.get("User-Agent"), request.headers.get("Cookie") or b""
    pairs = (pair.strip().partition("=") for pair in cookies.decode("latin-1").split(";"))
    return Document(
        response.url,
        response.status,
        headers,
        response.body,
        None if agent is None else agent.decode("latin-1"),
        {name: value for name, _, value in pairs if name},
    )


def _decoded(response: Response) -> list[tuple[str, list[bytes]]]:
    return [(name.decode("latin-1"), list(values)) for name, values in response.headers.items()]


def root_of(response: HtmlResponse) -> Any:
    """Root element of a document; None for a document that is empty, or that no parser takes."""
    try:
        return response.selector.root
    except Exception:
        logger.debug("Cannot parse %s", response, exc_info=True)
        return None


def hash_of(response: Response) -> str:
    """Hash of a document, by which a revisit knows it again."""
    return hashlib.blake2b(response.body, digest_size=16).hexdigest()


def shown_response(response: HtmlResponse, rendered: Rendered) -> HtmlResponse:
    """The response with what the browser made of it."""
    html, flags = rendered.html, [*response.flags, RENDERED_FLAG]
    if rendered.moved_to is not None:
        target = escape(rendered.moved_to, quote=True)
        html = f'<html><head><meta http-equiv="refresh" content="0;url={target}"></head></html>'
    elif rendered.cut:
        flags.append("rendered_part")
    return response.replace(body=html.encode("utf-8", "replace"), encoding="utf-8", flags=flags)


def _again(flight: Flight) -> Request:
    """The request, to be queued again as if it had not been leased."""
    flight.postponed = True
    return flight.request
