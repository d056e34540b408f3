"""Plain Scrapy as the peer: its own scheduler, disk queues and duplicate filter.

`plain` reads pages with the same reader as the focused crawl, so that parsing, which both need, is
equal on both sides, and it yields the same item with every field that Scrapy alone knows: all but
relevance, score and the text of the link. `linked` is what a Scrapy user writes: a `CrawlSpider`.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from crawler.items import PageItem
from frontier.parsing.html import read_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response, TextResponse


class PlainSpider(scrapy.Spider):
    """Follows every link, in Scrapy's own order."""

    name = "plain"
    seeds = ""

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for url in self.seeds.split(","):
            yield scrapy.Request(url)

    def parse(self, response: TextResponse, **kwargs: Any) -> Iterator[PageItem | scrapy.Request]:
        content = read_page(response.selector.root, response.url, max_links=5000)
        referrer = response.request.headers.get("Referer") if response.request else None
        yield PageItem(
            url=response.meta.get("redirect_urls", [response.url])[0],
            final_url=response.url,
            title=content.title or None,
            status=response.status,
            depth=response.meta["depth"],
            fetched_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            relevance=None,
            score=None,
            referrer=referrer.decode() if referrer else None,
            anchor=None,
            text_length=len(content.text),
            content_hash=hashlib.blake2b(response.body, digest_size=16).hexdigest(),
        )
        for link in content.links:
            yield scrapy.Request(link.url)


class LinkedSpider(CrawlSpider):
    """Follows every link that a `LinkExtractor` finds, as most spiders do; reads no text."""

    name = "linked"
    seeds = ""
    rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)
    start = PlainSpider.start

    def parse_start_url(self, response: Response, **kwargs: Any) -> dict[str, Any]:
        return self.parse_page(response)

    def parse_page(self, response: Response) -> dict[str, Any]:
        return {
            "url": response.url,
            "title": response.css("title::text").get(),
            "status": response.status,
        }
