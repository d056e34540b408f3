"""Pages whose items are on their way through the pipelines."""

from __future__ import annotations

import atexit
from contextlib import suppress
from typing import TYPE_CHECKING

from frontier.errors import StoreError
from frontier.plugin import compat
from frontier.plugin.crawl.in_flight import TOKEN

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from frontier.plugin.crawl.in_flight import Flight
    from frontier.protocol import Frontier


class PagesInPipelines:
    """Holds pages until the scraper is done with them, and knows whether the crawl was stopped.

    The order learns from a page when its callback has ended, so that slow pipelines do not delay
    it. But the page counts as fetched on disk only when the scraper is done with it: when every
    item of it was scraped, dropped or failed, and the signals of that were handled. The scraper is
    watched and not the items, as a pipeline may return other objects than it got, and a middleware
    may replace, drop or add some. A process that dies before that leaves the page leased, and it is
    fetched again.
    """

    def __init__(self, crawler: Crawler, frontier: Frontier) -> None:
        self._crawler = crawler
        self._frontier = frontier
        self._held: dict[int, Flight] = {}

    def open(self) -> None:
        """Watch the scraper, and the end of the process."""
        compat.follow_scraping(self._crawler, TOKEN, self._done)
        atexit.register(self._ended)

    def close(self) -> None:
        """The crawl is closed, in order."""
        atexit.unregister(self._ended)

    def _ended(self) -> None:
        """The process ends before the crawl was closed: in order, if that had been asked for."""
        if not self._crawler.crawling:
            with suppress(StoreError):
                self._frontier.stopped()

    def hold(self, flight: Flight) -> None:
        """Keep a page, which is going to be recorded, from counting as fetched for now."""
        flight.lease.held = True
        self._held[flight.number] = flight

    def _done(self, number: int) -> None:
        held = self._held.pop(number, None)
        if held is not None:
            self._frontier.finish(held.lease)
