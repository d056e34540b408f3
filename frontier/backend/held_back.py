"""URLs that are held back or given up when their turn comes: traps, what somebody marked bad, and
what was in flight when the process died.

**Traps.** The detector decides; here is done what follows. URLs that wait have left the queue and
are given up when nothing else is left, or they stay in it behind all others of their class, as
FRONTIER_TRAPS says. They are QUEUED in the ledger either way, so that a crawl that is resumed asks
about them again.

**Deaths.** A process that dies leaves its leases behind: they say who was there, not who did it. A
page whose handling kills the process is the first again after each restart, so those who were there
too often yield to all others. When nothing else is left they are handed out, each alone; what is in
flight at many more deaths ends as an error. Since each death moves a count, no number of kills,
however early they come, keeps a crawl at the same URLs. What was stopped in order, if with requests
in flight, did not die: see `Deaths.stopped`.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frontier.states import State
from frontier.store import schema
from frontier.store.schema import DEATHS
from frontier.traps.detector import TrapDetector
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from frontier.backend.bad_pages import BadPages
    from frontier.backend.components import FrontierQueue
    from frontier.backend.ledger import UrlLedger
    from frontier.config import CrawlConfig
    from frontier.records import HandedOut
    from frontier.store import Loaded, Store
    from frontier.strategy.order_driver import OrderDriver
    from frontier.traps.refusals import Refusals
    from frontier.verdict import Verdict

logger = logging.getLogger(__name__)

DISTRUSTED: Final = "distrusted: it is in the file of FRONTIER_DISTRUST"
"""Why a URL is not fetched."""
_QUEUED = int(State.QUEUED)
_MOST_LINES = 50
"""Of the log, of each kind."""
_SAVED_EVERY = 1000
"""Answers between two times that the budgets are written down. What a crawl that is killed had
spent since is spent again."""
ALONE = 8
"""Deaths with a URL alone in flight that end it: crawls are killed from outside too, at any moment,
and no URL may end for that."""
REASON = "the process died each time it was fetched alone"


def is_set_aside(noted: Mapping[str, Any] | None, url_id: int) -> bool:
    """Whether a URL waits until nothing else is left, by what a crawl keeps under DEATHS."""
    return noted is not None and noted["urls"].get(str(url_id), 0) >= noted["enough"]


class TrappedUrls:
    """Keeps the watch over one crawl.

    Invariant: a URL that waits is in the watch, and in the queue only as one of the last.
    """

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
        queue.use_gate(self._may_leave)
        found = store.load_array(schema.TRAPS)
        if found is not None and self.watch.restore(json.loads(found[1].tobytes())):
            self._take_up()

    def _take_up(self) -> None:
        given_up = np.flatnonzero(self._ledger.state.array == State.TRAP)
        for url_id in given_up.tolist():
            self._ledger.take_up(url_id)
        self._queue.schedule(given_up)

    def judge(self, handed: HandedOut, so_far: Verdict) -> Verdict:
        """Say which links of an answer may become URLs of the crawl, and what the answer proves."""
        self._unsaved += 1
        return self.watch.judge(handed, so_far)

    def failed(self, handed: HandedOut) -> None:
        """Take in that a hand-out failed for good."""
        self._unsaved += 1
        self.watch.failed(handed)

    def let_go(self) -> bool:
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
            self._ledger.give_up(url_id, reason)
            given_up.append(url_id)
        self._driver.order.fail(np.array(given_up, dtype=np.int64))
        return self.let_go()

    def tell(self) -> None:
        """Write to the log what was held back in this run, by reason and domain."""
        for (reason, domain), urls in self.given_up.most_common(_MOST_LINES):
            logger.error("Dropped as crawler traps: %d URLs of %s: %s", urls, domain, reason)
        for (reason, domain), urls in self.put_last.most_common(_MOST_LINES):
            logger.warning(
                "Queued last as likely crawler traps: %d URLs of %s: %s", urls, domain, reason
            )

    def save_due(self) -> None:
        """Write the books down if enough was learned since the last time."""
        if self._unsaved >= _SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Write the books down, with the next commit."""
        if self._unsaved:
            self._unsaved = 0
            state = json.dumps(self.watch.state()).encode()
            self._store.save_array(schema.TRAPS, 0, np.frombuffer(state, np.uint8))

    def _waits(self, url_id: int) -> bool:
        """Whether a URL that was refused has not left since: as one of the last it may have."""
        is_queued = self._ledger.state_of(url_id) is State.QUEUED
        return is_queued and (self._drop or self._queue.is_last(url_id))

    def _may_leave(self, url_id: int) -> bool:
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


def keep_out_bad(
    bad: BadPages, store: Store, driver: OrderDriver, queue: FrontierQueue, ledger: UrlLedger
) -> None:
    """Have a queue give up bad URLs when their turn comes, before anything else is asked."""
    if not bad:
        return
    asked = queue.gate

    def may_leave(url_id: int) -> bool:
        if store.urls_of([url_id])[0] in bad:
            ledger.give_up(url_id, DISTRUSTED, State.FILTERED)
            driver.order.fail(np.array([url_id]))
            return False
        return asked(url_id)

    queue.use_gate(may_leave)


