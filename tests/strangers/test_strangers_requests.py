"""Spiders and what their requests carry: forms, cookies, bodies, objects, callbacks."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import scrapy
from conftest import Judge
from scrapy.utils.defer import maybe_deferred_to_future

from tests.strangers.stranger import Stranger
from tests.support.sites import Asked, Said, json_page, links

FEW = {"/": links("/1", "/2", "/3"), **{f"/{n}": links(text=str(n)) for n in range(1, 7)}}


def members(asked: Asked) -> Said:
    if asked.path == "/login" and asked.method == "GET":
        form = '<form method="post"><input name="user"><input name="csrf" value="c"></form>'
        return 200, {"Content-Type": "text/html", "Set-Cookie": "visit=1"}, form.encode()
    if asked.path == "/login":
        return 302, {"Location": "/home", "Set-Cookie": "session=ok"}, b""
    if "session=ok" not in asked.headers.get("cookie", ""):
        return 403, {}, b"who are you?"
    return links("/home/a", "/home/b", text=asked.headers["cookie"])


class Login(Stranger):
    """A form with its cookie leads to pages that only a session sees."""

    web = staticmethod(members)
    starts = ("/login",)

    def parse(self, response: Any) -> Any:
        return scrapy.FormRequest.from_response(
            response, formdata={"user": "me"}, callback=self.inside
        )

    def inside(self, response: Any) -> Any:
        yield {"in": response.url, "cookies": response.css("p::text").get()}
        for link in response.css("a"):
            yield response.follow(link, self.inside)


class SlotsOfAnyKey(Stranger):
    """A download slot is known by whatever key its spider has chosen."""

    web = FEW
    keys = (7, ("a", 1), 0, "", 1.5, False, None, "text")
    custom_settings = {
        # Scrapy's default wants text, as it makes file names of the keys.
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
        "DOWNLOAD_SLOTS": {7: {"concurrency": 3, "delay": 0.01}},
    }

    async def start(self) -> Any:
        for number, key in enumerate(self.keys):
            url = f"{self.site}/{number}"
            yield scrapy.Request(url, meta={"download_slot": key}, dont_filter=True)

    def parse(self, response: Any) -> Any:
        key = response.meta["download_slot"]
        slot = self.crawler.engine.downloader.slots[key]
        yield {"slot": repr(key), "concurrency": slot.concurrency, "delay": slot.delay}


class CookieJars(Stranger):
    """Each cookie jar of a spider is a session of its own."""

    web = {
        "/": lambda asked: (
            200,
            {"Content-Type": "text/html", "Set-Cookie": f"visitor={asked.count}"},
            b"hello",
        ),
        "/who": lambda asked: asked.headers.get("cookie", "nobody"),
    }
    custom_settings = {"CONCURRENT_REQUESTS": 1}

    async def start(self) -> Any:
        for number in range(3):
            yield self.get("/", meta={"cookiejar": number}, dont_filter=True)

    def parse(self, response: Any) -> Any:
        jar = response.meta["cookiejar"]
        yield self.get("/who", self.who, meta={"cookiejar": jar}, dont_filter=True)

    def who(self, response: Any) -> Any:
        yield {"said": response.text, "was": f"visitor={response.meta['cookiejar'] + 1}"}


class PostedJson(Stranger):
    """Requests for one URL with other methods and bodies are all sent, equal ones once."""

    web = {"/api": lambda asked: json_page(f'"{asked.method} {asked.body.decode()}"')}

    async def start(self) -> Any:
        for number in (1, 2, 3, 3):
            yield scrapy.http.JsonRequest(self.url("/api"), data={"page": number})
        for method in ("GET", "PUT", "DELETE"):
            yield self.get("/api", method=method)

    def parse(self, response: Any) -> Any:
        yield {"said": response.json()}


class Heads(Stranger):
    """A HEAD request and the GET request after it are both sent."""

    web = FEW

    async def start(self) -> Any:
        for number in range(1, 7):
            yield self.get(f"/{number}", self.head, method="HEAD")

    def head(self, response: Any) -> Any:
        length = int(response.headers["Content-Length"])
        yield {"head": response.url, "length": length, "body": len(response.body)}
        yield response.request.replace(method="GET", callback=self.parse)


class FetchesAgain(Stranger):
    """A page that is asked for again with dont_filter is fetched each time, with its new body."""

    web = {"/": lambda asked: json_page(str(asked.count))}

    def parse(self, response: Any) -> Any:
        yield {"count": response.json()}
        if response.json() < 20:
            yield response.request.replace(dont_filter=True)


class Accumulator(Stranger):
    """An object in cb_kwargs is the same object in every callback."""

    web = FEW

    async def start(self) -> Any:
        shared = {"left": 6, "sizes": []}
        for number in range(1, 7):
            yield self.get(f"/{number}", self.one, cb_kwargs={"shared": shared})

    def one(self, response: Any, shared: Any) -> Any:
        shared["left"] -= 1
        shared["sizes"] = sorted([*shared["sizes"], response.url])
        if not shared["left"]:
            yield {"pages": shared["sizes"]}


class ChangedAfterwards(Stranger):
    """An item that was changed after its request had been yielded arrives with the change."""

    web = FEW

    def parse(self, response: Any) -> Any:
        item = {"url": response.url}
        yield self.get("/1", self.details, meta={"item": item})
        item["later"] = "said after the request was yielded"

    def details(self, response: Any) -> Any:
        yield response.meta["item"]


class Unstorable:
    """What no pickle takes."""

    def __init__(self) -> None:
        self.function = lambda: "works"


class LiveObjects(Stranger):
    """Lambdas as callbacks and errbacks, and objects that cannot be stored, arrive as they were."""

    web = FEW

    def parse(self, response: Any) -> Any:
        here = response.url
        for number in range(1, 7):
            yield self.get(
                f"/{number}",
                lambda answer: {
                    "from": here,
                    "to": answer.url,
                    "say": answer.meta["it"].function(),
                },
                meta={"it": Unstorable()},
            )
        yield self.get("/missing", errback=lambda failure: {"missing": failure.value.response.url})


class Coroutines(Stranger):
    """Callbacks that await, sleep and download for themselves."""

    web = FEW

    async def parse(self, response: Any) -> Any:
        await asyncio.sleep(0.01)
        engine = self.crawler.engine
        request = self.get("/4", headers={"X": "mine"})
        if hasattr(engine, "download_async"):
            inner = await engine.download_async(request)
        else:
            inner = await maybe_deferred_to_future(engine.download(request))
        yield {"here": response.url, "inner": inner.url, "text": inner.css("p::text").get()}
        for link in response.css("a"):
            yield response.follow(link, self.one)

    async def one(self, response: Any) -> Any:
        others = [maybe_deferred_to_future(self._later(n)) for n in (1, 2)]
        return [{"one": response.url, "sum": sum(await asyncio.gather(*others))}]

    def _later(self, number: int) -> Any:
        from twisted.internet.defer import succeed

        return succeed(number)


class Beginnings(Stranger):
    """What `start()` yields over time, items and requests, with an error at the end."""

    web = FEW

    async def start(self) -> Any:
        yield {"from": "start"}
        for number in range(1, 7):
            yield self.get(f"/{number}", priority=number)
            await asyncio.sleep(0.01)
        raise ValueError("the rest of start")


class Priorities(Stranger):
    """Requests leave in the order of their priority."""

    web = {"/": "".join(f"<i>{n}</i>" for n in range(8)), **FEW, "/7": "x", "/8": "x"}
    custom_settings = {"CONCURRENT_REQUESTS": 1}
    seen = 0

    def parse(self, response: Any) -> Any:
        for number in (3, 1, 8, 5, 2, 7, 4, 6):
            yield self.get(f"/{number}", self.one, priority=number * 10)

    def one(self, response: Any) -> Any:
        self.seen += 1
        yield {"place": self.seen, "url": response.url}


class Headers(Stranger):
    """Headers, encodings, flags and Referer reach the server and the callback as they did."""

    web = {
        "/": links("/say"),
        "/say": lambda asked: json_page(
            json.dumps({k: v for k, v in asked.headers.items() if k != "host"})
        ),
    }

    def parse(self, response: Any) -> Any:
        yield response.follow(
            "/say",
            self.said,
            headers={"X-Mine": "é", "Accept": "application/json"},
            cookies={"a": "b"},
            flags=["mine"],
            encoding="latin-1",
        )

    def said(self, response: Any) -> Any:
        yield {"said": response.json(), "flags": response.request.flags}


def test_plugged_in_it_does_what_it_did(spider: type[Stranger], judge: Judge) -> None:
    judge(spider)
