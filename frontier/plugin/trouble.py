"""What ends a crawl that runs: a file of its own that cannot be written or read any more.

A disk that is full is no reason to go on, for nothing that is fetched could be kept; nor to die,
for all that was committed is kept. So nothing more is handed out, what is in flight may still
arrive for a few seconds, and the crawl closes, with one message that says what happened, where and
how to go on, and an exit code that is not 0.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals

from frontier.errors import StoreError
from frontier.plugin import compat
from frontier.plugin.resuming import how_to_go_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from ranking.errors import LinkRankError

logger = logging.getLogger(__name__)

REASON = "storage_failed"
"""Scrapy's `finish_reason` of a crawl that could not keep its files."""
PATIENCE_AT_END = 4.0
"""Seconds that what is in flight has left; its URLs are leased, so that they are fetched again."""

_TELLING = ("scrapy.core.engine", "scrapy.extensions.feedexport", "scrapy.utils.signal")
"""Loggers that report what else fails on a full disk, with tracebacks of their own frames."""

_troubles: WeakKeyDictionary[Crawler, Trouble] = WeakKeyDictionary()


def trouble_of(crawler: Crawler) -> Trouble:
    """Return the one of a crawler, made on first use."""
    if crawler not in _troubles:
        _troubles[crawler] = Trouble(crawler)
    return _troubles[crawler]


class Trouble:
    """Stops one crawl, once, for the first reason it is given."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.error: LinkRankError | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Let the block fail because of the store, and stop the crawl then."""
        try:
            yield
        except StoreError as error:
            self.stop(error)

    def stop(self, error: LinkRankError) -> None:
        """Close the crawl; further troubles on the way to its end are only noted."""
        if self.error is not None:
            logger.debug("Another failure while the crawl stops: %s", error)
            return
        self.error = error
        crawler = self._crawler
        crawler.signals.connect(
            lambda: setattr(crawler, "spider", None), signal=signals.engine_stopped, weak=False
        )
        for name in _TELLING:
            logging.getLogger(name).addFilter(_brief)
        logger.critical("The crawl stops: %s Then, %s", error, how_to_go_on(crawler.settings))
        # Later: who found the trouble may be in the middle of the engine's own work.
        compat.call_later(0, lambda: compat.close_spider(crawler, REASON))
        compat.call_later(PATIENCE_AT_END, lambda: compat.forget_in_flight(crawler))


def _brief(record: logging.LogRecord) -> bool:
    """Take the traceback off a report of what follows from the trouble that was told."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, (OSError, StoreError)):
        record.exc_info = None
        record.msg, record.args = f"{record.getMessage()} ({error})", ()
    return True
