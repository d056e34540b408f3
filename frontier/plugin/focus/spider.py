"""The focused spider: from seeds and a topic to the best pages first.

::

    scrapy crawl focused -a seeds=seeds.txt -a topic="words or a sentence" -s JOBDIR=crawls/mine

It holds no ordering logic: it yields the seeds, an item for each page, and all links. The frontier
decides which links are followed, and when.

With `stay` the hosts of the seeds, without a leading ``www.``, and their subdomains are Scrapy's
`allowed_domains`. The spider yields no link to other domains, and Scrapy refuses redirects to them,
except for seeds: a site that has moved is still the wanted site, so the host at which a seed's
redirects end counts as a domain of the seeds.

In a crawl that refreshes, sitemaps show which pages have changed. So the spider requests the
sitemaps of each host that has a page about the topic: those named by its robots.txt, by the heads
of such pages and by other sitemaps. They give no items.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.utils.url import url_is_from_any_domain

from frontier.config import CrawlConfig
from frontier.errors import SettingsError
from frontier.plugin import Links, page_of
from frontier.plugin.crawl.in_flight import MOVED
from frontier.plugin.crawl.session import session_of
from frontier.plugin.failures import refuse
from frontier.plugin.robots import RobotsMiddleware
from frontier.plugin.settings import value
from frontier.refresh.policy import OFF
from frontier.states import Change
from frontier.texts import StoredText
from frontier.urls.canonical import canonical_url, origin_of, slot_of
from frontier.urls.hosts import with_ascii_host
from frontier.urls.url_lists import UrlList, read_seeds
from ranking.errors import LinkRankError
from ranking.orders import order_class
from ranking.spelling import or_rather

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.parsing.html import Link
    from frontier.plugin.crawl.open_page import OpenPage
    from frontier.protocol import Frontier


_SITEMAP = "frontier_sitemap"
"""Key of the `meta` of a request for a sitemap: the origin whose pages it lists."""
_OF_SEED = "allow_offsite"
"""Key of `meta` that lets a request leave the domains in Scrapy; redirects copy it."""
_MOVED_TO = "stay_domains"
"""Key under which the store keeps the domains to which seeds redirect."""
_MOST_SITEMAPS = 20
"""Sitemaps of a host requested in a run, without those that earlier runs knew."""


@dataclass(slots=True)
class PageItem:
    """One fetched page.

    `url` is the requested URL and `final_url` the end of its redirects. `fetched_at` is an ISO 8601
    time in UTC, `depth` counts links from a seed. `relevance` lies in [0, 1] (null without a topic,
    0 for a duplicate), `score` is the link score of the URL when it was leased (null in a strategy
    without scores). `referrer` and `anchor` are the page and the text of the link by which it was
    first found, null for a seed. `text_length` counts characters of visible text, `content_hash` is
    the 128-bit BLAKE2b of the body in hexadecimal. `duplicate_of` is the URL of the page that this
    page repeats or nearly repeats (its relevance is 0 then), or that it names as canonical (its
    relevance is null then, and counts there); null for an original. All values are those at the
    time of the fetch.

    In a crawl that refreshes, `change` is "new", "changed" or "unchanged" since the last revisit,
    "gone" for a page that was missing twice, "moved" for the target of a known page's new redirect;
    `previous_fetch` is the time of the revisit before and `changed_share` the share of the text
    that changed. A page that was not modified (304) gives no item.
    """

    url: str
    final_url: str
    title: str | None
    status: int
    depth: int
    fetched_at: str
    relevance: float | None
    score: float | None
    referrer: str | None
    anchor: str | None
    text_length: int
    content_hash: str
    duplicate_of: str | None = None
    change: str | None = None
    previous_fetch: str | None = None
    changed_share: float | None = None


@dataclass(slots=True)
class TextPageItem(PageItem):
    """A page with its text, in a crawl that keeps texts.

    `text` is that of FRONTIER_TEXT: all visible text, or the main text, which is there as
    `markdown`, too; blocks that repeat across the host are still in it. `markdown` is null without
    a main text.
    """

    text: str | None = None
    markdown: str | None = None


ARGUMENTS = {
    "topic": "FRONTIER_TOPIC",
    "examples": "FRONTIER_EXAMPLES",
    "not_examples": "FRONTIER_NOT_EXAMPLES",
    "strategy": "FRONTIER_STRATEGY",
    "scores": "FRONTIER_SCORES",
    "distrust": "FRONTIER_DISTRUST",
}
"""Argument of the spider, beside `seeds` and `stay` -> the setting that it is short for."""


def require_known(given: Iterable[str]) -> None:
    """Raise SettingsError for an unknown argument of the spider."""
    known = ("seeds", "stay", *ARGUMENTS)
    for name in given:
        if name not in ARGUMENTS:
            raise SettingsError(
                f"The spider has no argument {name!r}{or_rather(name, known)}. Expected "
                f"-a NAME=... with one of {', '.join(known)}"
            )


def require_topic(setting: Callable[[str], object]) -> None:
    """Raise SettingsError without a topic, and UnknownOrderError for an unknown strategy."""
    strategy = str(setting("FRONTIER_STRATEGY") or "")
    needs_topic = not strategy or order_class(strategy).uses_topic
    words, examples = (str(setting(ARGUMENTS[name]) or "") for name in ("topic", "examples"))
    if needs_topic and not (words.strip() or examples.strip()):
        raise SettingsError(
            "Expected a topic, found none. Give words or a sentence (topic), pages of the kind you "
            "want (examples), or a strategy that needs no topic, such as ppr (strategy)"
        )


def allowed_domains(urls: Iterable[str]) -> list[str]:
    """Return the domains that hold the hosts of some URLs."""
    return sorted({slot_of(canonical_url(url)).removeprefix("www.") for url in urls})


class FocusedSpider(scrapy.Spider):
    """Crawls from seeds for a topic.

    Arguments: `seeds` (file or URLs), `stay` (1: only the domains of the seeds), `topic` (words),
    `examples` (file or URLs of wanted pages), `not_examples` (file or URLs of unwanted pages),
    `strategy` (name or import path), `scores` (file of URLs and their scores of an earlier crawl),
    `distrust` (file of bad URLs and hosts).
    """

    name = "focused"

    def __init__(self, seeds: UrlList, *, stay: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seeds = seeds
        self._sitemaps: dict[str, set[str]] = {}
        """Origin -> its sitemaps that were requested."""
        self.allowed_domains = allowed_domains(seeds.urls) if stay else []

    @classmethod
    def from_crawler(
        cls, crawler: Crawler, *args: Any, seeds: str | UrlList = "", stay: str = "", **given: str
    ) -> FocusedSpider:
        settings = crawler.settings
        try:
            require_known(given)
            for name, value in given.items():
                if value:
                    settings.set(ARGUMENTS[name], value, "cmdline")
            require_topic(settings.get)
            listing = seeds if isinstance(seeds, UrlList) else read_seeds(seeds)
        except LinkRankError as error:
            refuse(crawler, error)
            raise
        spider = super().from_crawler(crawler, *args, seeds=listing, stay=_is_on(stay))
        if spider.allowed_domains:
            crawler.signals.connect(spider.stay_where_seeds_led, signals.spider_opened)
        return spider

    def stay_where_seeds_led(self) -> None:
        """Stay also on the domains to which seeds redirected in earlier runs."""
        self._stay_on(_moved_to(session_of(self.crawler).frontier))

    def _stay_on(self, domains: Iterable[str]) -> None:
        self.allowed_domains += [domain for domain in domains if domain not in self.allowed_domains]
        offsite = self.crawler.get_downloader_middleware(OffsiteMiddleware)
        if offsite is not None:
            offsite.spider_opened(self)  # Scrapy before 2.15 reads the domains only then

    def _follow_seed(self, response: Response) -> None:
        """Stay also on the domain at which the redirects of a seed ended."""
        if url_is_from_any_domain(response.url, self.allowed_domains):
            return
        seed = response.meta.get("redirect_urls", [response.url])[0]
        moved_to = allowed_domains([response.url])
        self.logger.warning(
            "The seed %s redirects to %s: %s counts as a domain of the seeds from now on",
            seed,
            response.url,
            moved_to[0],
        )
        frontier = session_of(self.crawler).frontier
        frontier.remember(_MOVED_TO, [*_moved_to(frontier), *moved_to])
        self._stay_on(moved_to)

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Yield the seeds, and log the lines that were skipped."""
        for line, text, reason in self.seeds.skipped:
            self.logger.warning("Seed line %d skipped: %r %s", line, text, reason)
            self.crawler.stats.inc_value("frontier/seeds/skipped")
        for url in self.seeds.urls:
            meta = {_OF_SEED: True} if self.allowed_domains else None
            yield scrapy.Request(with_ascii_host(url), meta=meta)

    def parse(
        self, response: Response, **kwargs: Any
    ) -> Iterator[PageItem | Links | scrapy.Request]:
        """Yield the item of the page, unless it is noindex, and its links."""
        page = page_of(response, self.crawler)
        if self.allowed_domains and response.meta.get(_OF_SEED):
            self._follow_seed(response)
        if page is not None:
            if not page.noindex and _SITEMAP not in response.meta:
                item = self._item(response, page)
                page.when_closed(partial(_correct, item, page))
                yield item
            if value(self.crawler.settings, "FRONTIER_REFRESH") != OFF:
                yield from self._sitemaps_of(response, page)  # before its plain links
            yield Links(self._followed(page.content.links))

    def frontier_page_gone(self, response: Response, page: OpenPage) -> Iterator[PageItem]:
        """Yield the item of a known page that is gone."""
        if _SITEMAP not in response.meta:
            item = self._item(response, page)
            _correct(item, page)
            yield item

    def _sitemaps_of(self, response: Response, page: OpenPage) -> Iterator[scrapy.Request]:
        """Request sitemaps of the host of a page, before all other pages."""
        origin = response.meta.get(_SITEMAP)
        named = page.content.sitemaps
        if origin is None:
            if page.relevance is not None and page.relevance < CrawlConfig.relevant:
                return
            origin = origin_of(response.url) or ""
            robots = self.crawler.get_downloader_middleware(RobotsMiddleware)
            named += () if robots is None else robots.sitemaps(response.url)
        if named:
            asked = self._sitemaps.setdefault(origin, set())
            for url in dict.fromkeys(named):
                if url not in asked and len(asked) < _MOST_SITEMAPS:
                    asked.add(url)
                    yield scrapy.Request(with_ascii_host(url), meta={_SITEMAP: origin}, priority=1)

    def _followed(self, links: Iterable[Link]) -> tuple[Link, ...]:
        sites = self.allowed_domains
        return tuple(
            link
            for link in links
            if not sites or url_is_from_any_domain(with_ascii_host(link.url), sites)
        )

    def _item(self, response: Response, page: OpenPage) -> PageItem:
        chain = response.meta.get("redirect_urls")
        kind = PageItem if session_of(self.crawler).config.text == OFF else TextPageItem
        return kind(
            url=chain[0] if chain else page.flight.request.url,
            final_url=response.url,
            title=page.content.title or None,
            status=response.status,
            depth=page.depth,
            fetched_at=_iso(time.time()),
            relevance=page.relevance,
            score=page.score,
            referrer=page.referrer,
            anchor=page.anchor,
            text_length=len(page.content.text),
            content_hash=page.content_hash.hex(),
        )


def _moved_to(frontier: Frontier) -> list[str]:
    """Domains to which seeds redirected, in this run and earlier ones."""
    domains = frontier.setting(_MOVED_TO)
    return domains if isinstance(domains, list) else []


def _correct(item: PageItem, page: OpenPage) -> None:
    """Set the values that are known once the page is closed: duplicate and change."""
    item.relevance = page.relevance
    item.duplicate_of = page.duplicate_of
    read, verdict = page.read, page.verdict
    if read is None or verdict is None:
        return
    if isinstance(item, TextPageItem) and page.kept is not None:
        text = StoredText.unpacked(page.kept.data)
        item.text, item.markdown = text.text, text.markdown or None
    item.fetched_at = _iso(verdict.fetched_at(read))
    moved = verdict.change is Change.NEW and MOVED in page.response.meta
    change = Change.MOVED if moved else verdict.change
    item.change = None if change is None else change.name.lower()
    item.previous_fetch = None if verdict.previous is None else _iso(verdict.previous)
    item.changed_share = verdict.share if change is Change.CHANGED else None


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")


def _is_on(given: object) -> bool:
    return str(given).strip().lower() not in ("", "0", "false", "no")
