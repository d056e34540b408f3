"""What the frontier's extensions of Scrapy have in common: a switch, signals, and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scrapy import signals
from scrapy.exceptions import NotConfigured

from frontier.plugin.crawl.session import session_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from frontier.plugin.crawl.session import CrawlSession

_HEARD = (
    *("engine_started", "spider_opened", "spider_closed"),
    *("response_received", "item_scraped"),
)
"""Scrapy's signals that extensions hear: by methods of the same names."""


class Extension:
    """Hears Scrapy's signals, if the setting `switch` is on or there is none."""

    switch: ClassVar[str] = ""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if cls.switch and not crawler.settings.getbool(cls.switch):
            # Without a message: Scrapy would log one as a warning in every crawl.
            raise NotConfigured
        extension = cls(crawler)
        for name in _HEARD:
            if hasattr(extension, name):
                crawler.signals.connect(getattr(extension, name), getattr(signals, name))
        return extension

    @property
    def session(self) -> CrawlSession:
        """The crawl's, once there is an engine."""
        return session_of(self._crawler)
