"""How a crawl ends: exactly at its limit of pages, with a failure if it has fetched none."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.extensions.closespider import CloseSpider

from frontier.formatting import clean
from frontier.plugin.crawl.in_flight import TOKEN
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
"""Most reasons in a list, the most frequent first."""
PAGES = "pages"
"""The reason of a `scrapy frontier serve` that stopped at its number of pages."""
_WORDS = {
    "finished": "The crawl is finished: nothing is left to fetch.",
    "shutdown": "The crawl was interrupted.",
    "cancelled": "The crawl was stopped by its spider.",
    PAGES: "Stopped at the limit of {} pages.",
}
"""Scrapy's `finish_reason` -> a sentence; other reasons are shown as they are."""
_LIMIT = "closespider_"
"""Prefix of Scrapy's reasons that are names of settings in small letters."""
STOPPED = "shutdown"
"""Scrapy's `finish_reason` of a crawl that its user stopped."""


def why(reason: str, settings: BaseSettings, enough: Reached | None) -> str:
    """The sentence for Scrapy's `finish_reason`."""
    if enough is not None and enough.reason == reason:
        return enough.text
    if reason in _WORDS:
        return _WORDS[reason].format(settings.get("CLOSESPIDER_PAGECOUNT"))
    if not reason.startswith(_LIMIT):
        return f"The crawl stopped: {clean(reason)}."
    return f"Stopped at the limit {reason.upper()} = {settings.get(reason.upper())}."


def nothing_fetched(errors: Iterable[tuple[str, int]]) -> list[str]:
    """The message of a crawl without pages: reasons with the number of their URLs."""
    reasons = [f"  {count:,} x {clean(reason, 300)}" for reason, count in errors]
    return ["Nothing was fetched: every requested URL failed.", *reasons[:REASONS]]


class FailWithoutPages(Extension):
    """Scrapy extension: a crawl that has fetched no page, in any run, is a failure.

    Scrapy calls it finished, with exit code 0. Here the log lists the reasons, and the exit code
    is 1.
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
        """Log the reasons, unless the user stopped the crawl."""
        if self._lines and reason != STOPPED:
            logger.warning("\n".join(self._lines))
            fail_at_end(self._crawler)


class CloseAtLimit(CloseSpider):
    """Scrapy extension in the place of CloseSpider: CLOSESPIDER_PAGECOUNT is exact.

    Scrapy counts robots.txt files, too, and adds the requests in flight when the number is reached.
    Here only answers of the frontier's URLs count, and no more requests leave than answers are
    missing; the other URLs stay queued.
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
        """Count an answer, unless it is a robots.txt or a download of a callback."""
        if TOKEN in request.meta:
            super().page_count(response, request, spider)
