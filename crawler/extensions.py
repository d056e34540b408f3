"""Extensions of the focused crawler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class FlushFeeds:
    """Gives every item to the operating system as soon as it is exported.

    Scrapy keeps the last few kilobytes of a feed in the process. After `kill -9` the frontier
    would know pages as fetched whose items nobody ever sees; so an item reaches its file before
    its page is committed, and at worst it is there twice.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FlushFeeds:
        extension = cls(crawler)
        crawler.signals.connect(extension.flush, signals.item_scraped)
        return extension

    def flush(self) -> None:
        """Flush the files of all feeds that are open."""
        exporter: Any = self._crawler.get_extension(FeedExporter)
        for slot in getattr(exporter, "slots", ()):
            file = getattr(slot, "file", None)
            if file is not None and not file.closed:
                file.flush()
