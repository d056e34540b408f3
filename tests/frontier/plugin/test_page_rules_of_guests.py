"""What pages ask is for links that the frontier follows: a spider's own requests are made."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.support.scrapy_runs import Run, run_spider
from tests.support.sites import Answer, links, serving

SPIDER = """
import scrapy

class Own(scrapy.Spider):
    name = "own"
    start_urls = [{url!r} + "/"]

    def parse(self, response):
        yield {{"path": response.url.removeprefix({url!r}), "by": "parse"}}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.parse_other if "other" in href else self.parse)

    def parse_other(self, response):
        yield {{"path": response.url.removeprefix({url!r}), "by": "parse_other"}}
        yield from list(self.parse(response))[1:]
"""
PROSE = "The keeper of the lighthouse writes down every ship that passes, and what it carries. " * 9


def html(head: str, *targets: str, text: str = "") -> str:
    return links(*targets, text=text).replace("<head>", f"<head>{head}")


PAGES: dict[str, Answer] = {
    "/": links("/meta", "/tag", "/rel", "/moved", "/copy", "/original", "/twin", "/twin2", "/gone"),
    "/meta": html('<meta name="robots" content="none">', "/by-meta"),
    "/tag": (200, {"Content-Type": "text/html", "X-Robots-Tag": "nofollow"}, b"<a href=/by-tag>x"),
    "/rel": '<a rel="nofollow ugc" href="/by-rel">x</a>',
    "/moved": (301, {"Location": "/target", "X-Robots-Tag": "nofollow"}, b""),
    "/target": links("/by-target"),
    "/copy": html('<link rel="canonical" href="/other">', "/other", "/by-copy"),
    "/original": html('<link rel="canonical" href="/copy">', "/by-original"),
    "/other": links("/by-other"),
    "/twin": links("/by-twin", text=PROSE),
    "/twin2": links("/by-twin2", text=PROSE),
    "/gone": links("/gone/1", "/gone2/2.html", text="Sorry, this page is not here any more"),
}
LEAVES = ("meta", "tag", "rel", "target", "copy", "original", "other", "twin", "twin2")
PAGES |= {f"/by-{name}": links(text=f"Read at {name}") for name in LEAVES}


def crawled(folder: Path, *settings: str, **more: str) -> Run:
    with serving(PAGES) as site:
        return run_spider(folder, SPIDER.format(url=site.url), *settings, **more)


def seen(run: Run) -> Counter[tuple[str, str]]:
    return Counter((item["path"], item["by"]) for item in run.items)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, str]]:
    """What Scrapy fetches without the add-on, and by which callback."""
    found = seen(crawled(tmp_path_factory.mktemp("plain"), addons="ADDONS={}"))
    assert {f"/by-{name}" for name in LEAVES} <= {path for path, _ in found}
    return found


@pytest.mark.parametrize("nofollow", ["discover", "skip"])
def test_what_a_callback_yields_is_fetched_whatever_its_page_asks(
    tmp_path: Path, nofollow: str, plain: Counter[tuple[str, str]]
) -> None:
    assert seen(crawled(tmp_path, f"FRONTIER_NOFOLLOW={nofollow}")) == plain


def test_a_spider_asks_for_the_canonical_address_of_a_page_in_its_own_way(tmp_path: Path) -> None:
    code = """
    import scrapy
    from frontier.plugin import Links

    class Both(scrapy.Spider):
        name = "both"
        start_urls = [{url!r} + "/copy"]

        def parse(self, response):
            yield response.follow("/other", self.parse_other)
            yield Links(())

        def parse_other(self, response):
            yield {{"path": response.url.removeprefix({url!r}), "by": "parse_other"}}
    """
    with serving(PAGES) as site:
        run = run_spider(tmp_path, code.format(url=site.url))

    assert seen(run) == {("/other", "parse_other"): 1}
