"""URLs that were in flight when the process died, one of which may be what kills it.

A process that dies leaves its leases behind: they say who was there, not who did it. A page whose
handling kills the process is the first again after each restart, so those who were there too often
yield to all others. When nothing else is left they are handed out, each alone; what kills the
process then is known, and ends as an error. Since each death moves a count, no number of kills,
however early they come, keeps a crawl at the same URLs.

Crawls are killed from outside too, at any moment, and no URL may end for that. A page that was only
waited for, by its pipelines or, alone, for its server, had hardly a part in a death: that counts
WAITED, else WORKED. Who is alone and dies while it is worked on was there at a moment of
milliseconds.

What was stopped in order, if with requests in flight, did not die: see `stopped`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.states import State
from frontier.store.keys import DEATHS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from frontier.backend.components import FrontierQueue
    from frontier.backend.ledger import UrlLedger
    from frontier.records import HandedOut
    from frontier.store import LeaseRow, Loaded, Store
    from frontier.strategy.order_driver import OrderDriver

logger = logging.getLogger(__name__)

WORKED, WAITED = 5, 1
"""What a death says of a URL that was worked on, or may have been, and of one that was not."""
REASON = "the process died each time it was fetched alone"

_Counts = dict[int, list[int]]
"""URL id -> what deaths say of it, those with others in flight and those alone."""


def is_set_aside(noted: Mapping[str, Any] | None, fingerprint: int) -> bool:
    """Whether a URL waits until nothing else is left, by what a crawl keeps under DEATHS."""
    counts = (noted or {}).get("urls", {}).get(str(fingerprint))
    return counts is not None and counts[0] >= (noted or {})["enough"]


class Deaths:
    """Counts deaths, and hands out those who may have caused them: last, and alone.

    Invariant: while `_alone` is leased or held nothing else is handed out; `_aside` holds suspects
    that are QUEUED in the ledger and in no queue.
    """

    def __init__(self, store: Store, ledger: UrlLedger, loaded: Loaded, limit: int) -> None:
        """Take in how the last process ended.

        `limit` deaths set a URL aside, and as many more end it; 0: none does. States in `loaded`
        are set for those that end now.
        """
        self._store = store
        self._ledger = ledger
        self._enough = limit * WORKED
        noted = store.settings().get(DEATHS) or {}
        self._reading = self._stopped = False
        self._counts: _Counts = {}
        self._suspects: set[int] = set()
        self._aside: set[int] = set()
        self._turn = self._alone = -1
        if limit:
            self._take_in(noted, loaded)
        self.given_up = self._give_up(loaded)
        """URLs that ended now, by id."""
        self._suspects |= {one for one, of in self._counts.items() if of[0] >= self._enough}
        if self._noted() != noted and (noted or self._counts):
            self._note()

    def _take_in(self, noted: Mapping[str, Any], loaded: Loaded) -> None:
        counted = {int(number): of for number, of in noted.get("urls", {}).items()}
        ids = self._ledger.find(list(counted))
        of_ids = zip(ids, counted.values(), strict=True)
        queued = self._ledger.state.array == State.QUEUED
        self._counts = {one: list(of) for one, of in of_ids if one >= 0 and queued[one]}
        if noted.get("stopped"):
            return
        for lease in loaded.leases:
            counts = self._counts.setdefault(lease.url_id, [0, 0])
            alone = counts[0] >= self._enough
            waited = self._was_answered(lease) or (alone and not noted.get("reading"))
            counts[alone] += WAITED if waited else WORKED

    def _was_answered(self, lease: LeaseRow) -> bool:
        row = self._store.page_row(lease.url_id)
        return row is not None and row.handout == lease.seq

    def _give_up(self, loaded: Loaded) -> list[int]:
        given_up = [one for one, of in self._counts.items() if of[1] >= self._enough]
        for url_id in given_up:
            self._end(url_id)
            loaded.states[url_id] = State.ERROR
        return given_up

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
            self._turn, priority = self._next()
            self._aside.discard(self._turn)
            self._queue.schedule(np.array([self._turn], dtype=np.int64), np.array([priority]))
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

    def _next(self) -> tuple[int, float]:
        """Return the least suspicious that waits, the best among equals, and its priority."""
        ledger = self._ledger
        ids = np.array(sorted(self._aside), dtype=np.int64)
        priorities = self._driver.priorities(ids)
        suspicion = np.array([sum(self._counts[one]) for one in ids.tolist()])
        classes, numbers = ledger.priority_class.array[ids], ledger.fingerprint.array[ids]
        first = np.lexsort((numbers, -priorities, -classes, suspicion))[0]
        return int(ids[first]), float(priorities[first])

    def _may_leave(self, url_id: int) -> bool:
        if url_id not in self._suspects:
            return self._asked(url_id)
        if url_id != self._turn or not self._is_quiet():
            self._aside.add(url_id)
            return False
        if not self._asked(url_id):
            return False
        self._alone, self._reading = url_id, False
        self._note()
        return True

    # -- what becomes of them ---------------------------------------------------------------------

    def arrived(self, handed: HandedOut) -> None:
        """Note, at once where it is alone, that an answer came and is going to be worked on."""
        if handed.url_id == self._alone:
            self._reading = True
            self._note()
            self._store.commit()

    def waits(self, handed: HandedOut) -> None:
        """Note, at once where it is alone, that an answer is only waited for by now."""
        if handed.url_id == self._alone and self._reading:
            self._reading = False
            self._note()
            self._store.commit()

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

    def is_alone(self, url_id: int) -> bool:
        """Whether a URL was handed out because nothing else is left."""
        return url_id == self._alone

    def lost(self, handed: HandedOut, *, reading: bool) -> None:
        """Count the death of a process that had a URL in flight, which is queued again.

        For processes that are others than the one that keeps the account. `reading`: an answer had
        come, and was worked on.
        """
        if not self._enough:
            return
        url_id = handed.url_id
        counts = self._counts.setdefault(url_id, [0, 0])
        alone = self.is_alone(url_id)
        counts[alone] += WAITED if alone and not reading else WORKED
        if counts[1] >= self._enough:
            self._end(url_id)
        elif counts[0] >= self._enough and url_id not in self._suspects:
            self._suspects.add(url_id)
            if len(self._suspects) == 1:
                self._queue.use_gate(self._may_leave)
        self._note()

    def _end(self, url_id: int) -> None:
        url = self._store.urls_of([url_id])[0]
        logger.error("Given up: %s: %s", url, REASON)
        self._ledger.give_up(url_id, REASON, State.ERROR)
        del self._counts[url_id]
        self._suspects.discard(url_id)

    def stopped(self) -> None:
        """The process ends as it was asked to: what is in flight did not kill it."""
        in_flight = self._ledger.counts[State.LEASED] or self._store.holding
        if in_flight or self._store.settings().get(DEATHS):
            self._stopped = True
            self._note()

    def _noted(self) -> dict[str, Any]:
        numbers = self._ledger.fingerprint.array
        return {
            "urls": {str(int(numbers[one])): of for one, of in self._counts.items()},
            "enough": self._enough,
            "reading": self._reading,
            "stopped": self._stopped,
        }

    def _note(self) -> None:
        self._store.set_setting(DEATHS, self._noted())
