"""Projects with parts of their own: middlewares, pipelines, signals, dupefilters, settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scrapy
from conftest import Judge
from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.core.downloader import Downloader
from scrapy.dupefilters import RFPDupeFilter
from scrapy.exceptions import DontCloseSpider, DropItem, IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.utils.request import RequestFingerprinter

from tests.strangers.stranger import Stranger
from tests.support.sites import links

WEB = {
    "/": links("/a", "/b", "/c", "/d"),
    "/a": links("/e", "/b"),
    "/b": links("/a", "/f"),
    "/c": links("/d"),
    **{f"/{one}": links(text=one) for one in "defgh"},
}


class Downloads:
    """Answers, replaces, refuses and breaks requests."""

    def process_request(self, request: Any, spider: Any = None) -> Any:
        if request.url.endswith("/a"):
            body = b'<a href="/made-up">x</a><a href="/g">x</a>'
            return HtmlResponse(request.url, body=body, encoding="utf-8", request=request)
        if request.url.endswith("/made-up"):
            return request.replace(url=request.url.replace("made-up", "h"))
        if request.url.endswith("/c"):
            raise IgnoreRequest("not this one")
        return None

    def process_response(self, request: Any, response: Any, spider: Any = None) -> Any:
        if response.url.endswith("/d") and "again" not in request.flags:
            return request.replace(flags=["again"], dont_filter=True)
        if response.url.endswith("/e"):
            raise ValueError("a bug")
        return response.replace(flags=[*response.flags, "seen"])

    def process_exception(self, request: Any, exception: Exception, spider: Any = None) -> Any:
        if request.url.endswith(":9/"):
            return HtmlResponse(request.url, body=b"rescued", request=request)
        return None


class DownloaderMiddleware(Stranger):
    """A downloader middleware answers, replaces, refuses, repeats and rescues."""

    web = WEB
    custom_settings = {"DOWNLOADER_MIDDLEWARES": {Downloads: 543}}

    async def start(self) -> Any:
        yield self.get("/", priority=9)
        yield scrapy.Request("http://127.0.0.1:9/")

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "flags": response.flags, "size": len(response.body)}
        for link in response.css("a"):
            yield response.follow(link, errback=self.failed)


class AsksForTheSpider(Downloader):
    """A downloader of a project that is older than Scrapy 2.14."""

    def fetch(self, request: Any, spider: Any) -> Any:
        spider.crawler.stats.inc_value("item_fetches")
        return super().fetch(request, *((spider,) if scrapy.version_info < (2, 14) else ()))


class OwnDownloader(Stranger):
    """A downloader of the project's own, whose `fetch` asks for the spider, is given it."""

    web = WEB
    custom_settings = {"DOWNLOADER": f"{__name__}.AsksForTheSpider"}


class Spiders:
    """Changes what goes into callbacks and what comes out of them."""

    def process_spider_input(self, response: Any, spider: Any = None) -> None:
        if response.url.endswith("/d"):
            raise ValueError("not this page")

    async def process_spider_output(self, response: Any, result: Any, spider: Any = None) -> Any:
        async for one in result:
            if isinstance(one, scrapy.Request):
                if not one.url.endswith("/e"):
                    yield one.replace(headers={"X-From": response.url})
            else:
                yield {**one, "by": "middleware"}
        if response.url.endswith("/f"):
            yield scrapy.Request(response.urljoin("/g"))

    def process_spider_exception(
        self, response: Any, exception: Exception, spider: Any = None
    ) -> Any:
        return [{"exception": str(exception), "at": response.url}]

    async def process_start(self, start: Any) -> Any:
        async for one in start:
            yield one
        yield {"from": "process_start"}


class SpiderMiddleware(Stranger):
    """A spider middleware drops, adds and changes requests and items, and heals errors."""

    web = WEB
    custom_settings = {"SPIDER_MIDDLEWARES": {Spiders: 543}}

    def parse(self, response: Any) -> Any:
        yield {"url": response.url}
        for link in response.css("a"):
            yield response.follow(link)
        if response.url.endswith("/b"):
            raise RuntimeError("half way")


class Pipeline:
    """Drops, breaks, replaces and counts."""

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        number = ItemAdapter(item)["number"]
        if number % 3 == 0:
            raise DropItem("divisible")
        if number == 7:
            raise ValueError("seven")
        return {"number": number, "new": True} if number % 2 else item


class Pipelines(Stranger):
    """Item pipelines drop, raise and replace; 300 items of one page all get there."""

    web = {"/": links("/a", "/b"), "/a": links(), "/b": links()}
    custom_settings = {"ITEM_PIPELINES": {Pipeline: 300}}

    def parse(self, response: Any) -> Any:
        for number in range(300):
            yield {"number": number, "url": response.url}
        for link in response.css("a"):
            yield response.follow(link)


