"""Open pages: read before the spider's callback, closed after the callback's last output.

Requests and links that a callback yields are noted on its page. Closing the page brings it and its
links to the frontier, as one update.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from frontier.plugin.crawl.in_flight import is_unmodified
from frontier.plugin.crawl.open_page import Links, OpenPage
from frontier.plugin.crawl.page_reader import PageReader
from frontier.plugin.crawl.page_texts import PageTexts
from frontier.plugin.net.guard import LinkGuard
from frontier.states import State
from frontier.traps.refusals import TOO_FAR

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.config import CrawlConfig
    from frontier.plugin.crawl.in_flight import Flights
    from frontier.plugin.crawl.request_codec import RequestCodec
    from frontier.protocol import Frontier
    from frontier.records import Canonical, Page, UrlRecord


class SpiderPages:
    """Opens and closes the pages of one crawl."""

    def __init__(
        self,
        crawler: Crawler,
        config: CrawlConfig,
        codec: RequestCodec,
        frontier: Frontier,
        flights: Flights,
        stored: Callable[[OpenPage], None],
    ) -> None:
        """`stored` is called with each page that the frontier has taken in."""
        self._crawler = crawler
        self._codec = codec
        self._frontier = frontier
        self._flights = flights
        self._stored = stored
        refuse = frontier.refusals.note
        self._link_guard = LinkGuard(crawler.settings, refuse)
        self._reader = PageReader(crawler, config, refuse, codec, self._link_guard)
        self._depth_limit = crawler.settings.getint("DEPTH_LIMIT")
        self._numbers = config.refresh.numbers if config.refresh.enabled else None
        self.texts = PageTexts(crawler, config)
        self._open: dict[int, OpenPage] = {}
        self.following: OpenPage | None = None
        """The page whose request is on its way through the engine."""

    def open(self, response: Response) -> None:
        """Read a response before the spider sees it."""
        flight = self._flights.answered_by(response)
        if flight is not None and flight in self._flights:
            page = self._open[flight.number] = OpenPage(flight, response, self._frontier.url)
            page.given = self.texts.of_pdf(response)
            self._reader.open(page, self._frontier.topic)
            self.texts.begin(page)

    def of(self, response: Response) -> OpenPage | None:
        """The open page of a response; None for a response that is not of the frontier."""
        flight = self._flights.answered_by(response)
        return None if flight is None else self._open.get(flight.number)

    def follow(self, page: OpenPage, request: Request) -> None:
        """Send a request that the spider made on a page through the engine."""
        self.following = page
        try:
            self._crawler.engine.crawl(request)
        finally:
            self.following = None

    def follow_links(self, page: OpenPage, links: Links) -> None:
        """Note the links of a page as they are."""
        page.follows_all = True
        depth = page.depth + 1
        if self._depth_limit and depth > self._depth_limit:
            self._frontier.refusals.note_all(TOO_FAR, (link.url for link in links.links))
            return
        for link in self._link_guard.allowed(links.links):
            page.add_link(self._codec.encode_link(link.url, depth), link)

    def remove(self, page: OpenPage) -> bool:
        """Remove a page that is going to be closed; False where it was closed before."""
        return self._open.pop(page.flight.number, None) is not None

    def close(self, page: OpenPage) -> None:
        """Bring a page and its links to the frontier."""
        self._flights.end(page.flight)
        links = page.candidates(self._frontier.topic)
        read = page.closed(self._numbers, keeps_text=self.texts.are_kept)
        if is_unmodified(page.flight, page.response):
            read = replace(read, state=State.CRAWLED, error=None, final_url=None)
            self._take(page, read, [], None)
        elif read.state is State.ERROR and not links:
            page.read, page.verdict = read, self._frontier.failed(page.flight.lease, read)
        else:
            self._take(page, read, links, self._reader.canonical_of(page, read, links))
            self._stored(page)

    def _take(
        self, page: OpenPage, read: Page, links: list[UrlRecord], canonical: Canonical | None
    ) -> None:
        page.read = read
        page.verdict = self._frontier.take(page.flight.lease, read, links, canonical)
