"""Looks over the backend's shoulder and keeps the account of `frontier/estimates/regret.py`.

The backend tells it of every hand-out, every answer and every time that priorities are renewed; it
changes nothing. A crawl without a topic has no harvest to lose: it is watched by `Blind`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier import meta as key
from frontier.estimates.regret import Losses, Regret, waiting_best
from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontera.core.models import Request
    from numpy.typing import NDArray

    from frontier.backend.components import FrontierQueue
    from frontier.config import CrawlConfig
    from frontier.strategy.order_driver import OrderDriver

_GROWTH = 0.1
_RAREST = 200
"""Answers between two looks at what is lost: a tenth, so many at least. A look reads the queue."""


class Blind:
    """Sees nothing, costs nothing."""

    def handed_out(self, requests: Sequence[Request]) -> None:
        """Requests leave, best first."""

    def answered(self, handed: Request, links: Sequence[Request] = ()) -> None:
        """An answer has been learned, with the links that were scheduled."""

    def renewed(self, ids: NDArray[np.int64], priorities: NDArray[np.float64]) -> None:
        """Queued URLs are about to get these priorities."""

    def losses(self) -> Losses | None:
        """Relevant pages lost in this run; None while nothing can be said."""
        return None


class Hindsight(Blind):
    """Keeps the account of one run."""

    def __init__(self, config: CrawlConfig, driver: OrderDriver, queue: FrontierQueue) -> None:
        self._relevant_from = config.relevant
        self._driver, self._queue = driver, queue
        self._regret = Regret()
        self._answers, self._due = 0, _RAREST

    def handed_out(self, requests: Sequence[Request]) -> None:
        for request in requests:
            meta = request.meta
            if not meta[key.CLASS]:  # else the spider chose it, not the order
                named = meta[key.LEASE], meta[key.ID], meta[key.PRIORITY]
                self._regret.handed_out(*named, better=meta[key.RANK] - 1)

    def answered(self, handed: Request, links: Sequence[Request] = ()) -> None:
        meta = handed.meta
        facts = meta[key.PAGE]
        worth = (facts.relevance or 0.0) if facts.state is State.CRAWLED else 0.0
        self._regret.answered(meta[key.PRIORITY], relevant=worth >= self._relevant_from)
        if links:
            self._regret.taught(meta[key.LEASE], lambda: self._priorities_of(links))
        self._answers += 1
        if self._answers >= self._due:
            self._due = self._answers + max(_RAREST, int(_GROWTH * self._answers))
            self._settle()

    def renewed(self, ids: NDArray[np.int64], priorities: NDArray[np.float64]) -> None:
        before = self._queue.priorities_of(ids)
        self._regret.renewed(
            before, priorities, lambda urls: self._driver.priorities(np.array(urls))
        )

    def losses(self) -> Losses | None:
        """As of now: reads the whole queue."""
        self._settle()
        return self._regret.losses

    def _settle(self) -> None:
        waiting = self._queue.queued()
        self._regret.settle(lambda k: waiting_best(self._queue.priorities_of(waiting), k))

    def _priorities_of(self, links: Sequence[Request]) -> NDArray[np.float64]:
        ids = {link.meta[key.ID] for link in links}
        return self._queue.priorities_of(np.array(sorted(ids), dtype=np.int64))


def hindsight_of(config: CrawlConfig, driver: OrderDriver, queue: FrontierQueue) -> Blind:
    """Who watches a crawl."""
    return Hindsight(config, driver, queue) if config.focused else Blind()