class Filter(RFPDupeFilter):
    """Lets every request through that has the word `again`."""

    def request_seen(self, request: Any) -> bool:
        return "again" not in request.url and super().request_seen(request)


class OwnDupefilter(Stranger):
    """A dupefilter of the project's own says what is fetched again."""

    web = {"/": links("/a?again", "/a", "/a?again", "/a"), "/a": "x", "/a?again": "y"}
    custom_settings = {"DUPEFILTER_CLASS": f"{__name__}.Filter"}


class Prints(RequestFingerprinter):
    """Knows requests by their path alone."""

    def fingerprint(self, request: Any) -> bytes:
        return super().fingerprint(request.replace(url=request.url.partition("?")[0]))


class OwnFingerprinter(Stranger):
    """A fingerprinter of the project's own says which requests are the same."""

    web = {"/": links("/a?x=1", "/a?x=2", "/b"), "/a?x=1": "x", "/a?x=2": "y", "/b": "b"}
    custom_settings = {"REQUEST_FINGERPRINTER_CLASS": f"{__name__}.Prints"}


class Idle(Stranger):
    """A handler of spider_idle that crawls more keeps the spider open."""

    web = {"/": links(), "/more?n=1": "1", "/more?n=2": "2", "/more?n=3": "3"}
    rounds = 0

    @classmethod
    def from_crawler(cls, crawler: Any, *arguments: Any, **more: Any) -> Any:
        spider = super().from_crawler(crawler, *arguments, **more)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        return spider

    def idle(self) -> None:
        self.rounds += 1
        if self.rounds <= 3:
            self.crawler.engine.crawl(self.get(f"/more?n={self.rounds}", self.parse))
            raise DontCloseSpider


def counting(crawler: Any, name: str) -> Callable[[], None]:
    return lambda: crawler.stats.inc_value(name)


class Signals(Stranger):
    """Signals of requests, responses, items and the spider are sent as often as ever."""

    web = {**WEB, "/a": (404, {}, b"")}
    counted = (
        *("spider_opened", "request_scheduled", "request_reached_downloader"),
        *("request_left_downloader", "request_dropped", "response_received"),
        *("response_downloaded", "item_scraped", "spider_idle", "headers_received"),
    )

    @classmethod
    def from_crawler(cls, crawler: Any, *arguments: Any, **more: Any) -> Any:
        spider = super().from_crawler(crawler, *arguments, **more)
        spider.handlers = [counting(crawler, f"item_signals/{name}") for name in cls.counted]
        for name, handler in zip(cls.counted, spider.handlers, strict=True):
            crawler.signals.connect(handler, getattr(signals, name))
        return spider

    async def start(self) -> Any:
        yield self.get("/")


class ErrorCount(Stranger):
    """CLOSESPIDER_ERRORCOUNT closes the spider with its reason."""

    web = {"/": "<p>x</p>"}
    custom_settings = {"CLOSESPIDER_ERRORCOUNT": 2, "CONCURRENT_REQUESTS": 1}

    def parse(self, response: Any) -> Any:
        yield response.request.replace(dont_filter=True)
        raise ValueError("once more")


class Throttled(Stranger):
    """AutoThrottle changes the pace and nothing else."""

    web = WEB
    custom_settings = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.05}


class Cached(Stranger):
    """The HTTP cache answers the second request for a page."""

    web = {**WEB, "/d": (500, {}, b"")}

    @classmethod
    def update_settings(cls, settings: Any) -> None:
        super().update_settings(settings)
        settings.set("HTTPCACHE_ENABLED", True, "spider")  # as in any project
        settings.set("HTTPCACHE_DIR", settings["RECORD"] + ".cache", "spider")

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "cached": "cached" in response.flags}
        for link in response.css("a"):
            yield response.follow(link)
        if "cached" not in response.flags:
            yield response.request.replace(dont_filter=True)


class ByExtension(Stranger):
    """What an extension crawls with engine.crawl while the spider runs is fetched."""

    web = WEB

    @classmethod
    def from_crawler(cls, crawler: Any, *arguments: Any, **more: Any) -> Any:
        spider = super().from_crawler(crawler, *arguments, **more)
        crawler.signals.connect(spider.seen, signals.item_scraped)
        return spider

    def seen(self, item: Any) -> None:
        if item["url"].endswith("/a"):
            self.crawler.engine.crawl(self.get("/g", self.parse, errback=self.failed))
            self.crawler.engine.crawl(self.get("/missing", errback=self.failed))


def test_plugged_in_its_parts_do_what_they_did(spider: type[Stranger], judge: Judge) -> None:
    judge(spider)
