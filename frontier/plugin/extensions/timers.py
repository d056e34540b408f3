"""Timers that were cancelled are forgotten at once, as far as that goes.

A request has several, each of some hundred bytes. Twisted lets go of those that were cancelled when
another one is due, and of a busy crawl none is for a minute (LOGSTATS_INTERVAL).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.reactor import is_reactor_installed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

_SECONDS = 2.0


class CancelledTimers:
    """Has a timer of Twisted's that is due every few seconds, while the spider is open."""

    def __init__(self) -> None:
        self._timer: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        timers = cls()
        crawler.signals.connect(timers.spider_opened, signals.spider_opened)
        crawler.signals.connect(timers.spider_closed, signals.spider_closed)
        return timers

    def spider_opened(self) -> None:
        if is_reactor_installed():
            from twisted.internet import reactor

            clock: Any = reactor
            self._timer = clock.callLater(_SECONDS, self.spider_opened)

    def spider_closed(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
