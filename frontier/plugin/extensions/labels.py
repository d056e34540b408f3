"""Labels that people give while a crawl runs."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from frontier.labels.label_file import LabelFile
from frontier.labels.learning import Relearning
from frontier.plugin.extensions.base import Extension
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

EVERY = 20
"""Responses between two reads of the file: a person waits some seconds, a crawl a microsecond."""


class LabelReader(Extension):
    """Scrapy extension: teaches the crawl the labels in its directory.

    The harvest rate is estimated when labels are added, and at the end: the estimate is about the
    pages fetched until then, and stays true while the crawl goes on.
    """

    of_whole_crawls = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._responses = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.get("JOBDIR"):
            # Labels are written to the directory, so a crawl without one has none.
            raise NotConfigured
        return super().from_crawler(crawler)

    def spider_opened(self) -> None:
        """Read the labels of earlier runs."""
        session = self.session
        file = LabelFile(self.whole.directory)
        self._relearning = Relearning(self.whole, file, session.codec.fingerprint_of)
        self._read_labels()
        self._estimate()
        session.hooks.closing.add(self._estimate)

    def response_received(self) -> None:
        """Read new labels, now and then."""
        self._responses += 1
        if self._responses % EVERY == 0:
            self._read_labels()

    def _read_labels(self) -> None:
        if self.whole.topic is None:
            return
        model = self._relearning.renewed(self.session.config)
        if model is not None:
            self.whole.topic = model
            self._estimate()

    def _estimate(self) -> None:
        try:
            rate = self._relearning.harvest_rate()
        except LinkRankError as error:  # a store that cannot be read must still be closed
            logger.error("No harvest rate of the crawl: %s", error)
            return
        if rate is not None:
            rate = rate._replace(until=min(rate.until, time.time()))
        self.whole.figures.harvest_rate = rate
