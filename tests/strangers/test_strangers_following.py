"""Spiders that go from page to page: links, lists, chains, sitemaps, feeds."""

from __future__ import annotations

import json
from typing import Any

from conftest import Judge
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule, SitemapSpider, XMLFeedSpider

from tests.strangers.stranger import Stranger
from tests.support.sites import Asked, Said, json_page, links, typed

SMALL = {
    "/": links("/a", "/b", "/c", "/file.pdf", "/deny/me"),
    "/a": links("/b", "/d", "/missing", "/a#part"),
    "/b": links("/a", "/e?x=2&y=1", "/e?y=1&x=2"),
    "/c": links("/d"),
    "/d": links("/e"),
    "/e?x=2&y=1": links(),
    "/e": links("/a"),
}


class FollowsAll(Stranger):
    """A spider that follows every link fetches the same pages, each once."""

    web = SMALL


class Rules(Stranger, CrawlSpider):
    """The rules of a CrawlSpider call back with the same pages and the same link texts."""

    web = SMALL
    rules = (
        Rule(LinkExtractor(allow="/b"), callback="item", follow=True),
        Rule(LinkExtractor(deny="/deny"), callback="page", cb_kwargs={"x": 1}, follow=True),
    )
    parse = CrawlSpider.parse

    def item(self, response: Any) -> Any:
        yield {"item": response.url, "text": response.meta["link_text"]}

    async def page(self, response: Any, x: int) -> Any:
        return [{"page": response.url, "text": response.meta["link_text"], "x": x}]


def list_page(asked: Asked) -> Said:
    offset = int(asked.path.partition("offset=")[2] or 0)
    following = f"/list?offset={offset + 20}" if offset < 980 else None
    return json_page(json.dumps({"items": list(range(offset, offset + 20)), "next": following}))


class JsonList(Stranger):
    """A paginated JSON list gives all of its 1,000 items."""

    web = staticmethod(list_page)
    starts = ("/list?offset=0",)

    def parse(self, response: Any) -> Any:
        data = response.json()
        yield from ({"id": one} for one in data["items"])
        if data["next"]:
            yield response.follow(data["next"])


def numbered(asked: Asked) -> Said:
    number = int(asked.path.rpartition("=")[2])
    return links(*([f"/list?page={number + 1}"] if number < 120 else []), text=f"page {number}")


class NumberedPages(Stranger):
    """A chain of 120 numbered next pages is followed to its end."""

    web = staticmethod(numbered)
    starts = ("/list?page=1",)


def short_page(asked: Asked) -> Said:
    if asked.path == "/":
        return links(*(f"/product/{number}" for number in range(150)))
    return f"<html><title>Product</title><p>No. {asked.path[9:]}, in stock.</p></html>"


class SimilarShortPages(Stranger):
    """150 short pages that hardly differ are all fetched."""

    web = staticmethod(short_page)


def mapped(asked: Asked) -> Said:
    if asked.path == "/sitemap.xml":
        parts = "".join(f"<sitemap><loc>{asked.site}/map{n}.xml</loc></sitemap>" for n in range(3))
        return typed("application/xml", f"<sitemapindex>{parts}</sitemapindex>")
    if asked.path.startswith("/map"):
        first = int(asked.path[4]) * 40
        urls = "".join(
            f"<url><loc>{asked.site}/{'en' if n % 2 else 'de'}/product-{n}/</loc></url>"
            for n in range(first, first + 40)
        )
        return typed("application/xml", f"<urlset>{urls}</urlset>")
    return f"<html><title>{asked.path}</title><p>A product.</p></html>"


class Sitemap(Stranger, SitemapSpider):
    """A sitemap spider fetches all of 120 URLs, by the rules that pick its callbacks."""

    web = staticmethod(mapped)
    sitemap_rules = (("/en/", "english"), ("/de/", "german"))

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.start_urls = []
        self.sitemap_urls = [self.url("/sitemap.xml")]

    def english(self, response: Any) -> Any:
        yield {"en": response.url}

    def german(self, response: Any) -> Any:
        yield {"de": response.url}


class XmlFeed(Stranger, XMLFeedSpider):
    """An XMLFeedSpider gets the nodes of a feed, and the requests that it makes of them."""

    web = {
        "/": typed(
            "application/rss+xml",
            "<rss><channel>"
            + "".join(f"<item><title>{n}</title><link>/a{n % 4}</link></item>" for n in range(20))
            + "</channel></rss>",
        ),
        **{f"/a{n}": links(text=str(n)) for n in range(4)},
    }
    itertag = "item"
    parse = XMLFeedSpider.parse

    def parse_node(self, response: Any, selector: Any) -> Any:
        yield {"title": selector.xpath("title/text()").get()}
        yield response.follow(selector.xpath("link/text()").get(), self.one)

    def one(self, response: Any) -> Any:
        yield {"page": response.url}


class Nofollow(Stranger):
    """Robots meta elements and rel=nofollow are not for the requests that a callback makes."""

    web = {
        "/": '<meta name="robots" content="noindex, nofollow"><a href="/a">a</a><a href="/b">b</a>',
        "/a": '<a rel="nofollow" href="/c">c</a><link rel="canonical" href="/b">',
        "/b": typed("text/html", links("/d"), X_Robots_Tag="none"),
        "/c": links(),
        "/d": links(),
    }


class Canonical(Stranger):
    """Pages that name another one as canonical give their items, and the other is fetched too."""

    web = {
        "/": links("/a?session=1", "/a?session=2", "/a", "/moved"),
        "/a": links("/b") + '<link rel="canonical" href="/a">',
        "/a?session=1": links("/c") + '<link rel="canonical" href="/a">',
        "/a?session=2": links("/d") + '<link rel="canonical" href="/a">',
        "/moved": links("/e") + '<link rel="canonical" href="/elsewhere">',
        **{f"/{one}": links() for one in ("b", "c", "d", "e", "elsewhere")},
    }


def copies(asked: Asked) -> Said:
    prose = "The same long text of which every page of this site is made. " * 30
    if asked.path == "/":
        return links(*(f"/copy/{number}" for number in range(20)))
    return links(f"{asked.path}/on" if len(asked.path) < 30 else "/copy/0", text=prose)


class Copies(Stranger):
    """Pages with the same text are fetched, and what they link to as well."""

    web = staticmethod(copies)


def test_plugged_in_it_does_what_it_did(spider: type[Stranger], judge: Judge) -> None:
    judge(spider)
