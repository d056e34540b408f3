"""What Scrapy's words mean must not change when the frontier is plugged in."""

from __future__ import annotations

from pathlib import Path

from tests.support.scrapy_runs import run_spider
from tests.support.sites import links, serving


def test_request_priority_stands_above_every_score(tmp_path: Path) -> None:
    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"
            start_urls = [{start!r}]

            def parse(self, response):
                for n, href in enumerate(response.css("a::attr(href)").getall()):
                    yield response.follow(href, priority={{"/low": -1, "/high": 5}}.get(href, 0))
    """
    pages = {
        "/": links("/low", "/1", "/2", "/high"),
        "/high": links("/low", "/3"),
        "/1": links("/low"),
        "/2": links("/low"),
        "/3": links("/low"),
        "/low": links(),
    }
    with serving(pages) as site:
        run_spider(tmp_path, code.format(start=site.url + "/"))
        assert site.paths[:2] == ["/", "/high"]
        assert site.paths[-1] == "/low"


def test_any_integer_is_a_priority(tmp_path: Path) -> None:
    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"

            async def start(self):
                for n, priority in enumerate((-(10**30), 0, 2**31, 10**30)):
                    yield scrapy.Request(f"{root}/{{n}}", priority=priority)

            def parse(self, response):
                yield {{"start": response.meta["is_start_request"]}}
    """
    with serving({f"/{n}": links() for n in range(4)}) as site:
        run = run_spider(tmp_path, code.format(root=site.url))
        assert set(site.paths) == {"/0", "/1", "/2", "/3"}
    assert run.items == [{"start": True}] * 4


def test_requests_made_outside_the_frontier_do_not_disturb_it(tmp_path: Path) -> None:
    code = """
        import scrapy
        from frontier.plugin.compat import download

        class S(scrapy.Spider):
            name = "s"
            start_urls = [{start!r}]

            async def parse(self, response):
                extra = await download(
                    self.crawler, scrapy.Request({extra!r}, meta=dict(response.meta))
                )
                yield {{"extra": extra.status}}
                yield response.follow("/next", self.last)

            def last(self, response):
                yield {{"last": True}}
    """
    with serving({"/": links("/next"), "/extra": (404, {}, b""), "/next": links()}) as site:
        run = run_spider(tmp_path, code.format(start=site.url + "/", extra=site.url + "/extra"))
    assert run.items == [{"extra": 404}, {"last": True}]
    assert run.stats["frontier/leased"] == 0
