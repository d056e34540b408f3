"""The scores of a re-rank in the store, from which the next run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.store import schema

if TYPE_CHECKING:
    from frontier.backend.ledger import UrlLedger
    from frontier.store import Store
    from frontier.strategy.order_driver import OrderDriver

_URLS_A_PAGE = 250
"""Known URLs whose scores may be written for each page fetched: 5 to 30 KB, by the order."""


class SavedScores:
    """Saves the arrays of one crawl's order; the next commit writes them."""

    def __init__(self, store: Store, ledger: UrlLedger, driver: OrderDriver) -> None:
        self._store = store
        self._ledger = ledger
        self._driver = driver
        self._saved_at = driver.graph.n_pages

    def save_due(self) -> None:
        """Save the scores if enough pages were fetched since the last time to pay for it."""
        fetched = self._driver.graph.n_pages - self._saved_at
        if fetched * _URLS_A_PAGE >= len(self._ledger):
            self._saved_at = self._driver.graph.n_pages
            self.save()

    def save(self) -> None:
        """Save the scores, unless the crawl is temporary and cannot be resumed."""
        if self._store.temporary:
            return
        arrays = self._driver.order.state_arrays()
        self._store.set_setting(schema.SCORES, sorted(arrays))
        for name in sorted(arrays):  # each is a copy, and freed once the store has copied it
            self._store.save_array(schema.SCORES + name, self._driver.epoch, arrays.pop(name))
