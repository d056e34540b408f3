"""The base class of the frontier's Scrapy extensions: a switch, signals, and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scrapy import signals
from scrapy.exceptions import NotConfigured

from frontier.plugin.crawl.embedded import EmbeddedFrontier
from frontier.plugin.crawl.session import session_of
from frontier.plugin.settings import value

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from frontier.plugin.crawl.session import CrawlSession

_SIGNALS = ("spider_opened", "spider_closed", "response_received", "item_scraped")
"""Scrapy's signals that call a method of the same name."""


class Extension:
    """A Scrapy extension whose methods are connected to the signals of the same names.

    It is installed unless its setting `switch` is off. With FRONTIER_EXCHANGE an extension
    `of_whole_crawls` is left out, because a fetcher sees only a part of the crawl.
    """

    switch: ClassVar[str] = ""
    of_whole_crawls: ClassVar[bool] = False

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if cls.switch and not crawler.settings.getbool(cls.switch):
            # Without a message, which Scrapy would log as a warning in every crawl.
            raise NotConfigured
        if cls.of_whole_crawls and value(crawler.settings, "FRONTIER_EXCHANGE"):
            raise NotConfigured
        extension = cls(crawler)
        for name in _SIGNALS:
            if hasattr(extension, name):
                crawler.signals.connect(getattr(extension, name), getattr(signals, name))
        return extension

    @property
    def session(self) -> CrawlSession:
        """The session of the crawl, once there is an engine."""
        return session_of(self._crawler)

    @property
    def whole(self) -> EmbeddedFrontier:
        """The frontier in this process, for extensions `of_whole_crawls`."""
        frontier = self.session.frontier
        assert isinstance(frontier, EmbeddedFrontier)
        return frontier
