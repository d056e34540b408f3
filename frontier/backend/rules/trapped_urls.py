"""URLs that look like one of endlessly many: the detector decides, here is done what follows.

URLs that wait have left the queue and are given up when nothing else is left, or they stay in it
behind all others of their class, as FRONTIER_TRAPS says. They are QUEUED in the ledger either way,
so that a crawl that is resumed asks about them again.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from frontier.backend.reasons import Hold
from frontier.states import State
from frontier.store import schema
from frontier.traps.detector import TrapDetector
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from frontier.backend.frontier_queue import FrontierQueue
    from frontier.backend.ledger import UrlLedger
    from frontier.config import CrawlConfig
    from frontier.records import Lease, Page
    from frontier.store import Store
    from frontier.strategy.order_driver import OrderDriver
    from frontier.traps.refusals import Refusals
    from frontier.verdict import Verdict

logger = logging.getLogger(__name__)

_QUEUED = int(State.QUEUED)
_MOST_LINES = 50
"""Of the log, of each kind."""
_SAVED_EVERY = 1000
"""Answers after which the budgets are saved. A crawl that is killed spends again what it had spent
since."""


class TrappedUrls:
    """Keeps the watch over one crawl.

    Invariant: a URL that waits is in the watch, and in the queue only as one of the last.
    """

    hold = Hold.TRAP

    def __init__(
        self,
        config: CrawlConfig,
        store: Store,
        ledger: UrlLedger,
        queue: FrontierQueue,
        driver: OrderDriver,
        refusals: Refusals,
    ) -> None:
        """Go on with what a crawl that is resumed had learned."""
        self._store = store
        self._ledger = ledger
        self._queue = queue
        self._driver = driver
        self._unsaved = 0
        self._drop = config.traps.drop
        self.put_last: Counter[tuple[str, str]] = Counter()
        self.given_up: Counter[tuple[str, str]] = Counter()
        self.watch = TrapDetector(
            config.traps,
            refusals,
            lambda url_id: store.urls_of([url_id])[0],
            lambda url_id: ledger.host_names[ledger.host.array[url_id]],
            lambda ids: ledger.state.array[[*ids]].tobytes().count(_QUEUED),
            self._waits,
            ledger.host_names,
            config.relevant if config.focused else None,
        )
        saved = store.load_array(schema.TRAPS)
        if saved is not None and self.watch.restore(json.loads(saved[1].tobytes())):
            self._take_up()

    def _take_up(self) -> None:
        given_up = np.flatnonzero(self._ledger.state.array == State.TRAP)
        for url_id in given_up.tolist():
            self._ledger.requeue(url_id)
        self._queue.schedule(given_up)

    def judge(self, lease: Lease, page: Page, so_far: Verdict) -> Verdict:
        """Say which links of an answer may become URLs of the crawl, and what the answer proves."""
        self._unsaved += 1
        return self.watch.judge(lease, page, so_far)

    def failed(self, lease: Lease, page: Page) -> None:
        """Take in that a lease failed for good."""
        self._unsaved += 1
        self.watch.failed(lease, page)

    def release(self) -> bool:
        """Queue the URLs that may leave again; whether there were any."""
        released = self.watch.take_released()
        if released:
            self._queue.bring_back(released)
            self._queue.schedule(released)
        return bool(released)

    @property
    def keeps_open(self) -> bool:
        """Whether URLs wait that are in no queue: they are fetched or given up before the end."""
        return self._drop and bool(self.watch.waiting)

    def nothing_left(self) -> bool:
        """Give up what waits, if nothing else is left and nothing is under way.

        True if some of it may leave instead.
        """
        if not self.keeps_open or self._queue.count() or self._ledger.counts[State.LEASED]:
            return False
        given_up = []
        for url_id, domain, reason in self.watch.abandon():
            self.given_up[reason, domain] += 1
            self._ledger.drop(url_id, reason)
            given_up.append(url_id)
        self._driver.order.fail(np.array(given_up, dtype=np.int64))
        return self.release()

    def log_dropped(self) -> None:
        """Write to the log what was held back in this run, by reason and domain."""
        for (reason, domain), urls in self.given_up.most_common(_MOST_LINES):
            logger.error("Dropped as crawler traps: %d URLs of %s: %s", urls, domain, reason)
        for (reason, domain), urls in self.put_last.most_common(_MOST_LINES):
            logger.warning(
                "Queued last as likely crawler traps: %d URLs of %s: %s", urls, domain, reason
            )

    def save_due(self) -> None:
        """Save the budgets if enough answers came since the last time."""
        if self._unsaved >= _SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Save the budgets with the next commit."""
        if self._unsaved:
            self._unsaved = 0
            state = json.dumps(self.watch.state()).encode()
            self._store.save_array(schema.TRAPS, 0, np.frombuffer(state, np.uint8))

    def _waits(self, url_id: int) -> bool:
        """Whether a refused URL is still queued; it may have left as one of the last."""
        is_queued = self._ledger.state_of(url_id) is State.QUEUED
        return is_queued and (self._drop or self._queue.is_last(url_id))

    def lets_leave(self, url_id: int) -> bool:
        """Whether a URL has a budget left or is last in line; else it waits or is put last."""
        if self._queue.is_last(url_id):
            return True  # its turn has come
        row = self._store.fetch_urls([url_id])[url_id]
        host = self._ledger.host_names[row.host]
        reason = None if row.seed else self.watch.refusal(url_id, row.url, host)
        if reason is not None and not self._drop:
            self._put_last(url_id, row.url, host, reason)
        return reason is None

    def _put_last(self, url_id: int, url: str, host: str, reason: str) -> None:
        domain = registered_domain(host)
        self.put_last[reason, domain] += 1
        if self.put_last[reason, domain] == 1:
            logger.info("Put last, with all of %s for that reason: %s: %s", domain, url, reason)
        self._queue.put_last(url_id)
        self._queue.schedule([url_id])
