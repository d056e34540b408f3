"""Any spider crawls through one frontier with several fetchers as it does in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.both_worlds import ANY_SPIDER, WEB
from tests.support.sites import Answer, Asked, Page, links, redirect
from tests.support.spiders_together import alike_together

HTML = {"Content-Type": "text/html"}


def echo(asked: Asked) -> Page:
    told = asked.headers.get("x-mine", ""), asked.headers.get("cookie", "")
    return 200, HTML, " ".join([asked.method, asked.body.decode(), *told]).encode()


def flaky(asked: Asked) -> Page:
    return (503, {}, b"later") if asked.count < 3 else (200, HTML, links("/after").encode())


def refreshed() -> Page:
    return 200, HTML, b'<meta http-equiv="refresh" content="0;url=/target">'


REQUESTS = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["@URL@/ignored"]

        async def start(self):
            yield scrapy.Request("@URL@/", self.first, headers={"X-Mine": "1"},
                                 cookies={"c": "2"}, meta={"kept": [1, 2]},
                                 cb_kwargs={"word": "hello"}, flags=["f"])
            for body in ("a=1", "a=2", "a=1"):
                yield scrapy.Request("@URL@/form", self.text, method="POST", body=body)
            yield scrapy.Request("@URL@/form", self.text)

        def first(self, response, word):
            yield {"word": word, "kept": response.meta["kept"], "text": response.text,
                   "flags": response.request.flags, "depth": response.meta["depth"]}
            for n in range(2):
                yield scrapy.Request("@URL@/again", self.text, dont_filter=True)
            yield scrapy.Request("@URL@/again", self.text)
            yield scrapy.Request("@URL@/again", self.text)
            yield response.follow("/gone", self.text, errback=self.failed, cb_kwargs={"n": 7})

        def text(self, response):
            yield {"text": response.text, "path": response.url.replace("@URL@", "")}

        def failed(self, failure):
            yield {"failed": failure.value.response.status, "n": failure.request.cb_kwargs["n"]}
"""
TROUBLES = ANY_SPIDER.replace(
    'yield {"url"',
    """if response.url.endswith("/raises"):
                yield response.follow("/kept")
                raise ValueError("midway")
            yield {"url\"""",
)
ROUGH: dict[str, Answer] = {
    "/": links(
        *("/old", "/loop", "/refresh", "/flaky", "/down", "/raises", "/deep/1", "/missing"),
        *("http://offsite.example/", "/bounce"),
    ),
    "/old": redirect("/moved", 301),
    "/moved": redirect("/target"),
    "/loop": redirect("/loop"),
    "/refresh": refreshed(),
    "/target": links("/"),
    "/flaky": flaky,
    "/after": links(),
    "/down": (500, {}, b""),
    "/raises": links(),
    "/kept": links(),
    "/bounce": redirect("http://offsite.example/there"),
    **{f"/deep/{n}": links(f"/deep/{n + 1}") for n in range(1, 6)},
}
PIPELINES = """
    import asyncio
    import scrapy
    from scrapy.exceptions import DropItem

    class Slow:
        async def process_item(self, item, spider=None):
            await asyncio.sleep(0.2)
            if item["path"] == "/b":
                raise DropItem("b")
            if item["path"] == "/c":
                raise ValueError("c")
            return {**item, "worked": True}

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["@URL@/"]
        custom_settings = {"ITEM_PIPELINES": {"spider_file.Slow": 1}}

        def parse(self, response):
            for n in range(3):
                yield {"path": response.url.replace("@URL@", ""), "n": n}
            for link in response.css("a"):
                yield response.follow(link)
"""


@pytest.mark.slow
def test_what_a_request_says_crosses_and_is_answered_as_often(tmp_path: Path, dsn: str) -> None:
    pages = {"/": echo, "/form": echo, "/again": echo, "/gone": (410, {}, b"")}
    alone, _ = alike_together(tmp_path, dsn, lambda: dict(pages), REQUESTS)
    assert alone.requests["GET", "/again", ""] == 3
    assert alone.requests["POST", "/form", "a=1"] == 1


@pytest.mark.slow
def test_redirects_retries_errors_and_limits_are_the_same(tmp_path: Path, dsn: str) -> None:
    settings = "DEPTH_LIMIT=3", "REDIRECT_MAX_TIMES=4"
    code = TROUBLES.replace('name = "s"', 'name = "s"\n        allowed_domains = ["127.0.0.1"]')
    alone, _ = alike_together(tmp_path, dsn, lambda: dict(ROUGH), code, *settings)
    assert alone.requests["GET", "/flaky", ""] == alone.requests["GET", "/down", ""] == 3
    assert ("GET", "/deep/4", "") not in alone.requests


@pytest.mark.slow
def test_robots_txt_is_obeyed_and_asked_for_once(tmp_path: Path, dsn: str) -> None:
    pages = {
        "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /private"),
        "/": links("/private/x", "/a", "/b"),
        "/a": links("/private/y"),
        "/b": links(),
    }
    alone, _ = alike_together(tmp_path, dsn, lambda: dict(pages), ANY_SPIDER, "ROBOTSTXT_OBEY=1")
    assert alone.requests["GET", "/robots.txt", ""] == 1


@pytest.mark.slow
def test_items_go_through_slow_pipelines(tmp_path: Path, dsn: str) -> None:
    alone, _ = alike_together(tmp_path, dsn, lambda: dict(WEB), PIPELINES)
    assert alone.items.total() > 6
