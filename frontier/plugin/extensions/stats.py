"""The frontier's figures among Scrapy's stats; docs/stats.md says what each of them means.

People read them at the end of a log: a count that is 0 is left out, as Scrapy leaves out a counter
that nothing has increased, and a fraction has six digits that count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.formatting import rounded
from frontier.plugin.extensions.extension import Extension

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler


_ALWAYS = tuple(
    f"frontier/{name}"
    for name in ("pages", "relevant", "known", "queued", "leased", "harvest_rate/", "remaining/")
)
"""Beginnings of names that are there at 0 too: where a crawl stands, and what is estimated."""


class FrontierStats(Extension):
    """Scrapy extension: brings the stats up to date with each response and at the end."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._told: dict[str, float] = {}

    def response_received(self) -> None:
        """Write the figures that have changed to the stats collector: a third of them."""
        session = self.session
        values = session.frontier.stats()
        for name, count in session.politeness.figures().items():
            values[f"frontier/politeness/{name}"] = count
        values = {
            name: rounded(value)
            for name, value in values.items()
            if value or name.startswith(_ALWAYS)
        }
        told, self._told = self._told, values
        stats: Any = self._crawler.stats
        tell = stats.set_value
        for name, value in values.items():
            if told.get(name) != value:
                tell(name, value)
        if not told.keys() <= values.keys():
            self._withdraw(told.keys() - values.keys())

    def _withdraw(self, names: Iterable[str]) -> None:
        """Remove what is no longer known."""
        known = self._crawler.stats.get_stats()
        for name in names:
            known.pop(name, None)

    def spider_closed(self) -> None:
        """Write all figures, whatever became of those that were written before."""
        self._told = dict.fromkeys(self._told, float("nan"))
        self.response_received()
