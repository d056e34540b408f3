"""The watch over traps at work in a crawl: with its ledger, its queue and its store.

The watch decides; here is done what follows. URLs that wait have left the queue and are QUEUED in
the ledger, so that a crawl that is resumed asks about them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier import saved
from frontier.states import State
from frontier.traps.watch import TrapWatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontera.core.models import Request
    from numpy.typing import NDArray

    from frontier.components import FrontierQueue
    from frontier.config import CrawlConfig
    from frontier.ledger import UrlLedger
    from frontier.store import Store
    from frontier.strategy import LinkStrategy
    from frontier.traps.refusals import Refusals

_SAVED_EVERY = 500
"""Answers between two times that the books are written down, and at least as many as there are
sites: 16 KB an answer. What a crawl that is killed had learned since is learned again."""


class TrapKeeper:
    """Keeps the watch over one crawl."""

    def __init__(
        self,
        config: CrawlConfig,
        store: Store,
        ledger: UrlLedger,
        queue: FrontierQueue,
        strategy: LinkStrategy,
        refusals: Refusals,
    ) -> None:
        """Go on with what a crawl that is resumed had learned."""
        self._store = store
        self._ledger = ledger
        self._queue = queue
        self._strategy = strategy
        self._unsaved = 0
        self.watch = TrapWatch(
            config.traps,
            refusals,
            ledger.find,
            lambda url_id: store.urls_of([url_id])[0],
            lambda url_id: bool(ledger.state.array[url_id] == State.QUEUED),
            ledger.host_names,
            config.relevant if config.focused else None,
        )
        queue.use_gate(self._may_leave)
        found = store.load_array(saved.TRAPS)
        if found is not None and self.watch.restore(found[1]):
            self._take_up()

    def _take_up(self) -> None:
        given_up = np.flatnonzero(self._ledger.state.array == State.TRAP)
        for url_id in given_up.tolist():
            self._ledger.take_up(url_id)
        self._push(given_up)

    def follow(self, page: Request, links: Sequence[Request]) -> list[Request]:
        """Take in an answer; return those of its links that may become URLs of the crawl."""
        self._unsaved += 1
        return self.watch.follow(page, links)

    def failed(self, page: Request) -> None:
        """Take in that a hand-out failed for good."""
        self._unsaved += 1
        self.watch.failed(page)

    def let_go(self) -> None:
        """Queue the URLs that may leave again."""
        released = self.watch.take_released()
        if released:
            self._push(np.array(released, dtype=np.int64))

    def give_up(self) -> None:
        """Give up what waits, if nothing else is left and nothing is under way."""
        if not self.watch.waiting or self._queue.count() or self._ledger.counts[State.LEASED]:
            return
        given_up = []
        for url_id, reason in self.watch.abandon():
            self._ledger.give_up(url_id, reason)
            given_up.append(url_id)
        self._strategy.order.fail(np.array(given_up, dtype=np.int64))

    def save_due(self) -> None:
        """Write the books down if enough was learned since the last time."""
        if self._unsaved >= max(_SAVED_EVERY, self.watch.sites):
            self.save()

    def save(self) -> None:
        """Write the books down, with the next commit."""
        if self._unsaved:
            self._unsaved = 0
            self._store.save_array(saved.TRAPS, 0, self.watch.packed())

    def _may_leave(self, url_id: int) -> bool:
        row = self._store.fetch_urls([url_id])[url_id]
        host = self._ledger.host_names[row.host]
        return bool(row.seed) or self.watch.may_leave(url_id, row.url, host)

    def _push(self, ids: NDArray[np.int64]) -> None:
        self._queue.push(ids, self._strategy.priorities(ids))
