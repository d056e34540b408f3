"""A crawl that may not start says why in one message and ends with an exit code that is not 0.

Scrapy reports an exception at start-up as an unhandled error with a traceback of its own frames,
and before 2.14 exits with 0. For an error of ours, whose message says all there is to say, the
traceback is kept from the log.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from ranking.errors import LinkRankError

logger = logging.getLogger(__name__)

_refused: WeakKeyDictionary[Crawler, LinkRankError] = WeakKeyDictionary()


class _WithoutTraceback(logging.Filter):
    """Drops the report of an unhandled error that has been explained already."""

    def __init__(self, explained: str) -> None:
        super().__init__()
        self._explained = explained

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += str(record.exc_info[1])
        return self._explained not in text and "Unhandled error in Deferred" not in text


def refuse(crawler: Crawler, error: LinkRankError) -> None:
    """Log why the crawl does not start, and make Scrapy's exit code 1 once `error` is raised.

    Once a crawl: several components may find the same.
    """
    if crawler in _refused:
        return
    _refused[crawler] = error
    logger.critical("The crawl does not start: %s", error)
    # Scrapy 2.13 takes a crawl that has a spider for one that started.
    crawler.spider = None
    for name in ("twisted", "asyncio"):
        logging.getLogger(name).addFilter(_WithoutTraceback(str(error)))


def refusal_of(crawler: Crawler) -> LinkRankError | None:
    """Why a crawl was refused; None if it was not."""
    return _refused.get(crawler)


def refuse_late(crawler: Crawler, error: LinkRankError) -> None:
    """Like `refuse`, for a spider that is open already."""
    _refused[crawler] = error
    logger.critical("The crawl does not start: %s", error)
    fail_at_end(crawler)


def fail_at_end(crawler: Crawler) -> None:
    """Make Scrapy's exit code 1 once the spider, which is open, has closed."""
    crawler.signals.connect(
        lambda: setattr(crawler, "spider", None), signal=signals.engine_stopped, weak=False
    )
