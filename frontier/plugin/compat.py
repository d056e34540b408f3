"""Differences between Scrapy 2.13 and 2.19, and all uses of private names of other packages."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import CancelledError
from twisted.internet.endpoints import HostnameEndpoint

from frontier.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

CANCELLED: tuple[type[Exception], ...] = (CancelledError,)
"""Raised for a body that is too large: there was a response."""
with suppress(ImportError):  # Scrapy 2.15
    from scrapy.exceptions import DownloadCancelledError

    CANCELLED = (CancelledError, DownloadCancelledError)
_later: Any = None
with suppress(ImportError):  # Scrapy 2.14
    from scrapy.utils.asyncio import call_later as _later


def runs_on_asyncio() -> bool:
    """Whether coroutines of asyncio can be awaited in a crawl."""
    try:
        from scrapy.utils.asyncio import is_asyncio_available  # Scrapy 2.14
    except ImportError:
        from scrapy.utils.reactor import is_asyncio_reactor_installed as is_asyncio_available
    return is_asyncio_available()


def spider_passed(spider: Spider | None) -> tuple[Spider, ...]:
    """The arguments of a middleware of Scrapy behind request and response.

    Scrapy 2.13 requires the spider; later versions warn of it.
    """
    return () if spider is None else (spider,)


async def download(crawler: Crawler, request: Request) -> Response:
    """Download outside the crawl: downloader middlewares and slots apply, the frontier does not."""
    engine: Any = crawler.engine
    if hasattr(engine, "download_async"):  # Scrapy 2.14
        response: Response = await engine.download_async(request)
        return response
    return await maybe_deferred_to_future(engine.download(request))


async def send_robots_parsed(crawler: Crawler, parser: object, request: Request) -> None:
    """Send the signal `robots_parsed`, if this version of Scrapy has it."""
    signal = getattr(signals, "robots_parsed", None)
    if signal is None:
        return
    about = {"signal": signal, "robotparser": parser, "request": request}
    if hasattr(crawler.signals, "send_catch_log_async"):  # Scrapy 2.14
        await crawler.signals.send_catch_log_async(**about)
    else:
        crawler.signals.send_catch_log(**about)


def close_spider(crawler: Crawler, reason: str) -> None:
    """Begin to close an open spider; before 2.14 `start()` cannot raise CloseSpider."""
    engine: Any = crawler.engine
    if engine.spider is None:
        return
    if hasattr(engine, "close_spider_async"):  # Scrapy 2.14
        deferred_from_coro(engine.close_spider_async(reason=reason))
    else:
        engine.close_spider(crawler.spider, reason)


def when_closing(crawler: Crawler, callback: Callable[[], None]) -> None:
    """Call `callback` when the spider begins to close, before Scrapy waits for requests in flight.

    No signal is sent then. `callback` may be called more than once.
    """
    engine: Any = crawler.engine
    # Scrapy 2.13 has only the latter.
    name = "close_spider_async" if hasattr(engine, "close_spider_async") else "close_spider"
    close = getattr(engine, name)

    def closing(*arguments: Any, **named: Any) -> Any:
        callback()
        return close(*arguments, **named)

    setattr(engine, name, closing)


def forget_in_flight(crawler: Crawler, which: Callable[[Request], bool] = lambda _: True) -> None:
    """Let a spider that is closing wait no longer for some of its requests.

    There is no public way; without the private one it closes when the last of them times out.
    """
    slot: Any = getattr(crawler.engine, "_slot", None)
    for request in list(getattr(slot, "inprogress", ())):
        if which(request):
            slot.remove_request(request)


def call_later(seconds: float, callback: Callable[[], None]) -> Any:
    """Call back on the crawl's own thread; the result has a `cancel` method.

    A StoreError is not reported again: `StorageErrors` has logged it.
    """

    def call() -> None:
        with suppress(StoreError):
            callback()

    if _later is None:
        from twisted.internet import reactor

        timer: Any = reactor
        return timer.callLater(seconds, call)
    return _later(seconds, call)


def follow_scraping(crawler: Crawler, token: str, done: Callable[[int], None]) -> None:
    """Call `done` when callback or errback of a request and all its items are through.

    `done` gets the value under `token` in the request's meta. No signal is sent then; without this
    the caller waits until its timeout.
    """
    engine: Any = crawler.engine
    scraper = engine.scraper
    scrape = scraper.enqueue_scrape

    def scraped(result: Any, number: int) -> Any:
        done(number)
        return result

    def enqueue_scrape(result: Any, request: Request, *arguments: Any) -> Any:
        number = request.meta.get(token)  # now: a callback may send the very same request again
        scraping = scrape(result, request, *arguments)
        return scraping if number is None else scraping.addBoth(scraped, number)

    scraper.enqueue_scrape = enqueue_scrape


def wake(crawler: Crawler) -> None:
    """Have the engine call the scheduler at once, not only every 5 seconds.

    There is no public way; without the private one the crawl is slower.
    """
    slot = getattr(crawler.engine, "_slot", None)
    nextcall = getattr(slot, "nextcall", None)
    if nextcall is not None:
        nextcall.schedule()


# -- download handlers: where their libraries open connections -------------------------------------


def pool_of(handler: Any) -> Any:
    """Return the connection pool of Scrapy's handler for HTTP/1.1 or HTTP/2."""
    return handler._pool


