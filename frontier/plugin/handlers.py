"""Scrapy's download handlers behind `Wire`: nothing reaches the network but through it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from frontier.plugin.net.watch import watch_page
from frontier.plugin.session import session_of
from frontier.plugin.wire import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred


class PoliteHandlers:
    """Stands in for the downloader's `handlers`, whatever they are."""

    def __init__(self, handlers: Any, crawler: Crawler) -> None:
        self._handlers = handlers
        self._crawler = crawler

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handlers, name)

    async def download_request_async(self, request: Request) -> Response:
        """Download in turn; what Scrapy calls from 2.14 on."""
        return await self._in_turn(request, lambda: self._handlers.download_request_async(request))

    def download_request(self, request: Request, spider: Spider) -> Deferred[Response]:
        """Download in turn; what Scrapy 2.13 calls."""
        return deferred_from_coro(
            self._in_turn(
                request,
                lambda: maybe_deferred_to_future(self._handlers.download_request(request, spider)),
            )
        )

    async def _in_turn(
        self, request: Request, fetch: Callable[[], Awaitable[Response]]
    ) -> Response:
        if not request.url.startswith(("http://", "https://")):
            return await fetch()
        session = session_of(self._crawler)
        patience = PATIENCE
        lease = session.in_flight(request)
        if lease is not None:
            # Only a page of the frontier can be put back into a queue.
            patience = session.gate.patience
            lease.watch = watch_page(request)
        return await session.wire.download(request, fetch, patience)
