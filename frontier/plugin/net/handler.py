"""Scrapy's download handler for http and https, guarded.

Scrapy's own makes the requests, sends the signals and builds the responses; it is given a pool of
guarded connections and a policy for certificates, and each of its downloads a `Watch`. A project's
subclass of it is guarded in the same way.

The time limit, DOWNLOAD_TIMEOUT, is Scrapy's: from here to the last byte, whatever drips in
between. A moment before it is over the `Watch` ends a body that is still coming, so that what came
is not lost; nothing else has to be told apart by time.

The limit on size, DOWNLOAD_MAXSIZE, is ours: the body is cut there, not given up, since the
beginning of a long page links to as much as a short page. A limit that a request or a spider sets
for itself keeps Scrapy's meaning: what is larger fails.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached

from frontier.addresses import AddressGuard
from frontier.plugin.net.faults import AddressRefusedError, AnswerLostError, fault_of
from frontier.plugin.net.install import allowed_networks
from frontier.plugin.net.pool import GuardedPool
from frontier.plugin.net.tls import CertificatePolicy
from frontier.plugin.net.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred
    from typing_extensions import Self

_BEFORE_SCRAPY = 0.99
"""Share of the time limit after which a body is cut."""
_BROKEN_OFF = "the connection was closed before its end"
_DATALOSS = "dataloss"
"""Scrapy's flag of a body that is shorter than it was announced."""


class _Guard:
    """What both kinds of guarded handlers have in common; goes before Scrapy's handler."""

    _pool: Any
    _contextFactory: Any
    _default_maxsize: int

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        handler: Any = super().from_crawler(crawler)  # type: ignore[misc]  # of the other base
        handler._install(crawler)
        return handler  # type: ignore[no-any-return]  # see above

    def _install(self, crawler: Crawler) -> None:
        from twisted.internet import reactor

        settings = crawler.settings
        self._addresses = AddressGuard(allowed_networks(settings))
        self._seconds = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._retries = settings.getbool("RETRY_ENABLED") and settings.getint("RETRY_TIMES") > 0
        self._limit, self._default_maxsize = self._default_maxsize, 0
        pool = GuardedPool(reactor, self._addresses)
        pool.maxPersistentPerHost = self._pool.maxPersistentPerHost
        self._pool = pool
        if type(self._contextFactory).__name__.endswith("ScrapyClientContextFactory"):
            verify = settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
            self._contextFactory = CertificatePolicy(self._contextFactory, verify)

    async def _watched(self, request: Request, download: Callable[[], Any]) -> Response:
        from twisted.internet import reactor

        timer: Any = reactor
        self._refuse(request)
        watch = self._watch_for(request)
        ending = timer.callLater(_BEFORE_SCRAPY * watch.seconds, watch.expire)
        self._pool.announce(watch)  # the handler asks for a connection before it waits
        try:
            response = await download()
        except Exception as error:
            fault = fault_of(error, watch)
            if fault is error:
                raise
            raise fault from error
        finally:
            watch.parser = None
            if ending.active():
                ending.cancel()
        return self._finish(request, response, watch)

    def _refuse(self, request: Request) -> None:
        """What an address says of itself needs no connection, and behind a proxy there is none."""
        refused = self._addresses.refusal(urlparse_cached(request).hostname or "")
        if refused is not None:
            raise AddressRefusedError(refused)

    def _watch_for(self, request: Request) -> Watch:
        seconds = request.meta.get("download_timeout") or self._seconds
        limit = 0 if "download_maxsize" in request.meta else self._limit
        return Watch(limit, float(seconds))

    def _finish(self, request: Request, response: Response, watch: Watch) -> Response:
        if _DATALOSS in response.flags:
            if self._may_retry(request):
                raise AnswerLostError(_BROKEN_OFF)
            watch.cut = _BROKEN_OFF
        return watch.finish(response)

    def _may_retry(self, request: Request) -> bool:
        # Once: a server whose lengths are wrong will not count better the third time.
        first = not request.meta.get("retry_times")
        return self._retries and first and not request.meta.get("dont_retry")


class _CoroutineGuard(_Guard):
    """Scrapy 2.14 and newer: `download_request` is a coroutine function."""

    async def download_request(self, request: Request) -> Response:
        download: Any = super()
        return await self._watched(request, lambda: download.download_request(request))


class _DeferredGuard(_Guard):
    """Scrapy 2.13: `download_request` returns a Deferred."""

    def download_request(self, request: Request, spider: Spider) -> Deferred[Response]:
        base: Any = super()

        def download() -> Any:
            return maybe_deferred_to_future(base.download_request(request, spider))

        return deferred_from_coro(self._watched(request, download))


def guarded(base: type[Any]) -> type[Any]:
    """A guarded subclass of Scrapy's HTTP11DownloadHandler, or of a project's subclass of it."""
    if issubclass(base, _Guard):
        return base
    is_coroutine = inspect.iscoroutinefunction(base.download_request)
    guard = _CoroutineGuard if is_coroutine else _DeferredGuard
    return type(f"Guarded{base.__name__}", (guard, base), {"__module__": __name__})


GuardedHandler = guarded(HTTP11DownloadHandler)
