"""Spiders and what servers answer: redirects, encodings, files, bytes of all kinds."""

from __future__ import annotations

import zlib
from typing import Any

import scrapy
from conftest import Judge
from scrapy.pipelines.files import FilesPipeline

from tests.strangers.stranger import Stranger
from tests.support.sites import Asked, Said, links, redirect


class Listed(Stranger):
    """A spider that fetches what it lists."""

    asks: tuple[str, ...] = ()

    async def start(self) -> Any:
        for path in self.asks:
            yield scrapy.Request(self.url(path), errback=self.failed)

    def parse(self, response: Any) -> Any:
        yield {
            "url": response.url,
            "status": response.status,
            "kind": type(response).__name__,
            "body": hash_of(response.body),
            "encoding": getattr(response, "encoding", None),
            "asked": response.request.url,
            "urls": response.meta.get("redirect_urls"),
            "reasons": response.meta.get("redirect_reasons"),
        }


def hash_of(body: bytes) -> str:
    return f"{len(body)} bytes, {zlib.crc32(body):x}"


class Redirects(Listed):
    """Chains, loops, relative and broken redirects end where they ended."""

    web = {
        "/chain": redirect("/chain/2", 301),
        "/chain/2": redirect("/chain/3", 302),
        "/chain/3": redirect("../end", 307),
        "/end": "the end",
        "/loop": redirect("/pool"),
        "/pool": redirect("/loop"),
        "/none": (302, {}, b"no location"),
        "/300": (300, {"Location": "/end2"}, b"choices"),
        "/304": (304, {}, b""),
        "/post": redirect("/end3", 303),
        "/end2": "two",
        "/end3": "three",
    }
    asks = ("/chain", "/loop", "/none", "/300", "/304", "/post")


class RedirectsToItself(Listed):
    """A redirect to the same URL is a duplicate, also of sites that set a cookie first."""

    web = {
        "/": lambda asked: (
            "seen"
            if "seen=1" in asked.headers.get("cookie", "")
            else (302, {"Location": "/", "Set-Cookie": "seen=1"}, b"")
        ),
        "/ok": "ok",
    }
    asks = ("/", "/ok")


class RedirectsNowhere(Listed):
    """A redirect to what is no http or https address ends as in plain Scrapy."""

    web = {"/mail": redirect("mailto:me@there.test")}
    asks = ("/mail",)


class SharedTarget(Listed):
    """Redirects of several URLs to one page give that page to each that Scrapy gives it to."""

    web = {
        **{f"/{n}": redirect("/one") for n in range(5)},
        "/one": "one page",
    }
    asks = ("/0", "/1", "/2", "/3", "/4")
    custom_settings = {"CONCURRENT_REQUESTS": 1}  # or it is chance which of them comes first


class OtherHosts(Listed):
    """Redirects to other hosts are followed, and within allowed_domains only where it says so."""

    web = {
        "/": lambda asked: redirect(asked.site.replace("127.0.0.1", "other.test") + "/far"),
        "/off": lambda asked: redirect(asked.site.replace("127.0.0.1", "away.test") + "/far"),
        "/far": "far away",
    }
    asks = ("/", "/off")
    allowed_domains = ("127.0.0.1", "other.test")


class Refreshes(Listed):
    """A page that refreshes within METAREFRESH_MAXDELAY is left, others are read."""

    web = {
        f"/{seconds}": f'<meta http-equiv="refresh" content="{seconds};url=/to{seconds}">'
        for seconds in (0, 5, 30, 99, 100, 101, 300)
    } | {f"/to{seconds}": f"after {seconds}" for seconds in (0, 5, 30, 99, 100, 101, 300)}
    asks = ("/0", "/5", "/30", "/99", "/100", "/101", "/300")


class RedirectByMeta(Stranger):
    """dont_redirect, and a POST that becomes a GET."""

    web = {
        "/": links(),
        "/a": redirect("/b", 302),
        "/b": lambda asked: f"{asked.method} {asked.body.decode()}",
        "/keep": redirect("/b", 307),
        "/seen": redirect("/b", 302),
    }

    def parse(self, response: Any) -> Any:
        meta = {"dont_redirect": True, "handle_httpstatus_list": [302]}
        yield self.get("/seen", self.one, meta=meta)
        yield self.get("/a", self.one, method="POST", body="x=1")
        yield self.get("/keep", self.one, method="POST", body="x=2")

    def one(self, response: Any) -> Any:
        to = response.headers.get("Location", b"").decode()
        yield {"url": response.url, "status": response.status, "text": response.text, "to": to}


def big(asked: Asked) -> Said:
    if asked.path == "/":
        return links("/small.bin", "/large.bin", "/missing.bin", "/moved.bin")
    if asked.path == "/moved.bin":
        return redirect("/target.bin")
    if asked.path == "/missing.bin":
        return None
    return b"0123456789abcdef" * (400_000 if asked.path == "/large.bin" else 100)


class ByName:
    """Files by the last part of their URL, in which no port is."""

    def file_path(self, request: Any, *arguments: Any, **more: Any) -> str:
        return str(request.url.rpartition("/")[2])


class FilesByName(ByName, FilesPipeline):
    """See ByName."""


class Files(Stranger):
    """FilesPipeline stores files of any size whole, and says which it could not get."""

    web = staticmethod(big)
    custom_settings = {
        "ITEM_PIPELINES": {FilesByName: 1},
    }

    @classmethod
    def update_settings(cls, settings: Any) -> None:
        super().update_settings(settings)
        settings.set("FILES_STORE", settings["RECORD"] + ".files", "spider")

    def parse(self, response: Any) -> Any:
        yield {
            "url": response.url,
            "file_urls": [response.urljoin(one) for one in response.css("a::attr(href)").getall()],
        }


class OtherSchemes(Stranger):
    """`data:` and `file:` URLs are read, as start URLs and from callbacks."""

    web = {"/": links()}
    starts = ("/", "data:text/html,<p>said</p>", f"file://{__file__}")

    def parse(self, response: Any) -> Any:
        yield {"url": response.url[:40], "body": hash_of(response.body), "status": response.status}
        if response.url.startswith("http"):
            yield scrapy.Request("data:,plain", self.parse)
            yield scrapy.Request("file:///nothing/there", self.parse, errback=self.failed)


def test_plugged_in_it_gets_what_it_got(spider: type[Stranger], judge: Judge) -> None:
    judge(spider)
