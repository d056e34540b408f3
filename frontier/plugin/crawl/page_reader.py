"""Reads the responses of a crawl, within bounds, and applies the page rules to what they hold."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse, TextResponse, XmlResponse

from frontier.errors import PageError, described
from frontier.pagerules.declared import with_headers
from frontier.parsing.content import MAX_TEXT, NOTHING, Link
from frontier.parsing.feed import is_feed
from frontier.parsing.head import SIGNALS
from frontier.parsing.listing import is_listing, read_listing
from frontier.parsing.reader import (
    ReadingLimits,
    of_few_hosts,
    read_html,
    read_markup,
    read_plain,
)
from frontier.plugin.crawl.bodies import readable
from frontier.records import Canonical
from frontier.states import Mark, State
from frontier.store.blobs import MAX_ANCHOR
from frontier.topic.relevance import judgement
from frontier.urls.resolve import Resolver
from frontier.warc.payload import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.config import CrawlConfig
    from frontier.parsing.content import PageContent
    from frontier.plugin.crawl.open_page import OpenPage
    from frontier.plugin.crawl.request_codec import RequestCodec
    from frontier.plugin.net.guard import LinkGuard
    from frontier.records import Page, UrlRecord
    from frontier.render.page_json import JsonContent
    from ranking.topics import TopicModel

logger = logging.getLogger(__name__)

_GZIP = b"\x1f\x8b"
_PROLOG = 4_096
"""Bytes in which the first element of a feed is looked for."""
MANY_HOSTS = "too many hosts on a page"
"""Why a link is refused that leads to one more host than `ReadingLimits.hosts`."""


class PageReader:
    """Reads the pages of one crawl, and applies the policy of its configuration to them.

    Before the callback, rules in headers are joined to those in the page, and links that are not to
    be followed are removed from the page that the spider gets. After it, the address that the page
    names as canonical goes to the frontier with its links. `frontier.pagerules` decides.
    """

    def __init__(
        self,
        crawler: Crawler,
        config: CrawlConfig,
        refuse: Callable[[str, str], object],
        codec: RequestCodec,
        guard: LinkGuard,
    ) -> None:
        """`refuse` is called with a reason and the URL of each link that is left out for it."""
        self._policy = config.page_policy
        self._codec = codec
        self._guard = guard
        self._stats: Any = crawler.stats
        self._depth_limit = crawler.settings.getint("DEPTH_LIMIT")
        self._revisits = config.refresh.enabled
        self._reader = ResponseReader(refuse, blocks=self._revisits)

    def open(self, page: OpenPage, topic: TopicModel | None) -> None:
        """Read a page; without a topic, what says nothing to crawlers only once it is asked for.

        Revisits ask for all: for dates of links, and what pages are held against.
        """
        if topic is not None or self._revisits or says_something(page.response):
            self._read(page, topic)
        else:
            page.read_later(partial(self._read, topic=topic))

    def _read(self, page: OpenPage, topic: TopicModel | None) -> None:
        """Read text, links, and how much the page is about the topic.

        One that cannot be read (an address in it that no parser takes, a topic model that fails) is
        logged and has no content: the callback gets its response all the same.
        """
        response = page.response
        try:
            content = page.given or self._reader.read(response)
            if page.flight.in_json is not None:
                content = joined_with_json(content, page.flight.in_json, response.url)
            page.judgement = judgement(content, topic) if response.status < 300 else None
            page.content = content
        except PageError as error:
            logger.warning("Not read: %s: %s", response, error)
            page.error = f"not read: {error}"
        except Exception as error:  # parsers and models of others
            logger.exception("Cannot parse %s; its links are not followed", response)
            page.error = f"not read: {described(error)}"
        self._apply_rules(page)

    def _apply_rules(self, page: OpenPage) -> None:
        content = declared_content(page.content, page.response)
        ruling = self._policy.ruling(content, time.time())
        page.marks, page.canonical = ruling.marks, self._policy.canonical_of(content, ruling)
        if ruling.withholds:
            self._stats.inc_value("frontier/page_rules/links_left", ruling.kept.count(False))
            if Mark.NOFOLLOW in ruling.marks:
                self._stats.inc_value("frontier/page_rules/nofollow")
        page.content = replace(content, links=self._policy.links(content, ruling))
        if page.noindex:
            self._stats.inc_value("frontier/page_rules/noindex")

    def canonical_of(
        self, page: OpenPage, read: Page, links: Sequence[UrlRecord]
    ) -> Canonical | None:
        """The address that a page names as its own, asked for as its link to it, if it has any.

        A spider that chooses its requests by itself is not sent to an address that nothing led
        to: the page is merged with what it names only where that is known already.
        """
        lease = page.flight.lease
        is_page = read.state is State.CRAWLED and page.flight.request.method == "GET"
        if page.canonical is None or not is_page:
            return None
        named = self._codec.encode_link(page.canonical, lease.depth + 1)
        own = next((link for link in links if link.fingerprint == named.fingerprint), None)
        if own is not None:  # as the spider asks for it
            named.body, named.unsaved = own.body, own.unsaved
            named.priority_class, named.slot, named.depth = own.priority_class, own.slot, own.depth
        may_be_new = (
            page.follows_all
            and named.fingerprint != lease.fingerprint  # most pages name themselves
            and not 0 < self._depth_limit < named.depth
            and any(self._guard.allowed([Link(named.url, "", "", nofollow=False)]))
        )
        return Canonical(named, may_be_new)


def joined_with_json(content: PageContent, in_json: JsonContent, url: str) -> PageContent:
    """Join what a page has in its JSON to what stands in its elements."""
    resolve, known = Resolver(url, None), {link.url for link in content.links}
    found = {resolve(link.address): link.text for link in in_json.links}
    links = [
        Link(address, text[:MAX_ANCHOR], "", nofollow=False)
        for address, text in found.items()
        if address is not None and address not in known
    ]
    text = " ".join((content.text, *in_json.texts)).strip()
    return replace(content, text=text[:MAX_TEXT], links=[*content.links, *links])


def declared_content(content: PageContent, response: Response) -> PageContent:
    """Join what headers say to what a page says; where it sends readers later on is a link."""

    def header(name: str) -> list[str]:
        # Bytes that are no text become something, never an error.
        return [value.decode("latin-1") for value in response.headers.getlist(name)]

    content = with_headers(content, header, response.url)
    if content.refresh is None:
        return content
    url, own = content.refresh[1], response.url.partition("#")[0]
    if url == own or any(link.url == url for link in content.links):
        return content
    return replace(content, links=[*content.links, Link(url, "", "", nofollow=False)])


def says_something(response: Response) -> bool:
    """Whether a response is HTML by Scrapy's word, or its headers say what a page could say."""
    names = ("X-Robots-Tag", "Link", "Refresh", *SIGNALS)
    return isinstance(response, HtmlResponse) or any(name in response.headers for name in names)


