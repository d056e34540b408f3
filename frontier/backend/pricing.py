"""What queued URLs are worth, kept up to date in turns: answers whose links are priced together.

What an answer teaches is learned at once, whatever its turn; only when priorities are looked at
again differs. A turn ends with a hand-out, for nobody asks before; how many answers it needs
depends on counts and never on time, so that a crawl with one request at a time repeats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ranking.orders.base import Repricing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frontier.backend.components import FrontierQueue
    from frontier.records import UrlRecord
    from frontier.strategy.order_driver import OrderDriver


class Pricing:
    """Asks the driver what URLs are worth, and tells the queue.

    Invariant: a URL that is QUEUED and in no queue for want of a priority was met in this turn.
    """

    def __init__(
        self, queue: FrontierQueue, driver: OrderDriver, longest: int, share: float
    ) -> None:
        """A turn needs that share of all answers, at least one and `longest` at most."""
        self._queue = queue
        self._driver = driver
        self._longest = longest
        self._share = share
        self._answers = 0
        self._new: list[int] = []
        self._known: set[int] = set()

    @property
    def turn_is_open(self) -> bool:
        """Whether answers wait for the end of their turn."""
        return self._answers > 0

    def met(self, requests: Sequence[UrlRecord]) -> None:
        """Price URLs at the end of the turn: queue those that were met for the first time."""
        self._new += [one.url_id for one in requests if one.is_new]
        self._known.update([one.url_id for one in requests if not one.is_new])

    def answered(self) -> None:
        """Count an answer that has been learned from; its links were `met`."""
        self._answers += 1

    def end_due_turn(self) -> None:
        """End the turn if it has its answers: a URL is about to leave the queue."""
        if self._answers >= min(self._longest, max(1, int(self._share * self._driver.answers))):
            self.end_turn()

    def end_turn(self) -> None:
        """Price what was met, and of what is queued as much as the order wants anew."""
        self._answers = 0
        self.price_met()
        self.renew(self._driver.repricing(self._queue.count()))

    def price_met(self) -> None:
        """Price what was met, and nothing else."""
        new, known = self._new, sorted(self._known.difference(self._new))
        if new or known:
            self._new, self._known = [], set()
            ids = np.array(new + known, dtype=np.int64)
            priorities = self._driver.priorities(ids)
            self._queue.schedule(ids[: len(new)], priorities[: len(new)])
            self._queue.reprice(ids[len(new) :], priorities[len(new) :])

    def renew(self, wanted: Repricing) -> None:
        """Bring the priorities of queued URLs up to date."""
        if wanted is not Repricing.NONE:
            best = wanted is Repricing.BEST
            self.reprice(self._queue.foremost() if best else self._queue.queued())

    def reprice(self, ids: NDArray[np.int64]) -> None:
        """Give URLs that are queued their priorities of now."""
        self._queue.reprice(ids, self._driver.priorities(ids))

    def queue(self, ids: Sequence[int] | NDArray[np.int64]) -> None:
        """Queue URLs, by id, that no queue holds."""
        rows = np.asarray(ids, dtype=np.int64)
        self._queue.schedule(rows, self._driver.priorities(rows))
