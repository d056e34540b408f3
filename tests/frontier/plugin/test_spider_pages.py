"""Open pages of a spider: read at once, closed once, and one update with all they led to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from scrapy import Request
from scrapy.http import HtmlResponse, Response

from frontier.parsing.content import Link
from frontier.plugin.crawl.in_flight import TOKEN, Flights
from frontier.plugin.crawl.leaving import OrderWait
from frontier.plugin.crawl.open_page import Links, OpenPage
from frontier.plugin.crawl.spider_pages import SpiderPages
from frontier.states import State
from frontier.traps.refusals import TOO_FAR
from tests.support.crawlers import Parts, opened

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
PAGE = b"<title>A page</title><p>of words</p><a href='http://b.example/'>to B</a>"


@dataclass
class Spider:
    """The pages of a crawl that has leased one URL."""

    parts: Parts
    pages: SpiderPages
    flights: Flights
    stored: list[OpenPage] = field(default_factory=list)

    def respond(self, status: int = 200, body: bytes = PAGE) -> Response:
        """Lease a URL, and open the page that answers it."""
        (lease,) = self.parts.leases(1)
        request = Request(lease.url, meta={TOKEN: lease.number})
        flight = self.flights.start(lease, request)
        response = HtmlResponse(lease.url, status, body=body, encoding="utf-8", request=request)
        self.flights.answer(flight, response)
        self.pages.open(response)
        return response

    def open_page(self, status: int = 200) -> OpenPage:
        page = self.pages.of(self.respond(status))
        assert page is not None
        return page

    def end(self, page: OpenPage) -> State:
        """Close a page; return the state of its URL."""
        assert self.pages.remove(page)
        self.pages.close(page)
        return self.parts.frontier.ledger.state_of(page.flight.lease.url_id)


@contextmanager
def spider(**settings: object) -> Iterator[Spider]:
    with opened() as parts:
        for name, value in settings.items():
            parts.crawler.settings.set(name, value)
        flights, stored = Flights(OrderWait(lambda: False, 8, 0.0)), list[OpenPage]()
        pages = SpiderPages(
            *(parts.crawler, parts.config, parts.codec, parts.frontier, flights, stored.append)
        )
        seed = parts.codec.encode(Request(A))
        seed.seed = True
        parts.frontier.add_seeds([seed])
        yield Spider(parts, pages, flights, stored)


def test_a_page_is_read_when_it_opens_and_stored_when_it_closes() -> None:
    with spider() as crawl:
        page = crawl.open_page()
        assert (page.content.title, page.text) == ("A page", "of words to B")
        assert page.read is page.verdict is None
        assert crawl.end(page) is State.CRAWLED
        assert page.read is not None
        assert (page.read.title, page.read.status) == ("A page", 200)
        assert crawl.stored == [page]


def test_a_page_is_closed_once_and_its_flight_ends_with_it() -> None:
    with spider() as crawl:
        response = crawl.respond()
        page = crawl.pages.of(response)
        assert page is not None
        crawl.end(page)
        assert not crawl.pages.remove(page)
        assert crawl.pages.of(response) is None
        assert page.flight not in crawl.flights


def test_a_response_that_was_not_leased_has_no_page() -> None:
    with spider() as crawl:
        response = HtmlResponse(C, body=PAGE, request=Request(C))
        crawl.pages.open(response)
        assert crawl.pages.of(response) is None


def test_links_enter_the_frontier_with_their_page_and_not_before() -> None:
    with spider() as crawl:
        page = crawl.open_page()
        crawl.pages.follow_links(page, Links((Link(B, "to B", "", nofollow=False),)))
        assert not crawl.parts.frontier.pending()
        crawl.end(page)
        (lease,) = crawl.parts.leases()
        assert (lease.url, lease.depth, lease.anchor) == (B, 1, "to B")


def test_links_beyond_the_depth_limit_are_refused_and_counted() -> None:
    with spider(DEPTH_LIMIT=1) as crawl:
        for target in (B, C):
            page = crawl.open_page()
            crawl.pages.follow_links(page, Links((Link(target, "", "", nofollow=False),)))
            crawl.end(page)
        assert crawl.parts.leases() == []
        assert crawl.parts.frontier.refusals.counts == {TOO_FAR: 1}


def test_an_error_page_fails_unless_the_spider_follows_its_links() -> None:
    with spider() as crawl:
        page = crawl.open_page(404)
        assert crawl.end(page) is State.ERROR
        assert crawl.stored == []
        assert crawl.parts.leases() == []
    with spider() as crawl:
        page = crawl.open_page(404)
        crawl.pages.follow_links(page, Links((Link(B, "", "", nofollow=False),)))
        assert crawl.end(page) is State.ERROR
        assert [lease.url for lease in crawl.parts.leases()] == [B]
