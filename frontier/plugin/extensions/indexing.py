"""The index of `scrapy frontier search`, kept up to date while a crawl runs (FRONTIER_INDEX).

The text of each page is kept beside the store (`frontier.texts`), and is indexed with others soon
after, on Scrapy's thread: a second thread that computes all the time would make both half as
expensive again. The index notes how far it has read, so that a kill loses no page. Link texts,
scores and removed pages are read from the store, once a minute at most and at the end, in a thread
of its own.
"""

from __future__ import annotations

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from frontier.errors import described
from frontier.plugin.extensions.base import Extension
from frontier.plugin.failures import trouble_of
from frontier.search.index import SearchIndex
from frontier.search.syncing import sync
from frontier.search.updating import TEXTS, index_all_texts, index_texts
from frontier.store import StoreReader
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from frontier.plugin.crawl.open_page import OpenPage

logger = logging.getLogger(__name__)

_SYNC: Final = 60.0
"""Seconds between two syncs with the store, or _REST times the duration of the last one."""
_REST: Final = 50.0


class PageIndexer(Extension):
    """Scrapy extension: keeps the index of a crawl.

    The first error of the index is logged, and the crawl goes on without it: texts wait in their
    file for the next run, or for `scrapy frontier index`.
    """

    switch = "FRONTIER_INDEX"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="index")
        self._job: Future[None] | None = None
        self._index: SearchIndex | None = None
        self._waiting = TEXTS  # there may be texts of an earlier run
        self._failed = False
        self._sync_at = time.monotonic() + _SYNC

    def spider_opened(self) -> None:
        """Index each page from now on, and the pages that an earlier run has left."""
        directory = self.session.config.directory
        assert directory is not None, "the add-on requires one"
        self._directory = directory
        self.session.hooks.page_stored.add(self._page)
        with self._noting():
            self._index = SearchIndex.open(directory, write=True)

    def _page(self, page: OpenPage) -> None:
        self._waiting += 1
        if self._index is not None and not self._failed:
            with self._noting():
                self._go_on(self._index)

    def _go_on(self, index: SearchIndex) -> None:
        """Index a batch of pages, or sync with the store if that is due and not under way."""
        if self._job is not None:
            if not self._job.done():
                return
            job, self._job = self._job, None
            job.result()
        if self._waiting >= TEXTS:
            self.whole.commit()
            batch = index_texts(index, self._directory)
            self._waiting = 0 if batch.read < TEXTS else TEXTS
        elif time.monotonic() >= self._sync_at:
            # A page that is not in the store would be removed from the index as gone.
            self.whole.commit()
            self._job = self._thread.submit(self._sync, index)

    def _sync(self, index: SearchIndex) -> None:
        began = time.monotonic()
        with StoreReader.open(self._directory) as reader:
            sync(index, reader)
        ended = time.monotonic()
        self._sync_at = ended + max(_SYNC, _REST * (ended - began))

    def spider_closed(self) -> None:
        """Index the rest and sync; the store is closed by now."""
        self._thread.shutdown()
        with self._noting():
            if self._job is not None:
                self._job.result()
            if self._index is not None and trouble_of(self._crawler).error is None:
                if not self._failed:
                    index_all_texts(self._index, self._directory)
                    self._sync(self._index)
                self._index.close()

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._note(error)

    def _note(self, error: Exception) -> None:
        if self._failed:
            return
        self._failed = True
        logger.error(
            "Pages are not indexed any more: %s They are indexed when the crawl is resumed, or by "
            "scrapy frontier index %s",
            described(error),
            self._directory,
            exc_info=None if isinstance(error, (LinkRankError, OSError)) else error,
        )