def _unpacked(response: Response, most: int) -> Response:
    """Return what is in a packed feed or sitemap (`sitemap.xml.gz`); others as they are."""
    beginning = unpacked(response.body, ("gzip",), _PROLOG).decode("utf-8-sig", "replace")
    is_list = is_listing(beginning, cut=True)
    if not is_list and not is_feed(beginning):
        return response
    # One more than is read shows that there are more.
    body = unpacked(response.body, ("gzip",), most + 1)
    return response.replace(cls=TextResponse if is_list else XmlResponse, body=body)


class ResponseReader:
    """Reads responses within bounds; what callbacks get is as it was."""

    def __init__(
        self,
        refuse: Callable[[str, str], object] = lambda reason, url: None,
        limits: ReadingLimits | None = None,
        *,
        blocks: bool = False,
    ) -> None:
        """`refuse` is called with a reason and the URL of each link that is left out for it.

        `blocks`: texts are wanted block by block as well, see `PageContent.blocks`.
        """
        self.limits = limits or ReadingLimits()
        self._refuse = refuse
        self._blocks = blocks

    def read(self, response: Response) -> PageContent:
        """Read a response; raises PageError for a text that is none."""
        if response.body.startswith(_GZIP):
            response = _unpacked(response, self.limits.body)
        response = readable(response)
        if not isinstance(response, TextResponse):
            return NOTHING
        is_long = len(response.body) > self.limits.body
        if is_long:
            beginning = response.body[: self.limits.body]
            response = response.replace(body=beginning, encoding=response.encoding)
        content = self._read(response)
        if is_long:
            content = replace(content, truncated=True)
        if len(content.links) <= self.limits.hosts:
            return content
        refuse = partial(self._refuse, MANY_HOSTS)
        return replace(content, links=of_few_hosts(content.links, self.limits.hosts, refuse))

    def _read(self, response: TextResponse) -> PageContent:
        text, charset, most = response.text, response.encoding, self.limits.links
        if is_listing(text):  # whatever its server says
            return read_listing(text, response.url, most, blocks=self._blocks)
        if isinstance(response, HtmlResponse):
            return read_html(
                text,
                lambda: response.selector.root,
                charset,
                response.url,
                most,
                blocks=self._blocks,
            )
        if isinstance(response, XmlResponse):
            # What is a page in it is read as one; an XML parser would stop at its first mistake.
            return read_markup(text, charset, response.url, most, blocks=self._blocks)
        return read_plain(text, blocks=self._blocks)
