"""The few places where Scrapy 2.13 to 2.19 differ, or where only a private name will do."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from frontier.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response, TextResponse


async def download(crawler: Crawler, request: Request) -> Response:
    """Download outside the crawl: downloader middlewares and slots apply, the frontier does not."""
    engine: Any = crawler.engine
    if hasattr(engine, "download_async"):  # Scrapy 2.14
        response: Response = await engine.download_async(request)
        return response
    return await maybe_deferred_to_future(engine.download(request))


def close_spider(crawler: Crawler, reason: str) -> None:
    """Begin to close a spider that is open; before 2.14 CloseSpider means nothing to `start()`."""
    engine: Any = crawler.engine
    if engine.spider is None:
        return
    if hasattr(engine, "close_spider_async"):  # Scrapy 2.14
        deferred_from_coro(engine.close_spider_async(reason=reason))
    else:
        engine.close_spider(crawler.spider, reason)


def when_closing(crawler: Crawler, callback: Callable[[], None]) -> None:
    """Have `callback` called when the spider begins to close, before Scrapy waits for what is in
    flight: no signal says that. It may be called more than once.
    """
    engine: Any = crawler.engine
    # Up to Scrapy 2.13 the one, later the other.
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

    A failure of the store is not reported once more: `StorageErrors` was told before.
    """

    def call() -> None:
        with suppress(StoreError):
            callback()

    try:
        from scrapy.utils.asyncio import call_later as later  # Scrapy 2.14
    except ImportError:
        from twisted.internet import reactor

        timer: Any = reactor
        return timer.callLater(seconds, call)
    return later(seconds, call)


def follow_scraping(crawler: Crawler, token: str, done: Callable[[int], None]) -> None:
    """Have `done` called with what requests have under `token` in their meta, when all is done
    that was made of their response or failure: callback or errback, and its items.

    No signal says that; without it the caller waits until its patience is over.
    """
    engine: Any = crawler.engine
    scraper = engine.scraper
    scrape = scraper.enqueue_scrape

    def told(result: Any, number: int) -> Any:
        done(number)
        return result

    def enqueue_scrape(result: Any, request: Request, *arguments: Any) -> Any:
        number = request.meta.get(token)  # now: a callback may send the very same request again
        scraping = scrape(result, request, *arguments)
        return scraping if number is None else scraping.addBoth(told, number)

    scraper.enqueue_scrape = enqueue_scrape


def wake(crawler: Crawler) -> None:
    """Have the engine ask the scheduler again at once; it would by itself every 5 seconds.

    There is no public way; without the private one the crawl is only slower.
    """
    slot = getattr(crawler.engine, "_slot", None)
    nextcall = getattr(slot, "nextcall", None)
    if nextcall is not None:
        nextcall.schedule()


def give_selector(response: TextResponse, other: TextResponse) -> None:
    """Make `response.selector`, which is parsed when it is first used, that of another response."""
    # There is no public way; it has been kept there since Scrapy 1.0.
    response._cached_selector = other.selector


def part_from_selector(response: Response) -> None:
    """Let a response go once nobody uses it: its selector and it hold each other.

    Until a garbage collection finds such pairs, a hundred parsed pages wait for it. A selector that
    is asked for once more is made once more.
    """
    selector = getattr(response, "_cached_selector", None)
    if selector is not None and selector.response is response:
        response._cached_selector = None
