"""The queue of a backend: priorities are brought up to date in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.backend.url_requests import REVISIT_CLASS
from frontier.queue.columns import KeyColumns
from frontier.queue.url_queue import UrlQueue
from frontier.states import State
from ranking.arrays import Column
from ranking.orders.base import Repricing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from frontier.backend.ledger import UrlLedger
    from frontier.backend.reasons import Reason
    from frontier.config import CrawlConfig
    from frontier.records import Lease, UrlRecord
    from frontier.strategy.order_driver import OrderDriver
    from ranking.arrays import SingleArray

_QUEUED = int(State.QUEUED)
FOREMOST = 2_000
"""URLs that get new priorities where not all do; as many as the queue keeps in its heaps."""


class FrontierQueue:
    """The URL of the best priority whose host may be asked goes first.

    Links get their priorities in turns, those of several answers together. The order learns from
    each answer at once; only the priorities of queued URLs wait for the end of the turn. A turn
    ends with a lease, before which no priority is needed. How many answers a turn needs depends on
    counts and never on time, so that a crawl with one request at a time repeats.

    Invariants: a URL in the queue is QUEUED in the ledger, whatever part of the crawl queues it; a
    URL that is QUEUED, and not in the queue for want of a priority, was met in this turn.
    """

    def __init__(
        self, ledger: UrlLedger, driver: OrderDriver, config: CrawlConfig, next_lease_number: int
    ) -> None:
        self.columns = KeyColumns(ledger.fingerprint, ledger.host)
        """The keys of queued URLs; other classes only read them."""
        self._pool = UrlQueue(self.columns)
        self._ledger = ledger
        self._driver = driver
        self._config = config
        self.next_lease_number = next_lease_number
        """Number of the next lease."""
        self._last = Column(np.bool_)
        self._answers = 0
        self._new: list[int] = []
        self._known: set[int] = set()

    def next(
        self,
        most: int,
        room: Callable[[str], int],
        share: float,
        slow: Collection[str],
        reasons: Sequence[Reason],
    ) -> list[Lease]:
        """Lease up to `most` URLs that all `reasons` let leave; see `Frontier.next`."""
        names = self._ledger.host_names
        for slot in slow:
            self._pool.do_not_wait_for(self._ledger.host_id(slot))
        leaving: list[tuple[int, float]] = []
        while not leaving:
            popped = self._pool.pop(most, lambda host: room(names[host]), share=share)
            if not popped:
                break
            self._ledger.read_rows([url_id for url_id, _ in popped])
            leaving = [
                (url_id, priority)
                for url_id, priority in popped
                if all(reason.lets_leave(url_id) for reason in reasons)
            ]
        rows = self._driver.rows([url_id for url_id, _ in leaving]) if leaving else []
        return [
            self._lease(url_id, priority, row)
            for (url_id, priority), row in zip(leaving, rows, strict=True)
        ]

    def take(self, url_id: int) -> Lease:
        """Lease a QUEUED URL out of its turn: it was fetched unasked."""
        ids = np.array([url_id])
        self._pool.remove(url_id)
        return self._lease(url_id, float(self._priorities(ids)[0]), self._driver.rows([url_id])[0])

    def _lease(self, url_id: int, priority: float, row: SingleArray | None) -> Lease:
        number = self.next_lease_number
        self.next_lease_number += 1
        rank = 1 + self._pool.ahead_of(url_id)
        if self._ledger.requests.is_revisit(url_id):  # which left in its turn
            priority = float(self._driver.priorities(np.array([url_id]))[0])
        score = self._driver.score(url_id)
        return self._ledger.lease(url_id, number, priority, score, rank, row)

    def put_last(self, url_id: int) -> None:
        """Have a URL leave after all others of its class, whenever it is queued from here on."""
        self._last.resize(url_id + 1)
        self._last.array[url_id] = True

    def bring_back(self, ids: Sequence[int]) -> None:
        """Undo `put_last`."""
        known = [url_id for url_id in ids if url_id < len(self._last.array)]
        self._last.array[known] = False

    def is_last(self, url_id: int) -> bool:
        """Whether a URL leaves after all others of its class."""
        return url_id < len(self._last.array) and bool(self._last.array[url_id])

    def _classes(self, ids: NDArray[np.int64]) -> NDArray[np.int32]:
        """Classes of URLs in the queue: two for each class of requests, URLs put last below."""
        self._last.resize(len(self._ledger))
        parted: NDArray[np.int32] = 2 * self._ledger.requests.priority_class.array[ids]
        parted -= self._last.array[ids]
        return parted

    def _priorities(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Priorities of URLs within their class. Revisits leave in the order in which they were
        queued, so that no page waits for ever.
        """
        priorities = self._driver.priorities(ids)
        revisits = np.flatnonzero(self._ledger.requests.priority_class.array[ids] == REVISIT_CLASS)
        if len(revisits):
            numbers = [
                self._ledger.requests.number(url_id) or 0 for url_id in ids[revisits].tolist()
            ]
            priorities = priorities.astype(np.float64)
            priorities[revisits] = -np.array(numbers, np.float64)
        return priorities

    def hold_back(self, url_id: int, after: int) -> None:
        """Queue a URL that may leave only after `after` others, or when nothing else is left."""
        row = self._that_wait([url_id])
        if len(row):
            priority, priority_class = self._priorities(row)[0], int(self._classes(row)[0])
            self._pool.defer(url_id, float(priority), priority_class, after=after)

    def _that_wait(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Select the URLs that are QUEUED in the ledger: nothing else enters the queue.

        A caller that changes the order may remember URLs that have left since.
        """
        rows: NDArray[np.int64] = np.asarray(ids, dtype=np.int64)
        is_queued: NDArray[np.bool_] = self._ledger.state.array[rows] == _QUEUED
        return rows[is_queued]

    def queued(self) -> NDArray[np.int64]:
        """Ids in the queue, in no particular order."""
        return self._pool.queued()

    # -- what queued URLs are worth ---------------------------------------------------------------

    @property
    def turn_is_open(self) -> bool:
        """Whether answers wait for the end of their turn."""
        return self._answers > 0

    def met(self, requests: Sequence[UrlRecord]) -> None:
        """Price URLs at the end of the turn: queue those that were met for the first time."""
        self._new += [request.url_id for request in requests if request.is_new]
        self._known.update([request.url_id for request in requests if not request.is_new])

    def answered(self, url_id: int, state: State, status: int | None) -> None:
        """Count an answer that has been learned from; its links were `met`.

        Its host is one to wait for, if it gave that answer.
        """
        self._answers += 1
        host = self._ledger.host_of(url_id)
        if status is not None:
            self._pool.wait_for(host)
        elif state is State.ERROR:
            self._pool.do_not_wait_for(host)

    def end_due_turn(self) -> None:
        """End the turn if it has its answers: a URL is about to leave the queue.

        It needs `turn_growth` of all answers, at least one and `turn` at most.
        """
        share = int(self._config.turn_growth * self._driver.answers)
        if self._answers >= min(self._config.turn, max(1, share)):
            self.end_turn()

    def end_open_turn(self) -> bool:
        """End the turn, if there is one: nothing else is left. True if there was."""
        is_open = self.turn_is_open
        if is_open:
            self.end_turn()
        return is_open

    def end_turn(self) -> None:
        """Give priorities to new URLs, and new ones to as many queued URLs as the order asks."""
        self._answers = 0
        self.price_met()
        self.renew(self._driver.repricing(self.count()))

    def price_met(self) -> None:
        """Price what was met, and nothing else."""
        new, known = self._new, sorted(self._known.difference(self._new))
        self._new, self._known = [], set()
        if new:
            self.schedule(new)
        if known:
            self.reprice(np.array(known, dtype=np.int64))

    def renew(self, wanted: Repricing) -> None:
        """Bring the priorities of queued URLs up to date."""
        if wanted is not Repricing.NONE:
            best = wanted is Repricing.BEST
            self.reprice(self._pool.foremost(FOREMOST) if best else self.queued())

    def reprice(self, ids: NDArray[np.int64]) -> None:
        """Give those of some URLs (k,) that are queued their priorities of now."""
        self._pool.update(ids, self._priorities(ids))

    def schedule(self, ids: Sequence[int] | NDArray[np.int64]) -> None:
        """Queue those of some distinct URLs (k,) that are QUEUED in the ledger, by id.

        One that is in the queue gets the key of now; if it is held back, it stays so.
        """
        rows = self._that_wait(ids)
        self._pool.push(rows, self._priorities(rows), self._classes(rows))

    @property
    def passed_over(self) -> int:
        """Leases of this run at which a better URL had to wait for its host."""
        return self._pool.passed_over

    def count(self) -> int:
        """URLs in the queue."""
        return len(self._pool)
