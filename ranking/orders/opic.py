"""OPIC as a crawl order: the URL that holds most cash.

The virtual page leads to the seeds, which come first anyway: pages without links hand their cash
to URLs that are fetched already, and what orders the frontier is what links handed to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.lesson import PageLesson
from ranking.opic import Opic
from ranking.orders.base import PAGES_SEEN, Order, State
from ranking.priority import Ids


class OpicOrder(Order):
    """Importance without re-ranks. A crawl stored without a state is replayed page by page."""

    name = "opic"
    summary = "The URL that has been handed most cash by the pages that link to it."
    source = "Abiteboul, Preda, Cobena 2003, Adaptive on-line page importance computation"
    formula = "cash(v); fetching u: cash(v) += cash(u) / |Out(u)|, cash(u) = 0"
    when = (
        "Without a topic, on crawls so large that no re-rank is wanted: importance at the cost of "
        "one addition a link. Near the seeds it is about as good as `ppr`."
    )

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._opic = Opic()

    @property
    def scores(self) -> dict[str, FloatArray]:
        return {"score": self._opic.cash, "importance": self._opic.estimate()}

    def score(self, page: int) -> float:
        # Not by `scores`, which settles the accounts of all ids.
        return float(self._opic.cash_of(np.array([page]))[0])

    def grow(self, n: int) -> None:
        self._opic.grow(n)

    def page(self, lesson: PageLesson, evidence: Evidence) -> None:
        # A seed's cash is of no use before it is fetched: until then seeds come first anyway.
        if evidence.seed[lesson.page]:
            self._opic.seed([lesson.page])
        self._opic.fetch(lesson.page, lesson.targets, lesson.weights)
        self.pages_seen += 1

    def state_arrays(self) -> State:
        return {PAGES_SEEN: np.array([self.pages_seen]), **self._opic.state()}

    @property
    def by_id(self) -> frozenset[str]:
        return frozenset({"cash", "history", "taken", "seeds"})

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        try:
            self._opic.restore(arrays)
            self.pages_seen = int(arrays[PAGES_SEEN][0])
        except KeyError as missing:
            raise self._foreign(arrays, missing) from None

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return self._opic.cash_of(ids)
