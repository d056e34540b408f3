"""The index of `scrapy frontier search`, kept up to date while a crawl runs (FRONTIER_INDEX).

Each page that the frontier takes in becomes a line of a file before the store commits it
(`frontier.search.pending`), and is indexed with others soon after, on Scrapy's thread: a second
thread that computes all the time would make both half as expensive again. Link texts, scores and
removed pages are read from the store, once a minute at most and at the end, in a thread of its own;
pages wait in the file meanwhile.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from frontier.errors import described
from frontier.plugin.extensions.base import Extension
from frontier.plugin.failures import trouble_of
from frontier.search.index import IndexedPage, SearchIndex
from frontier.search.pending import PendingPages, take_in
from frontier.search.syncing import sync
from frontier.states import State
from frontier.store import StoreReader
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from frontier.plugin.crawl.open_page import OpenPage

logger = logging.getLogger(__name__)

BATCH: Final = 128
"""Pages of a commit, which take some 100 ms: each commit waits for the disk."""
_SYNC: Final = 60.0
"""Seconds between two syncs with the store, or _REST times the duration of the last one."""
_REST: Final = 50.0
_NOTHING: Final = object()


class PageIndexer(Extension):
    """Scrapy extension: keeps the index of a crawl.

    The first error of the index is logged, and the crawl goes on without it: pages wait in their
    file for the next run, or for `scrapy frontier index`.
    """

    switch = "FRONTIER_INDEX"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="index")
        self._job: Future[None] | None = None
        self._index: SearchIndex | None = None
        self._pending: PendingPages | None = None
        self._taking: Iterator[None] = iter(())
        self._failed = False
        self._sync_at = time.monotonic() + _SYNC

    def spider_opened(self) -> None:
        """Index each page from now on, and the pages that an earlier run has left in the file."""
        directory = self.session.config.directory
        assert directory is not None, "the add-on requires one"
        self._directory = directory
        self.session.hooks.page_stored.add(self._page)
        with self._noting():
            self._pending = PendingPages(directory)
            self._index = SearchIndex.open(directory, write=True)

    def _page(self, page: OpenPage) -> None:
        if self._pending is None:
            return
        # The content is parsed here, unless the callback has asked for it.
        content, lease = page.content, page.flight.lease
        assert page.read is not None
        assert page.verdict is not None
        try:
            if page.verdict.state_of(page.read) is State.CRAWLED and not page.noindex:
                indexed = IndexedPage(lease.url_id, lease.url, content.title, content.text)
                self._pending.put(indexed)
            elif page.verdict.refetched:
                self._pending.put((lease.url_id,))
        except OSError as error:
            self._note(error)
            self._pending = None
            return
        if not self._failed:
            with self._noting():
                self._go_on(self._pending)

    def _go_on(self, pending: PendingPages) -> None:
        """Index a batch of pages, or sync with the store if that is due and not under way."""
        if self._job is not None:
            if not self._job.done():
                return
            job, self._job = self._job, None
            job.result()
        if next(self._taking, _NOTHING) is not _NOTHING or self._index is None:
            return
        if pending.waiting >= BATCH:
            pending.pass_on()
            self._taking = take_in(self._directory, self._index)
            next(self._taking, None)
        elif time.monotonic() >= self._sync_at:
            # A page that is not in the store would be removed from the index as gone.
            self.whole.commit()
            self._job = self._thread.submit(self._sync, self._index)

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
            if self._pending is not None:
                self._pending.close()
            if self._index is not None and trouble_of(self._crawler).error is None:
                if not self._failed:
                    deque(take_in(self._directory, self._index), 0)
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
