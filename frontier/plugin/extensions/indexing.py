"""The index of `scrapy frontier search`, kept up to date while a crawl runs (FRONTIER_INDEX).

Each page that the frontier took in is a line of a file before the store commits it
(`frontier.search.pending`); a thread of its own indexes them, many at a time. What other pages say
of a page, scores, and that pages are gone come from the store, once a minute at most, and at the
end.
"""

from __future__ import annotations

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from frontier.errors import described
from frontier.plugin.extensions.basics import Extension
from frontier.plugin.failures import trouble_of
from frontier.search.index import IndexedPage, SearchIndex
from frontier.search.pending import PendingPages, take_in
from frontier.search.syncing import sync
from frontier.states import State
from frontier.store import StoreReader
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from frontier.plugin.crawl.open_page import OpenPage

logger = logging.getLogger(__name__)

BATCH: Final = 64
"""Pages that are indexed together: one at a time costs twice as much."""
_SYNC: Final = 60.0
"""Seconds between two looks at the store, or _REST times what the last one took."""
_REST: Final = 50.0


class PageIndexer(Extension):
    """Scrapy extension: keeps the index of a crawl.

    What goes wrong with the index is logged as an error, once, and the crawl goes on: pages wait in
    their file for the next run, or for `scrapy frontier index`.
    """

    switch = "FRONTIER_INDEX"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="index")
        self._job: Future[None] | None = None
        self._index: SearchIndex | None = None
        self._pending: PendingPages | None = None
        self._failed = False
        self._sync_at = time.monotonic() + _SYNC

    def spider_opened(self) -> None:
        """Take in what an earlier run left, and each page from now on."""
        directory = self.session.config.directory
        assert directory is not None, "the add-on requires one"
        self._directory = directory
        try:
            self._pending = PendingPages(directory)
        except OSError as error:
            self._note(error)
            return
        self.session.page_stored = self._page
        self._begin()

    def _page(self, page: OpenPage) -> None:
        assert self._pending is not None
        content, record = page.content, page.lease.page  # read here, if nobody asked before
        try:
            if record.state is State.CRAWLED and not page.ruled.noindex:
                found = record.url_id, page.lease.handed.url, content.title, content.text
                self._pending.put(IndexedPage(*found))
            elif record.refetched:
                self._pending.put((record.url_id,))
        except OSError as error:
            self._note(error)
            self.session.page_stored = lambda _: None
            return
        if self._pending.waiting >= BATCH or time.monotonic() >= self._sync_at:
            self._begin()

    def _begin(self, *, last: bool = False) -> None:
        """Have the thread index what waits, unless it is not done with what it has."""
        if self._job is not None:
            if not (self._job.done() or last):
                return
            if (error := self._job.exception()) is not None:
                self._note(error)
        if self._failed:
            return
        assert self._pending is not None
        self._pending.pass_on()
        due = last or time.monotonic() >= self._sync_at
        if due and not last:
            # What the store does not know would leave the index as gone.
            self.session.backend.commit()
        self._job = self._thread.submit(self._work, due)

    def _work(self, due: bool) -> None:  # noqa: FBT001 - for the thread
        if self._index is None:
            self._index = SearchIndex.open(self._directory, write=True)
        take_in(self._directory, self._index)
        if due:
            began = time.monotonic()
            with StoreReader.open(self._directory) as reader:
                sync(self._index, reader)
            ended = time.monotonic()
            self._sync_at = ended + max(_SYNC, _REST * (ended - began))

    def spider_closed(self) -> None:
        """Index the rest, by a store that is closed by now."""
        if self._pending is not None and trouble_of(self._crawler).error is None:
            self._begin(last=True)
            if self._job is not None and (error := self._job.exception()) is not None:
                self._note(error)
        self._thread.shutdown()
        if self._pending is not None:
            self._pending.close()
        if self._index is not None:
            self._index.close()

    def _note(self, error: BaseException) -> None:
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