class Deaths:
    """Counts deaths, and hands out those who may have caused them: last, and alone.

    Invariant: while `_alone` is leased or held nothing else is handed out; `_aside` holds suspects
    that are QUEUED in the ledger and in no queue.
    """

    def __init__(self, store: Store, ledger: UrlLedger, loaded: Loaded, limit: int) -> None:
        """Take in how the last process ended.

        `limit` deaths set a URL aside, and ALONE more end it; 0: none does. States in `loaded` are
        set for those that end now.
        """
        self._store = store
        self._ledger = ledger
        self._limit = limit
        self._stopped = False
        self._aside: set[int] = set()
        self._turn = self._alone = -1
        noted = store.settings().get(DEATHS) or {}
        queued = ledger.state.array == State.QUEUED
        counted = {int(one): n for one, n in noted.get("urls", {}).items()} if limit else {}
        self._counts = Counter({one: n for one, n in counted.items() if queued[one]})
        if limit and not noted.get("stopped"):
            self._counts.update([lease.url_id for lease in loaded.leases])
        self.given_up = [one for one, n in self._counts.items() if n >= limit + ALONE]
        """URLs that ended now, by id."""
        for url_id in self.given_up:
            self._end(url_id)
            loaded.states[url_id] = State.ERROR
        self._suspects = {one for one, n in self._counts.items() if n >= limit}
        if noted or self._counts:
            self._note()

    def watch(self, queue: FrontierQueue, driver: OrderDriver) -> None:
        """Decide from now on whether those who may kill the process leave a queue."""
        self._queue = queue
        self._driver = driver
        self._asked = queue.gate
        if self._suspects:
            logger.warning(
                "%d URLs were in flight when the process died, too often: they are fetched one by "
                "one when nothing else is left",
                len(self._suspects),
            )
            queue.use_gate(self._may_leave)

    @property
    def set_aside(self) -> int:
        """URLs that yield to all others."""
        return len(self._suspects)

    @property
    def waiting(self) -> bool:
        """Whether any URL is in no queue for this."""
        return bool(self._aside)

    # -- handing out ------------------------------------------------------------------------------

    def hand_out(self, take: Callable[[], list[HandedOut]]) -> list[HandedOut]:
        """Hand out what `take` takes from the queue, but for those whose turn it is not."""
        if self._is_out():
            return []
        requests = take()
        if not requests and self._aside and self._is_quiet():
            self._turn = self._next()
            self._aside.discard(self._turn)
            self._queue.schedule([self._turn])
            requests = take()
        return requests

    def _is_out(self) -> bool:
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
        suspicion = np.array([self._counts[one] for one in ids.tolist()])
        classes, numbers = ledger.priority_class.array[ids], ledger.fingerprint.array[ids]
        return int(ids[np.lexsort((numbers, -priorities, -classes, suspicion))[0]])

    def _may_leave(self, url_id: int) -> bool:
        if url_id not in self._suspects:
            return self._asked(url_id)
        if url_id != self._turn or not self._is_quiet():
            self._aside.add(url_id)
            return False
        if not self._asked(url_id):
            return False
        self._alone = url_id
        return True

    # -- what becomes of them ---------------------------------------------------------------------

    def over(self, handed: HandedOut) -> None:
        """Forget what was counted against a URL that is done with."""
        url_id = handed.url_id
        if url_id in self._counts and self._store.holds(url_id) is None:
            del self._counts[url_id]
            if url_id in self._suspects:
                # Of the others nothing is noted now: there may be thousands, and what is not
                # QUEUED is left out when it is read.
                self._suspects.discard(url_id)
                self._note()

    def lost(self, handed: HandedOut) -> None:
        """Count the death of another process, which had a URL in flight that is queued again."""
        if not self._limit:
            return
        url_id = handed.url_id
        self._counts[url_id] += 1
        if self._counts[url_id] >= self._limit + ALONE:
            self._end(url_id)
            self._suspects.discard(url_id)
        elif self._counts[url_id] >= self._limit and url_id not in self._suspects:
            self._suspects.add(url_id)
            if len(self._suspects) == 1:
                self._queue.use_gate(self._may_leave)
        self._note()

    def _end(self, url_id: int) -> None:
        url = self._store.urls_of([url_id])[0]
        logger.error("Given up: %s: %s", url, REASON)
        self._ledger.give_up(url_id, REASON, State.ERROR)
        del self._counts[url_id]

    def stopped(self) -> None:
        """The process ends as it was asked to: what is in flight did not kill it."""
        in_flight = self._ledger.counts[State.LEASED] or self._store.holding
        if in_flight or self._store.settings().get(DEATHS):
            self._stopped = True
            self._note()

    def _note(self) -> None:
        urls = {str(one): n for one, n in self._counts.items()}
        noted = {"urls": urls, "enough": self._limit, "stopped": self._stopped}
        self._store.set_setting(DEATHS, noted)
