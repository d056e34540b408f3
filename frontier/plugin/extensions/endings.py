"""How a crawl ends: exactly at its limit of pages, and with a failure where it has none."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.extensions.closespider import CloseSpider

from frontier.formatting import clean
from frontier.plugin.crawl.leases import TOKEN
from frontier.plugin.crawl.session import session_of
from frontier.plugin.extensions.base import Extension
from frontier.plugin.failures import fail_at_end
from frontier.states import State
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from frontier.enough import Reached

logger = logging.getLogger(__name__)

REASONS = 5
"""Reasons that are listed; the most frequent come first."""
PAGES = "pages"
"""Why `scrapy frontier serve` stopped that counts pages."""
_WORDS = {
    "finished": "The crawl is finished: nothing is left to fetch.",
    "shutdown": "The crawl was interrupted.",
    "cancelled": "The crawl was stopped by its spider.",
    PAGES: "Stopped at the limit of {} pages.",
}
"""Scrapy's reason -> how to say it; other reasons are shown as they are."""
_LIMIT = "closespider_"
"""How Scrapy's reasons begin that are names of settings, but for capitals."""
STOPPED = "shutdown"
"""Scrapy's reason of a crawl that somebody stopped, who knows why there is no page."""


def why(reason: str, settings: BaseSettings, enough: Reached | None) -> str:
    """Say in words why a crawl ends that gives Scrapy's `finish_reason`."""
    if enough is not None and enough.reason == reason:
        return enough.text
    if reason in _WORDS:
        return _WORDS[reason].format(settings.get("CLOSESPIDER_PAGECOUNT"))
    if not reason.startswith(_LIMIT):
        return f"The crawl stopped: {clean(reason)}."
    return f"Stopped at the limit {reason.upper()} = {settings.get(reason.upper())}."


def nothing_fetched(errors: Iterable[tuple[str, int]]) -> list[str]:
    """Why no page was fetched: reasons with the number of their URLs, the most frequent first."""
    reasons = [f"  {count:,} x {clean(reason, 300)}" for reason, count in errors]
    return ["Nothing was fetched: no URL that was asked for gave a page.", *reasons[:REASONS]]


class FailWithoutPages(Extension):
    """Scrapy extension: a crawl of which no page was fetched, in any run, is a failure.

    Logs why, and makes Scrapy's exit code 1.
    """

    of_whole_crawls = True
    _lines: tuple[str, ...] = ()

    def spider_opened(self) -> None:
        """Read the reasons before the store closes."""
        self.session.hooks.closing.add(self._read_reasons)

    def _read_reasons(self) -> None:
        figures = self.whole.figures
        if figures.count(State.CRAWLED) or not figures.known:
            return
        try:
            self.whole.commit()
            self._lines = tuple(nothing_fetched(self.whole.store.error_counts().items()))
        except LinkRankError as error:
            logger.debug("The reasons of failed URLs cannot be read: %s", error)

    def spider_closed(self, reason: str) -> None:
        """Log the reasons, unless somebody stopped the crawl."""
        if self._lines and reason != STOPPED:
            logger.warning("\n".join(self._lines))
            fail_at_end(self._crawler)


class CloseAtLimit(CloseSpider):
    """Scrapy extension: CLOSESPIDER_PAGECOUNT counts answers of the frontier's URLs, exactly.

    Scrapy's counts each robots.txt, and what is in flight when the number is reached comes on top.
    Here no more requests leave than answers are lacking; what has not left stays queued.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if self.close_on["pagecount"]:
            crawler.signals.connect(self._limit, signals.spider_opened)

    def _limit(self) -> None:
        limit = self.close_on["pagecount"]
        hooks = session_of(self.crawler).hooks
        hooks.bound_in_flight(lambda: limit - self.counter["pagecount"])

    def page_count(self, response: Response, request: Request, spider: Spider) -> None:
        """Count an answer, unless it is of a robots.txt or of what a callback downloads."""
        if TOKEN in request.meta:
            super().page_count(response, request, spider)
