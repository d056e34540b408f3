"""What ends a crawl that runs: a file of its own that cannot be written or read any more.

A disk that is full is no reason to go on, for nothing that is fetched could be kept; nor to die,
for all that was committed is kept. So nothing more is handed out, callbacks and pipelines have a
few seconds to end, and the crawl closes, with one message that says what happened, where and how to
go on, and an exit code that is not 0.

It does not matter where a failure of the store comes up, nor who catches it: the store itself tells
of each (`Store.failed`). From then on nothing is written, and no answer counts: what the file says
of every URL stays as it was at the last commit.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from frontier.errors import StoreError
from frontier.plugin import compat
from frontier.plugin.failures import fail_at_end
from frontier.plugin.resume_command import how_to_go_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from frontier.store import Store
    from ranking.errors import LinkRankError

logger = logging.getLogger(__name__)

REASON = "storage_failed"
"""Scrapy's `finish_reason` of a crawl that could not keep its files."""
PATIENCE_AT_END = 4.0
"""Seconds that what is in flight has left; its URLs are leased, so that they are fetched again."""

_OWN = logging.CRITICAL
"""Level of the one message."""

_troubles: WeakKeyDictionary[Crawler, StorageErrors] = WeakKeyDictionary()


def trouble_of(crawler: Crawler) -> StorageErrors:
    """Return the one of a crawler, made on first use."""
    if crawler not in _troubles:
        _troubles[crawler] = StorageErrors(crawler)
    return _troubles[crawler]


class StorageErrors:
    """Stops one crawl, once, for the first reason it is given."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.error: LinkRankError | None = None
        self._store: Store | None = None

    def watch(self, store: Store) -> None:
        """Be told of whatever fails in a store; it is abandoned as soon as there is an error."""
        self._store = store
        store.failed = self.stop

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
        if self._store is not None:
            self._store.abandon()
        crawler = self._crawler
        fail_at_end(crawler)
        logger.log(_OWN, "The crawl stops: %s Then, %s", error, how_to_go_on(crawler.settings))
        for handler in logging.getLogger().handlers:
            handler.addFilter(_brief)
        # Later: who found the trouble may be in the middle of the engine's own work.
        compat.call_later(0, lambda: compat.close_spider(crawler, REASON))
        compat.call_later(PATIENCE_AT_END, lambda: compat.forget_in_flight(crawler))


def _brief(record: logging.LogRecord) -> bool:
    """Drop a report of the trouble that was told; take the traceback off of what follows."""
    error = record.exc_info[1] if record.exc_info else None
    # Another crawl in this process may have to tell of trouble of its own.
    told = record.args if isinstance(record.args, tuple) and record.levelno < _OWN else ()
    if any(isinstance(one, StoreError) for one in (error, *told)):
        return False
    if isinstance(error, OSError):
        record.exc_info = None
        record.msg, record.args = f"{record.getMessage()} ({error})", ()
    return True
