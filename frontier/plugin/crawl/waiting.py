"""Pages whose items are in the pipelines.

What a page teaches is learned when its callback has ended, so that slow pipelines do not delay the
order. But it counts as fetched on disk only when the scraper is done with it: when every item that
it led to was scraped, dropped or failed, and whoever listens to that has heard it. So it is the
scraper that is watched and not the items: a pipeline may return other objects than it was given,
and a middleware may replace, drop or add some. A process that dies before that leaves the page
leased, and it is fetched again.
"""

from __future__ import annotations

import atexit
import logging
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from frontier.errors import StoreError
from frontier.plugin import compat
from frontier.plugin.crawl.leases import TOKEN

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from frontier.backend.backend import LinkRankBackend
    from frontier.plugin.crawl.leases import Lease

logger = logging.getLogger(__name__)


ITEMS_WAIT = 600.0
"""Seconds after which a page counts as fetched though its items are still in the pipelines: what
takes ten minutes has hung."""
_AT_WORK = 0.05
"""Seconds after which pipelines are taken to wait for something, and not to be at work."""
LATE = "frontier/items/late"
"""Stat of the pages that were not waited for any longer."""


class PagesInPipelines:
    """Holds pages until the scraper is done with them, and knows whether the crawl was stopped."""

    def __init__(self, crawler: Crawler, backend: LinkRankBackend) -> None:
        self._crawler = crawler
        self._backend = backend
        self._held: dict[int, tuple[Lease, float]] = {}
        """Lease and since when, by the lease's number; the first came first."""
        self._timer: Any = None

    def open(self) -> None:
        """Watch the scraper, and the end of the process."""
        compat.follow_scraping(self._crawler, TOKEN, self._done)
        atexit.register(self._ended)

    def close(self) -> None:
        """The crawl is closed: nothing takes too long any more."""
        atexit.unregister(self._ended)
        if self._timer is not None:
            self._timer.cancel()

    def _ended(self) -> None:
        """The process ends before the crawl was closed: in order, if that had been asked for."""
        if not self._crawler.crawling:
            with suppress(StoreError):
                self._backend.deaths.stopped()
                self._backend.commit()

    def hold(self, lease: Lease) -> None:
        """Keep a page, which is going to be recorded, from counting as fetched for now."""
        lease.page.held = True
        self._held[lease.number] = lease, time.monotonic()
        if self._backend.deaths.set_aside:
            compat.call_later(_AT_WORK, partial(self._backend.deaths.waits, lease.handed))
        if self._timer is None:
            self._timer = compat.call_later(ITEMS_WAIT, self._look)

    def _done(self, number: int) -> None:
        held = self._held.pop(number, None)
        if held is not None:
            self._backend.let_go(held[0].handed)

    def _look(self) -> None:
        """Let go of the pages that were held for too long."""
        self._timer = None
        while self._held:
            number, (lease, since) = next(iter(self._held.items()))
            left = since + ITEMS_WAIT - time.monotonic()
            if left > 0:
                self._timer = compat.call_later(left, self._look)
                break
            self._warn(lease)
            self._done(number)
        with suppress(StoreError):  # told by the store; a crawl that is closing commits no more
            self._backend.commit()
        compat.wake(self._crawler)

    def _warn(self, lease: Lease) -> None:
        stats: Any = self._crawler.stats
        if not stats.get_value(LATE):
            logger.warning(
                "Items of %s are in the pipelines for more than %g seconds: the page counts as "
                "fetched now, so they are lost if the process dies. Further pages like it are "
                "counted in %s.",
                *(lease.request, ITEMS_WAIT, LATE),
            )
        stats.inc_value(LATE)
