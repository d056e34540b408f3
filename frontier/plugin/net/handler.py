"""Scrapy's download handler for http and https, guarded.

Scrapy's own makes the requests, sends the signals and builds the responses; it is given a pool of
guarded connections and a policy for certificates, and each of its downloads a `DownloadState`. The
limits on time and size are Scrapy's, as are its errors where they are exceeded. With
FRONTIER_MEND_PAGES the body of a page is cut there instead, so that what came is not lost. A limit
that a request or a spider sets for its size keeps Scrapy's meaning, and so do all limits for what
others download: images, files, whatever a callback fetches by itself.
"""

from __future__ import annotations

import inspect
import logging
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached

from frontier.plugin.net.download_state import CUT_AT, TRUNCATED, DownloadState, page_watch
from frontier.plugin.net.faults import AddressRefusedError, AnswerCutError, fault_of, tell_briefly
from frontier.plugin.net.pool import GuardedPool
from frontier.plugin.net.tls import CertificatePolicy
from frontier.plugin.settings.limits import allowed_networks
from frontier.plugin.throttle.machine import machine_of
from frontier.urls.addresses import AddressGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_NO_TIMEOUT = 10.0
"""Seconds that Scrapy gives a download where DOWNLOAD_TIMEOUT is 0."""
_MAXSIZE = "download_maxsize"
"""Key of `request.meta`, and attribute of spiders."""
_BROKEN_OFF = "the connection was closed before its end"
_DATALOSS = "dataloss"
"""Scrapy's flag of a body that is shorter than it was announced."""


class _Installed:
    """Guards a handler once it is made, however a project's class makes it; goes before all."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        handler: Any = super().from_crawler(crawler)  # type: ignore[misc]  # of the other base
        handler._install(crawler)
        return handler  # type: ignore[no-any-return]  # see above


class _Guard:
    """What both kinds of guarded handlers have in common; goes before Scrapy's handler."""

    _pool: Any
    _contextFactory: Any
    _default_maxsize: int

    def _install(self, crawler: Crawler) -> None:
        from twisted.internet import reactor

        settings = crawler.settings
        self._crawler = crawler
        self._addresses = AddressGuard(allowed_networks(settings))
        self._seconds = settings.getfloat("DOWNLOAD_TIMEOUT") or _NO_TIMEOUT
        self._retries = settings.getbool("RETRY_ENABLED") and settings.getint("RETRY_TIMES") > 0
        self._mends = settings.getbool("FRONTIER_MEND_PAGES")
        self._told = False
        tell_briefly(crawler)
        pool = GuardedPool(reactor, self._addresses)
        pool.maxPersistentPerHost = self._pool.maxPersistentPerHost
        machine_of(crawler).when_short.append(pool.give_back)
        self._pool = pool
        if type(self._contextFactory).__name__.endswith("ScrapyClientContextFactory"):
            verify = settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
            self._contextFactory = CertificatePolicy(self._contextFactory, verify)

    async def _watched(self, request: Request, download: Callable[[], Any]) -> Response:
        from twisted.internet import reactor

        timer: Any = reactor
        self._refuse(request)
        watch = self._watch_for(request)
        ending = timer.callLater(watch.patience, watch.expire) if watch.cuts else None
        self._pool.announce(watch)  # the handler asks for a connection before it waits
        try:
            with _without_maxsize(request, watch):
                response = await download()
        except Exception as error:
            fault = fault_of(error, watch)
            self._tell(fault)
            if fault is error:
                raise
            raise fault from None
        finally:
            watch.parser = None
            if ending is not None and ending.active():
                ending.cancel()
        return self._finish(request, response, watch)

    def _refuse(self, request: Request) -> None:
        """What an address says of itself needs no connection, and behind a proxy there is none."""
        refused = self._addresses.refusal(urlparse_cached(request).hostname or "")
        if refused is not None:
            fault = AddressRefusedError(refused)
            self._tell(fault)
            raise fault

    def _tell(self, fault: Exception) -> None:
        """Say once a crawl that addresses are refused: Scrapy is silent on such errors."""
        if isinstance(fault, AddressRefusedError) and not self._told:
            self._told = True
            logger.warning("%s; further ones are not logged", fault)

    def _watch_for(self, request: Request) -> DownloadState:
        page = page_watch(request)
        watch = page or DownloadState()
        watch.began = time.monotonic()
        watch.seconds = float(request.meta.get("download_timeout") or self._seconds)
        own = request.meta.get(CUT_AT)
        watch.cuts = own is not None or (self._mends and page is not None)
        if watch.cuts:
            watch.limit = self._limit(request) if own is None else own
        return watch

    def _limit(self, request: Request) -> int:
        limited = _MAXSIZE in request.meta or hasattr(self._crawler.spider, _MAXSIZE)
        return 0 if limited else self._default_maxsize

    def _finish(self, request: Request, response: Response, watch: DownloadState) -> Response:
        if watch.cuts and _DATALOSS in response.flags:
            if self._may_retry(request):
                raise AnswerCutError(_BROKEN_OFF)
            watch.cut = _BROKEN_OFF
        if watch.cut is not None:
            response.flags.append(TRUNCATED + watch.cut)
        return response

    def _may_retry(self, request: Request) -> bool:
        # Once: a server whose lengths are wrong will not count better the third time.
        first = not request.meta.get("retry_times")
        return self._retries and first and not request.meta.get("dont_retry")


@contextmanager
def _without_maxsize(request: Request, watch: DownloadState) -> Iterator[None]:
    """Have Scrapy set no limit on the size of a body that is cut at ours."""
    if not watch.limit:
        yield
        return
    before = {_MAXSIZE: request.meta[_MAXSIZE]} if _MAXSIZE in request.meta else {}
    request.meta[_MAXSIZE] = 0
    try:
        yield
    finally:
        del request.meta[_MAXSIZE]
        request.meta.update(before)


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


def guarded(base: type[Any], *before: type[Any]) -> type[Any]:
    """A guarded subclass of a project's subclass of Scrapy's HTTP11DownloadHandler.

    The guard stands right above Scrapy's class, so that it sees what a project's class hands on to
    that, and when; what the class does otherwise it does not see. `before` goes above the class.
    """
    if issubclass(base, _Guard):
        return base
    bases = (*before, _Installed, base, _Guarded)
    return type(f"Guarded{base.__name__}", bases, {"__module__": __name__})


_KIND: type[_Guard] = (
    _CoroutineGuard
    if inspect.iscoroutinefunction(HTTP11DownloadHandler.download_request)
    else _DeferredGuard
)
_Guarded = type("_Guarded", (_KIND, HTTP11DownloadHandler), {"__module__": __name__})
GuardedHandler = type("GuardedHandler", (_Installed, _Guarded), {"__module__": __name__})
