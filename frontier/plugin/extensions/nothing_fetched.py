"""A crawl that fetched no page says so when it ends, and why.

Scrapy calls it finished all the same, and its exit code is 0; a project that lists
`FailWithoutPages` in its EXTENSIONS has 1.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from frontier.formatting import clean
from frontier.plugin.extensions.extension import Extension
from frontier.plugin.settings.table import value
from frontier.plugin.startup_errors import fail_at_end
from frontier.states import State
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

REASONS = 5
"""Reasons that are listed; the most frequent come first."""
STOPPED = "shutdown"
"""Scrapy's reason of a crawl that somebody stopped, who knows why there is no page."""


def nothing_fetched(errors: Iterable[tuple[str, int]]) -> list[str]:
    """Why no page was fetched: reasons with the number of their URLs, the most frequent first."""
    reasons = [f"  {count:,} x {clean(reason, 300)}" for reason, count in errors]
    return ["Nothing was fetched: no URL that was asked for gave a page.", *reasons[:REASONS]]


class NothingFetched(Extension):
    """Scrapy extension: warns at the end of a crawl of which no page was fetched, in any run."""

    _lines: tuple[str, ...] = ()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if value(crawler.settings, "FRONTIER_EXCHANGE"):
            raise NotConfigured  # others may have fetched what this process did not
        return super().from_crawler(crawler)

    def spider_opened(self) -> None:
        """Read the reasons before the store closes."""
        self.session.before_close.append(self._look)

    def _look(self) -> None:
        figures, backend = self.session.figures, self.session.backend
        if figures.count(State.CRAWLED) or not figures.known:
            return
        try:
            backend.commit()
            self._lines = tuple(nothing_fetched(backend.store.error_counts().items()))
        except LinkRankError as error:
            logger.debug("It is not known why nothing was fetched: %s", error)

    def spider_closed(self, reason: str) -> None:
        """Warn, and end as the project wants it."""
        if self._lines and reason != STOPPED:
            self._end()

    def _end(self) -> None:
        logger.warning("\n".join(self._lines))


class FailWithoutPages(NothingFetched):
    """Scrapy extension: makes Scrapy's exit code 1 after such a crawl."""

    def _end(self) -> None:
        fail_at_end(self._crawler)
