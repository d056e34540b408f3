"""What is handed out and not done: URLs without robots.txt, pages whose items are in the pipelines.

URLs that cannot be fetched before the robots.txt of their origin is known would wait in the
downloader, where they take the places of others; so they are *parked*: queued in the store, but in
no queue of this process until they are released. A crash therefore costs nothing, and other
origins, of the same host too, are not held up.

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
from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from frontier.backend.backend import LinkRankBackend
    from frontier.plugin.crawl.leases import Lease

logger = logging.getLogger(__name__)


class ParkedUrls:
    """The parked URLs by origin."""

    def __init__(self, backend: LinkRankBackend) -> None:
        self._backend = backend
        self.asked: Callable[[], int] = lambda: 0
        """How many robots.txt are under way that keep nobody's place."""
        self.is_awaited: Callable[[str], bool] = lambda _: False
        """Whether somebody will release an origin."""
        self._bound: dict[int, str] = {}
        self._parked: dict[str, list[int]] = {}
        self.when_idle: Callable[[], None] = lambda: None
        """Called while nothing but parked URLs is left to do."""

    def __contains__(self, origin: str) -> bool:
        return origin in self._parked

    @property
    def origins(self) -> list[str]:
        """Origins that have parked URLs."""
        return list(self._parked)

    def bind(self, lease: Lease, origin: str) -> None:
        """Have a lease parked when it is put back."""
        lease.postponed = True
        self._bound[lease.number] = origin

    def put_back(self, lease: Lease) -> None:
        """Take back a lease that was postponed: into the queue, or out of it where it is bound."""
        origin = self._bound.pop(lease.number, None)
        handed = lease.handed
        if origin is None:
            self._backend.retry(handed, handed, hold=0)
        else:
            self._parked.setdefault(origin, []).append(self._backend.set_aside(handed, handed))
            if not self.is_awaited(origin):
                # What was waited for came while the request was on its way back.
                self.release(origin)

    def release(self, origin: str) -> None:
        """Queue the URLs of an origin."""
        parked = self._parked.pop(origin, None)
        if parked:
            self._backend.queue_again(parked)

    def end(self, origin: str, state: State, reason: str) -> None:
        """Give the URLs of an origin a final state, without a hand-out."""
        self._backend.give_up(self._parked.pop(origin, ()), reason, state)

    def keeps_open(self) -> bool:
        """Whether the crawl goes on for the sake of parked URLs, once nothing else is queued."""
        if self._parked:
            self.when_idle()
        return bool(self._parked) or self._backend.queued > 0


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
