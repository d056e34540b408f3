"""The frontier's figures among Scrapy's stats; docs/stats.md says what each of them means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.plugin.extensions.extension import Extension

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler


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
