"""The frontier's figures among Scrapy's stats."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from frontier.formatting import rounded
from frontier.plugin.extensions.base import Extension

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from frontier.plugin.crawl.session import CrawlSession

_ALWAYS = tuple(
    f"frontier/{name}"
    for name in (
        *("pages", "relevant", "recent_share", "known", "queued", "leased"),
        *("harvest_rate/", "remaining/"),
    )
)
"""Prefixes of stats that are shown at 0, too: the state of the crawl and its estimates."""


SECOND = 1.0
"""Seconds between two updates of the stats: an update costs more than storing a response."""


def figures_of(session: CrawlSession) -> dict[str, float]:
    """The frontier's stats as they are now."""
    values = session.frontier.stats()
    for name, count in session.politeness.figures().items():
        values[f"frontier/politeness/{name}"] = count
    return values


class FrontierStats(Extension):
    """Scrapy extension: updates the stats at most once a second, and at the end."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._written: set[str] = set()
        self._due = 0.0

    def response_received(self) -> None:
        """Write the figures, unless they were written within the last second."""
        if time.monotonic() >= self._due:
            self._write()

    def _write(self) -> None:
        """Write the figures to the stats collector."""
        self._due = time.monotonic() + SECOND
        values = {
            name: rounded(value)
            for name, value in figures_of(self.session).items()
            if value or name.startswith(_ALWAYS)
        }
        stats: Any = self._crawler.stats
        known = stats.get_stats()
        for name in self._written - values.keys():
            known.pop(name, None)  # has no value any more
        self._written = set(values)
        for name, figure in values.items():
            stats.set_value(name, figure)

    def spider_closed(self) -> None:
        """Write all figures once more."""
        self._write()
