"""Spiders of many kinds do with the add-on what they do without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.both_worlds import ANY_SPIDER, WEB, alike

CRAWL_SPIDER = """
    import scrapy
    from scrapy.linkextractors import LinkExtractor
    from scrapy.spiders import CrawlSpider, Rule

    class S(CrawlSpider):
        name = "s"
        rules = [
            Rule(LinkExtractor(allow="/b"), callback="item", follow=False),
            Rule(LinkExtractor(deny="/file"), callback="page", follow=True, process_request="mark"),
        ]

        async def start(self):
            yield scrapy.Request("@URL@/")

        def item(self, response):
            yield {"item": response.url, "text": response.meta["link_text"]}

        async def page(self, response):
            yield {"page": response.url, "text": response.meta["link_text"]}

        def mark(self, request, response):
            return request.replace(headers={"X-From": response.url})
"""
SHAPES = """
    import dataclasses
    import scrapy

    @dataclasses.dataclass
    class Thing:
        url: str

    class S(scrapy.Spider):
        name = "s"

        async def start(self):
            yield {"from": "start"}
            yield scrapy.Request("@URL@/")
            raise ValueError("the rest of start")

        def parse(self, response):
            follow = response.follow
            return [
                None,
                Thing(response.url),
                follow("/a", self.one),
                follow("/b", self.request),
                follow("/c", self.nothing),
                follow("/d", self.coroutine),
                follow("/down", self.one, meta={"handle_httpstatus_list": [500]}),
                follow("/missing", self.one, errback=self.failed),
                follow("/file.bin", self.number),
                scrapy.FormRequest("@URL@/last", formdata={"a": "b"}, callback=self.one),
            ]

        def one(self, response):
            return {"one": response.url, "status": response.status}

        def request(self, response):
            return response.follow("/e", self.one)

        def nothing(self, response):
            return None

        async def coroutine(self, response):
            return [{"coroutine": response.url}]

        def number(self, response):
            return 5

        def failed(self, failure):
            yield {"failed": failure.value.response.status}
            yield scrapy.Request("@URL@/rescue", self.one)
"""
MIDDLEWARES = (
    ANY_SPIDER.replace(
        '"DOWNLOADER_MIDDLEWARES": {}, "SPIDER_MIDDLEWARES": {}',
        '"DOWNLOADER_MIDDLEWARES": {"spider_file.D": 10},'
        ' "SPIDER_MIDDLEWARES": {"spider_file.I": 543}',
    )
    + """
    class D:
        def process_response(self, request, response, spider=None):
            if request.url.endswith("/a"):
                return scrapy.Request(request.url.replace("/a", "/rescue"))
            if request.url.endswith("/c"):
                raise IgnoreRequest("no")
            if request.url.endswith("/r"):
                raise ValueError("a bug")
            return response

    class I:
        def process_spider_input(self, response, spider=None):
            if response.url.endswith("/last"):
                raise ValueError("another bug")

        async def process_spider_output(self, response, result, spider=None):
            async for one in result:
                if not (isinstance(one, scrapy.Request) and one.url.endswith("/e")):
                    yield one
    """
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "code", [CRAWL_SPIDER, SHAPES, MIDDLEWARES], ids=["rules", "shapes", "middlewares"]
)
def test_spiders_of_many_kinds_do_what_they_did(tmp_path: Path, code: str) -> None:
    ours = alike(tmp_path, WEB, code)
    assert len(ours.requests) > 3
    assert ours.items
