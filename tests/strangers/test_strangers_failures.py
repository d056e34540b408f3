"""Spiders and what goes wrong: statuses, retries, connections, exceptions."""

from __future__ import annotations

from typing import Any

import scrapy
from conftest import Judge
from scrapy.exceptions import CloseSpider

from tests.strangers.stranger import Stranger
from tests.support.sites import SILENT, Raw, links

CUT = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<p>half"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"1f\r\n<p>a part of a page, and no end\r\n"
)
TROUBLE = {
    "/": links("/ok", "/404", "/500", "/503", "/nothing", "/reset", "/redirect"),
    "/ok": links(),
    "/500": (500, {}, b"broken"),
    "/503": (503, {}, b"busy"),
    "/410": (410, {}, b"gone"),
    "/nothing": Raw(),
    "/redirect": (302, {"Location": "/410"}, b""),
    "/reset": Raw(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "/cut": Raw(CUT),
    "/chunked": Raw(CHUNKED),
    "/silent": SILENT,
    "/noise": Raw(b"\x16\x03\x01 this is no HTTP\r\n\r\n"),
}


class Tells(Stranger):
    """A spider whose requests all have an errback."""

    web = TROUBLE
    keep_alive = False
    asks: tuple[str, ...] = ()

    async def start(self) -> Any:
        for path in self.asks:
            yield scrapy.Request(
                self.url(path), self.parse, errback=self.failed, meta=dict(self.meta())
            )

    def meta(self) -> dict[str, Any]:
        return {}

    def parse(self, response: Any) -> Any:
        yield {
            "url": response.url,
            "status": response.status,
            "text": response.text,
            "lost": "dataloss" in response.flags,
            "tries": response.meta.get("retry_times"),
        }


class Statuses(Tells):
    """Errbacks hear of 404 and 410, and of 500 and 503 after two more attempts."""

    asks = ("/ok", "/404", "/410", "/500", "/503", "/redirect")


class Nobody(Tells):
    """Errbacks hear of hosts that refuse connections or do not exist, after their retries."""

    asks = ("http://127.0.0.1:9/a", "http://127.0.0.1:9/b", "http://dead.test/", "/ok")


class HandledStatuses(Stranger):
    """handle_httpstatus_list and handle_httpstatus_all bring error pages to the callback."""

    web = TROUBLE
    handle_httpstatus_list = (404, 500)

    def parse(self, response: Any) -> Any:
        for path in ("/404", "/500", "/redirect", "/410"):
            yield self.get(path, self.one)
        yield self.get("/503", self.one, meta={"handle_httpstatus_all": True, "dont_retry": True})
        yield self.get("/410?all", self.one, meta={"handle_httpstatus_list": [404]})

    def one(self, response: Any) -> Any:
        yield {"url": response.url, "status": response.status}
        for link in response.css("a"):
            yield response.follow(link)


class ComesBack(Tells):
    """Pages that fail twice and then answer are retried until they do."""

    web = {
        **{f"/{n}": lambda asked: (503, {}, b"") if asked.count < 3 else "now" for n in range(3)},
        **{f"/lost{n}": lambda asked: Raw() if asked.count < 3 else "now" for n in range(3)},
    }
    asks = ("/0", "/1", "/2", "/lost0", "/lost1", "/lost2")


class RetryAfter(Tells):
    """A 503 and a 429 with Retry-After are retried as often as any other."""

    web = {
        "/": lambda asked: (
            (503, {"Retry-After": "1"}, b"") if asked.count < 2 else links("/b", text="now")
        ),
        "/b": lambda asked: (429, {"Retry-After": "1"}, b"") if asked.count < 3 else "now",
        "/c": (503, {"Retry-After": "1"}, b""),
    }
    asks = ("/", "/b", "/c")


class RetryTimes(Tells):
    """max_retry_times, RETRY_HTTP_CODES and RETRY_EXCEPTIONS hold."""

    web = TROUBLE
    asks = ("/500", "/503", "/404", "/nothing")
    custom_settings = {
        "RETRY_HTTP_CODES": [404, 503],
        "RETRY_EXCEPTIONS": ["twisted.internet.error.TimeoutError"],
    }

    def meta(self) -> dict[str, Any]:
        return {"max_retry_times": 1}


class RetriesItself(Stranger):
    """A callback that asks for a page again with get_retry_request gets it again."""

    web = {"/": lambda asked: links(text=str(asked.count))}

    def parse(self, response: Any) -> Any:
        if int(response.css("p::text").get()) < 3:
            return scrapy.downloadermiddlewares.retry.get_retry_request(
                response.request, spider=self, reason="not yet"
            )
        return {"at": response.css("p::text").get(), "tries": response.meta["retry_times"]}


class Raises(Stranger):
    """Callbacks that raise before, between and after what they yield cost nothing else."""

    web = {"/": links("/1", "/2", "/3"), **{f"/{n}": links() for n in range(1, 6)}}

    def parse(self, response: Any) -> Any:
        yield {"first": response.url}
        yield self.get("/1", self.at_once)
        yield self.get("/2", self.between)
        yield self.get("/404", errback=self.errback_raises)
        raise RuntimeError("after all")

    def at_once(self, response: Any) -> Any:
        raise KeyError("at once")

    async def between(self, response: Any) -> Any:
        yield {"between": response.url}
        yield self.get("/3", self.no_iterable)
        raise ZeroDivisionError

    def no_iterable(self, response: Any) -> Any:
        return 5

    def errback_raises(self, failure: Any) -> Any:
        yield self.get("/4", self.between)
        raise LookupError("in the errback")


class ClosesItself(Stranger):
    """CloseSpider ends the crawl with its reason."""

    web = {"/": links("/1"), "/1": links()}

    def parse(self, response: Any) -> Any:
        yield {"url": response.url}
        if response.url.endswith("/1"):
            raise CloseSpider("seen_enough")
        yield self.get("/1")


class ErrbackRequests(Stranger):
    """What errbacks yield, items and requests, is taken as what callbacks yield."""

    web = TROUBLE
    keep_alive = False

    def parse(self, response: Any) -> Any:
        for path in ("/404", "/500", "/nothing"):
            yield self.get(path, errback=self.other, cb_kwargs={"path": path})

    def other(self, failure: Any) -> Any:
        yield from self.failed(failure)
        yield self.get(f"/ok?{failure.request.cb_kwargs['path']}", self.one)

    def one(self, response: Any) -> Any:
        yield {"then": response.url, "status": response.status}


def test_plugged_in_it_fails_as_it_did(spider: type[Stranger], judge: Judge) -> None:
    judge(spider)
