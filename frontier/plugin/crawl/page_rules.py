"""The page rules inside Scrapy: what is made of a response before and after its callback.

Before it, what headers say is joined to what the page says, and links that are not to be followed
are taken from what the spider is given. After it, the address that the page names as canonical
goes to the frontier before its links. All decisions are those of `frontier.pagerules`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from frontier.pagerules.declared import same_origin
from frontier.parsing.content import Link
from frontier.plugin.crawl.leases import TOKEN
from frontier.plugin.crawl.open_page import OpenPage, Ruled
from frontier.plugin.crawl.response_reader import declared_content
from frontier.states import Mark, State
from frontier.store import PLAIN

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler

    from frontier.backend.backend import LinkRankBackend
    from frontier.config import CrawlConfig
    from frontier.plugin.crawl.request_codec import RequestCodec
    from frontier.plugin.net.guard import LinkGuard
    from frontier.records import UrlRecord


class PageRules:
    """Applies the policy of a configuration to the pages of one crawl."""

    def __init__(
        self, crawler: Crawler, config: CrawlConfig, backend: LinkRankBackend, codec: RequestCodec,
        guard: LinkGuard
    ) -> None:  # fmt: skip
        self._policy = config.page_policy
        self._backend = backend
        self._codec = codec
        self._guard = guard
        self._stats: Any = crawler.stats
        self._depth_limit = crawler.settings.getint("DEPTH_LIMIT")

    def read(self, page: OpenPage, now: float) -> None:
        """Apply the rules to a page that was read at `now`, Unix seconds."""
        response = page.response
        content = declared_content(page.content, response)
        ruling = self._policy.ruling(content, now)
        page.ruled = Ruled(ruling.marks, canonical=self._policy.canonical_of(content, ruling))
        if ruling.withholds:
            self._stats.inc_value("frontier/page_rules/links_left", ruling.kept.count(False))
            if Mark.NOFOLLOW in ruling.marks:
                self._stats.inc_value("frontier/page_rules/nofollow")
        page.content = replace(content, links=self._policy.links(content, ruling))
        if page.ruled.noindex:
            self._stats.inc_value("frontier/page_rules/noindex")

    def close(self, page: OpenPage, links: list[UrlRecord], spider: Spider) -> None:
        """Put the address that a page names in front of its links, or note that it is its own.

        A spider that chooses its requests by itself is not sent to an address that nothing led
        to: the page is merged with what it names only where that is known already.
        """
        ruled = page.ruled
        if ruled.canonical is None or page.lease.page.state is not State.CRAWLED:
            return
        named = self._target(page, ruled.canonical, spider)
        if named is None:
            return
        handed = page.lease.handed
        _ask_as_the_spider_does(named, links)
        may_be_new = (
            ruled.follows_all
            and named.fingerprint != handed.fingerprint  # most pages name themselves
            and self._may_follow(named)
        )
        self._backend.names(handed, named, links, may_be_new=may_be_new)

    def _may_follow(self, named: UrlRecord) -> bool:
        """Whether a link to an address would be followed."""
        if self._depth_limit and named.depth > self._depth_limit:
            return False
        return any(self._guard.allowed([Link(named.url, "", "", nofollow=False)]))

    def _target(self, page: OpenPage, url: str, spider: Spider) -> UrlRecord | None:
        """The request for what a page names: as the page was asked for, at another address."""
        codec, handed = self._codec, page.lease.handed
        if page.lease.request.method != "GET":
            return None
        if handed.body in (None, PLAIN):
            return codec.encode_link(url, handed.depth + 1)
        try:
            request = codec.decode(handed, spider).replace(url=url)
        except ValueError:  # one that could not be stored
            return None
        page.lease.forget_slot(request)
        if not same_origin(url, handed.url):
            _forget_secrets(request)
        request.meta.pop(TOKEN, None)
        request.dont_filter = False
        request.meta["depth"] = handed.depth + 1
        candidate = codec.encode(request)
        candidate.asked = False  # the page names it, no spider asked for it
        return candidate if codec.attach_body(candidate, request, spider) else None


def _forget_secrets(request: Request) -> None:
    """Take out what was meant for the host that named another one, as Scrapy's redirects do."""
    request.cookies = {}
    for name in ("Cookie", "Authorization"):
        request.headers.pop(name, None)


def _ask_as_the_spider_does(named: UrlRecord, links: list[UrlRecord]) -> None:
    """Have what a page names asked for by the spider's own request for it, if it made one."""
    number = named.fingerprint
    own = next((one for one in links if one.fingerprint == number), None)
    if own is not None:
        named.body, named.unsaved = own.body, own.unsaved
        named.priority_class, named.slot, named.depth = own.priority_class, own.slot, own.depth