def close_idle_connections(handlers: Any) -> None:
    """Close the idle connections of Scrapy's HTTP/1.1 handlers, which are kept for 240 s."""
    for handler in list(getattr(handlers, "_handlers", {}).values()):
        pool: Any = getattr(handler, "_pool", None)
        if hasattr(pool, "closeCachedConnections"):
            pool.closeCachedConnections()


def connect_by(endpoint: Any, reactor: object) -> None:
    """Have an endpoint for a host name, with or without TLS, connect by another reactor.

    Raises TypeError for another kind of endpoint, whose connections are unknown.
    """
    direct = getattr(endpoint, "_wrappedEndpoint", endpoint)
    if not isinstance(direct, HostnameEndpoint):
        raise TypeError(f"expected an endpoint for a host name, got {endpoint!r}")
    direct._reactor = reactor


def make_sockets_by(handler: Any, factory: Callable[[tuple[Any, ...]], object]) -> None:
    """Have Scrapy's aiohttp handler make its sockets by a factory (`TCPConnector`)."""
    session = part_with("connector", handler)
    session.connector._socket_factory = factory


def open_streams_by(handler: Any, wrapped: Callable[[Any], object]) -> None:
    """Have Scrapy's httpx handler open its connections, but for those to a proxy, by a backend."""
    client = part_with("aclose", handler)
    pool = part_with("aclose", part_with("aclose", client))  # of its transport
    pool._network_backend = wrapped(pool._network_backend)


def part_with(name: str, whole: object) -> Any:
    """Return the one attribute of `whole` whose value has a public attribute `name`.

    Raises TypeError if there is none, or more than one.
    """
    parts = [part for part in vars(whole).values() if hasattr(part, name)]
    if len(parts) != 1:
        raise TypeError(f"expected one part of {whole!r} with {name}, got {len(parts)}")
    return parts[0]


_BROWSER_CONTEXTS = "_create_browser_context"


def makes_browser_contexts(handler: type[Any]) -> bool:
    """Whether `before_browser_contexts` knows how a handler class starts browsers."""
    return hasattr(handler, _BROWSER_CONTEXTS)


def before_browser_contexts(
    handler: Any, prepare: Callable[[dict[str, Any] | None], Awaitable[dict[str, Any] | None]]
) -> None:
    """Have scrapy-playwright's handler make its browser contexts with prepared options."""
    create = getattr(handler, _BROWSER_CONTEXTS)

    async def create_prepared(
        name: str, context_kwargs: dict[str, Any] | None, spider: object = None
    ) -> Any:
        options = await prepare(context_kwargs)
        return await create(name=name, context_kwargs=options, spider=spider)

    setattr(handler, _BROWSER_CONTEXTS, create_prepared)
