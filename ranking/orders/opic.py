"""OPIC as a crawl order: the URL that holds most cash."""

from __future__ import annotations

import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.opic import Opic
from ranking.orders.base import Order
from ranking.priority import Ids


class OpicOrder(Order):
    """Importance without re-ranks; to resume, every page of the crawl is replayed."""

    name = "opic"
    summary = "The URL that has been handed most cash by the pages that link to it."
    source = "Abiteboul, Preda, Cobena 2003, Adaptive on-line page importance computation"
    formula = "cash(v); fetching u: cash(v) += cash(u) / |Out(u)|, cash(u) = 0"

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._opic = Opic()

    @property
    def scores(self) -> dict[str, FloatArray]:
        return {"score": self._opic.cash}

    def grow(self, n: int) -> None:
        self._opic.grow(n)

    def page(
        self,
        page: int,
        targets: npt.ArrayLike,
        weights: npt.ArrayLike | None,
        evidence: Evidence,
    ) -> None:
        # A seed's cash is of no use before it is fetched: until then seeds come first anyway.
        if evidence.seed[page]:
            self._opic.seed([page])
        self._opic.fetch(page, targets, weights)
        self.pages_seen += 1

    def _value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return self._opic.cash[ids]
