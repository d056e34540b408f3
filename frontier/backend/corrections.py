"""Fetched pages whose relevance is corrected, by labels that people give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.states import State
from ranking.orders.base import Repricing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frontier.backend.frontier_queue import FrontierQueue
    from frontier.backend.ledger import UrlLedger
    from frontier.backend.saved_scores import SavedScores
    from frontier.store import Store
    from frontier.strategy.order_driver import OrderDriver


class Corrections:
    """Corrects the pages of one crawl."""

    def __init__(
        self,
        store: Store,
        ledger: UrlLedger,
        queue: FrontierQueue,
        driver: OrderDriver,
        scores: SavedScores,
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._queue = queue
        self._driver = driver
        self._scores = scores

    def apply(self, relevance: Mapping[int, float]) -> None:
        """Give fetched pages, by id, another relevance in [0, 1] than their judge did, for good.

        The strategy learns from these pages once more, and everything queued is ordered anew.
        """
        self._store.commit()
        for page, value in relevance.items():
            if self._ledger.state_of(page) is State.CRAWLED:  # not merged with another since
                self._driver.learn(self._ledger.corrected(page, value))
        if relevance:
            self._queue.renew(Repricing.ALL)
            self._scores.save()
        self._store.commit()
