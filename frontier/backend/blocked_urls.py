"""What somebody marked bad is given up before anybody is asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.states import State

if TYPE_CHECKING:
    from frontier.backend.components import FrontierQueue
    from frontier.backend.ledger import UrlLedger
    from frontier.strategy.order_driver import OrderDriver

DISTRUSTED: Final = "distrusted: it is in the file of FRONTIER_DISTRUST"
"""Why a URL is not fetched."""


def keep_out_bad(driver: OrderDriver, queue: FrontierQueue, ledger: UrlLedger) -> None:
    """Have a queue give up bad URLs when their turn comes, before anybody else is asked."""
    distrust = driver.distrust
    if not distrust.enabled:
        return
    asked = queue.gate

    def may_leave(url_id: int) -> bool:
        if distrust.is_bad(url_id):
            ledger.give_up(url_id, DISTRUSTED, State.FILTERED)
            driver.order.fail(np.array([url_id]))
            return False
        return asked(url_id)

    queue.use_gate(may_leave)
