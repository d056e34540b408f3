"""Why a queued URL does not leave, each reason by its name, in the order in which they are asked.

The first five hold URLs before their turn; queue and gate know them as numbers. When its turn has
come, objects (`Reason`) are asked about a URL. The object that holds it takes it over: the URL
stays QUEUED in the ledger, and is out of the queue or behind others in it.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from frontier.states import State

if TYPE_CHECKING:
    from frontier.backend.bad_pages import BadPages
    from frontier.backend.ledger import UrlLedger
    from frontier.store import Store
    from frontier.strategy.order_driver import OrderDriver

DISTRUSTED: Final = "distrusted: it is in the file of FRONTIER_DISTRUST"
"""Why a URL is not fetched."""


class Hold(Enum):
    """What may keep a queued URL from leaving."""

    FULL = "as many requests are in flight as may be"  # Frontier.most_in_flight
    HOST = "its host is not to be asked now"  # PolitenessPolicy.room
    BEST = "better URLs wait for their hosts"  # frontier.queue.eligibility
    RETRY = "it failed, and others go first"  # UrlQueue.defer
    REVISIT = "a known page is asked for again in its turn"  # Refresher.plan
    CRASH = "it was in flight each time the process died: it goes last, alone"
    DISTRUST = "it is distrusted"
    TRAP = "it looks like one of endlessly many"


class Reason(Protocol):
    """Decides whether a URL may leave when its turn has come."""

    hold: Hold

    def lets_leave(self, url_id: int) -> bool:
        """Whether a URL may leave; from False on, this object decides when it is queued again."""


class Distrusted:
    """Drops URLs that are in the file of FRONTIER_DISTRUST."""

    hold = Hold.DISTRUST

    def __init__(self, bad: BadPages, store: Store, ledger: UrlLedger, driver: OrderDriver) -> None:
        self._bad = bad
        self._store = store
        self._ledger = ledger
        self._driver = driver

    def lets_leave(self, url_id: int) -> bool:
        """Whether a URL is not marked bad; a bad URL ends as FILTERED."""
        if self._store.urls_of([url_id])[0] not in self._bad:
            return True
        self._ledger.drop(url_id, DISTRUSTED, State.FILTERED)
        self._driver.order.fail(np.array([url_id]))
        return False
