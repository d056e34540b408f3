"""CLOSESPIDER_COVERAGE: a crawl that stops once it has fetched most of what matters.

It belongs to the family of Scrapy's CLOSESPIDER_PAGECOUNT and its like; the bound itself is
explained in `frontier/estimates/coverage.py`. Without the setting the bound is told all the same,
only more rarely, and at the end.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from frontier.estimates.coverage import CLOSELY, ROUGHLY, SELDOM, Coverage
from frontier.plugin import compat
from frontier.plugin.extensions.extension import Extension
from frontier.plugin.settings.table import value

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

REASON = "closespider_coverage"


class CloseSpiderCoverage(Extension):
    """Scrapy extension: keeps the figure, and closes the spider when it reaches the limit."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._limit = value(crawler.settings, "CLOSESPIDER_COVERAGE")

    def spider_opened(self) -> None:
        """A crawl that goes on may have reached the limit in an earlier run."""
        session = self.session
        self._driver, self._figures = session.backend.driver, session.figures
        often = (CLOSELY, 1) if self._limit else (ROUGHLY, SELDOM)
        self._coverage = Coverage(session.config.damping, *often)
        self._closing = False
        session.before_close.append(self._update)
        if session.backend.resumed:
            self._update()
            # The engine is not ready to be closed before all have heard that the spider is open.
            compat.call_later(0, self._close_if_reached)

    def response_received(self) -> None:
        """Update the bound if it is time to, and close the spider if that is enough."""
        if self._coverage.is_due(self._driver.graph.n_pages):
            self._update()
            self._close_if_reached()

    def _update(self) -> None:
        self._coverage.update(self._driver.graph, self._driver.evidence.seed)
        if not self._limit:
            self._coverage.forget()
        self._figures.coverage = self._coverage.value

    def _close_if_reached(self) -> None:
        reached = self._coverage.value or 0.0
        if self._limit and reached >= self._limit and not self._closing:
            self._closing = True
            logger.info("Closing the spider: at least %.2f %% is covered", 100 * reached)
            compat.close_spider(self._crawler, REASON)
