"""With FRONTIER_METRICS_PORT, a crawl's stats for Prometheus.

A thread serves the port, so that it works with either reactor, without one and in `scrapy frontier
serve`. It shows the values that the crawl's own thread has stored within the last second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured

from frontier.inspection.prometheus import MetricsServer, listening
from frontier.plugin import compat
from frontier.plugin.extensions.base import Extension
from frontier.plugin.extensions.stats import SECOND, figures_of
from frontier.plugin.settings import value

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Metrics(Extension):
    """Scrapy extension: with FRONTIER_METRICS_PORT, serves the stats to Prometheus.

    As with Scrapy's telnet console, a port in use is logged as an error, and the crawl goes on.
    """

    _server: MetricsServer | None = None
    _next: Any = None

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._port = value(crawler.settings, "FRONTIER_METRICS_PORT")
        if self._port is None:
            raise NotConfigured

    def spider_opened(self) -> None:
        """Listen, and copy the stats each second."""
        self._server = listening(self._port)
        if self._server is not None:
            self._show(self._server)

    def _show(self, server: MetricsServer) -> None:
        stats = self._crawler.stats
        server.show({**(stats.get_stats() if stats else {}), **figures_of(self.session)})
        self._next = compat.call_later(SECOND, lambda: self._show(server))

    def spider_closed(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._next.cancel()
            self._server.close()
