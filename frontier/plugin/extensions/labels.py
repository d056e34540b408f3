"""Labels that people give while a crawl runs, or gave before: `frontier/labels/label_file.py`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from frontier.labels.label_file import LabelFile
from frontier.labels.relearning import Relearning
from frontier.plugin.crawl.session import session_of
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

EVERY = 20
"""Responses between two looks at the file: a person waits a few seconds, a crawl a microsecond."""


class LabelReader:
    """Scrapy extension: brings the labels in a crawl's directory into the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._responses = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.get("JOBDIR"):
            # Nobody knows where a crawl without a directory lies.
            raise NotConfigured
        extension = cls(crawler)
        crawler.signals.connect(extension.open, signals.spider_opened)
        crawler.signals.connect(extension.count, signals.response_received)
        return extension

    def open(self) -> None:
        """Take in what was said before."""
        session = session_of(self._crawler)
        backend = session.backend
        file = LabelFile(backend.directory)
        self._labelling = Relearning(backend, file, session.codec.fingerprint_of)
        self._look()

    def count(self) -> None:
        """A response came."""
        self._responses += 1
        if self._responses % EVERY == 0:
            self._look()

    def _look(self) -> None:
        session = session_of(self._crawler)
        if session.topic is None or not self._labelling.look():
            return
        try:
            session.topic = self._labelling.relearned(session.config)
        except LinkRankError as error:
            logger.error("The topic was not learned anew from labels: %s", error)
        else:
            logger.info("The topic was learned anew, with what people said of pages")
