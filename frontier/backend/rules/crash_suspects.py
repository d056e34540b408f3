"""URLs that were in flight when the process died, and may have killed it.

A process that dies leaves its leases behind: URLs that were in flight, one of which may have caused
the crash. A page whose handling kills the process would be the first again after each restart, so
URLs that were in flight at several crashes wait for all others. When nothing else is left they are
leased, each alone; a URL that is in flight at many more crashes ends as an error. Since each crash
moves a count, no number of kills, however early they come, keeps a crawl at the same URLs. A
process that is stopped in order with requests in flight did not crash: see `CrashSuspects.stopped`.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.backend.reasons import Hold
from frontier.states import State
from frontier.store.schema import DEATHS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frontier.backend.frontier_queue import FrontierQueue
    from frontier.backend.ledger import UrlLedger
    from frontier.records import Lease
    from frontier.store import Loaded, Store
    from frontier.strategy.order_driver import OrderDriver

logger = logging.getLogger(__name__)

ALONE = 8
"""Deaths with a URL alone in flight that end it: crawls are killed from outside too, at any moment,
and no URL may end for that."""
REASON = "the process died each time it was fetched alone"


def is_set_aside(noted: Mapping[str, Any] | None, url_id: int) -> bool:
    """Whether a URL waits until nothing else is left, by what a crawl keeps under DEATHS."""
    return noted is not None and noted["urls"].get(str(url_id), 0) >= noted["enough"]


class CrashSuspects:
    """Counts crashes, and leases URLs that may have caused them last, one at a time.

    Invariant: while `_alone` is leased or held nothing else is leased; `_aside` holds suspects
    that are QUEUED in the ledger and in no queue.
    """

    hold = Hold.CRASH

    def __init__(
        self,
        store: Store,
        ledger: UrlLedger,
        queue: FrontierQueue,
        driver: OrderDriver,
        loaded: Loaded,
        limit: int,
    ) -> None:
        """Take in how the last process ended.

        `limit` deaths set a URL aside, and ALONE more end it; 0: none does. States in `loaded` are
        set for those that end now.
        """
        self._store = store
        self._ledger = ledger
        self._queue = queue
        self._driver = driver
        self._limit = limit
        self._stopped = False
        self._aside: set[int] = set()
        self._turn = self._alone = -1
        noted = store.settings().get(DEATHS) or {}
        queued = ledger.state.array == State.QUEUED
        counted = {int(url_id): n for url_id, n in noted.get("urls", {}).items()} if limit else {}
        self._counts = Counter({url_id: n for url_id, n in counted.items() if queued[url_id]})
        if limit and not noted.get("stopped"):
            self._counts.update([lease.url_id for lease in loaded.leases])
        self.given_up = [url_id for url_id, n in self._counts.items() if n >= limit + ALONE]
        """URLs that ended now, by id."""
        for url_id in self.given_up:
            self._end(url_id)
            loaded.states[url_id] = State.ERROR
        self._suspects = {url_id for url_id, n in self._counts.items() if n >= limit}
        if noted or self._counts:
            self._note()
        if self._suspects:
            logger.warning(
                "%d URLs were in flight when the process died, too often: they are fetched one by "
                "one when nothing else is left",
                len(self._suspects),
            )

    @property
    def set_aside(self) -> int:
        """URLs that yield to all others."""
        return len(self._suspects)

    @property
    def waiting(self) -> bool:
        """Whether any URL is in no queue for this."""
        return bool(self._aside)

    # -- leasing ------------------------------------------------------------------------------

    def nothing_left(self) -> bool:
        """Queue the next suspect, if nothing else is left and nothing is under way.

        True if there is one.
        """
        if not self._aside or not self._is_quiet():
            return False
        self._turn = self._next()
        self._aside.discard(self._turn)
        self._queue.schedule([self._turn])
        return True

    def is_out(self) -> bool:
        """Whether a suspect is in flight or in the pipelines: nothing else may leave."""
        if self._alone < 0:
            return False
        leased = self._ledger.state_of(self._alone) is State.LEASED
        if not leased and self._store.holds(self._alone) is None:
            self._alone = -1
        return self._alone >= 0

    def _is_quiet(self) -> bool:
        """Whether nothing else is queued, in flight, or on its way through the pipelines."""
        in_flight = self._ledger.counts[State.LEASED]
        return not (self._queue.count() or in_flight or self._store.holding)

    def _next(self) -> int:
        """Return the least suspicious that waits, the best among equals."""
        ledger = self._ledger
        ids = np.array(sorted(self._aside), dtype=np.int64)
        priorities = self._driver.priorities(ids)
        suspicion = np.array([self._counts[url_id] for url_id in ids.tolist()])
        classes, numbers = ledger.requests.priority_class.array[ids], ledger.fingerprint.array[ids]
        return int(ids[np.lexsort((numbers, -priorities, -classes, suspicion))[0]])

    def lets_leave(self, url_id: int) -> bool:
        """Whether a URL is no suspect, or it is its turn; others are set aside."""
        if url_id not in self._suspects:
            return True
        if url_id != self._turn or not self._is_quiet():
            self._aside.add(url_id)
            return False
        self._alone = url_id
        return True

    # -- what becomes of them ---------------------------------------------------------------------

    def over(self, lease: Lease) -> None:
        """Forget what was counted against a URL that is done with."""
        url_id = lease.url_id
        if url_id in self._counts and self._store.holds(url_id) is None:
            del self._counts[url_id]
            if url_id in self._suspects:
                # Of the others nothing is noted now: there may be thousands, and what is not
                # QUEUED is left out when it is read.
                self._suspects.discard(url_id)
                self._note()

    def lost(self, lease: Lease) -> None:
        """Count the death of another process, which had a URL in flight that is queued again."""
        if not self._limit:
            return
        url_id = lease.url_id
        self._counts[url_id] += 1
        if self._counts[url_id] >= self._limit + ALONE:
            self._end(url_id)
            self._suspects.discard(url_id)
        elif self._counts[url_id] >= self._limit and url_id not in self._suspects:
            self._suspects.add(url_id)
        self._note()

    def _end(self, url_id: int) -> None:
        url = self._store.urls_of([url_id])[0]
        logger.error("Given up: %s: %s", url, REASON)
        self._ledger.drop(url_id, REASON, State.ERROR)
        del self._counts[url_id]

    def stopped(self) -> None:
        """The process ends as it was asked to: what is in flight did not kill it."""
        in_flight = self._ledger.counts[State.LEASED] or self._store.holding
        if in_flight or self._store.settings().get(DEATHS):
            self._stopped = True
            self._note()

    def _note(self) -> None:
        urls = {str(url_id): n for url_id, n in self._counts.items()}
        noted = {"urls": urls, "enough": self._limit, "stopped": self._stopped}
        self._store.set_setting(DEATHS, noted)
