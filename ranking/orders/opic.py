"""OPIC, on-line page importance (Abiteboul, Preda, Cobena 2003): importance without a re-rank.

A seed has cash 1 when it is fetched. A fetched page passes its cash on to its links in proportion
to their weights. The cash of a page without links goes to the paper's virtual page, and from there
to the seeds: they are fetched by then, and the frontier is ordered by the cash that links passed to
it. So the cash of the virtual page is not kept. A page costs O(out-links).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ranking.arrays import Column, FloatArray
from ranking.evidence import Evidence
from ranking.graph.links import page_links
from ranking.orders.memory import ColumnOrder
from ranking.page_update import PageUpdate
from ranking.priority import Ids


class OpicOrder(ColumnOrder):
    """Importance without re-ranks. A crawl stored without a state is replayed page by page."""

    name = "opic"
    summary = "The URL that has received most cash from the pages that link to it."
    source = "Abiteboul, Preda, Cobena 2003, Adaptive on-line page importance computation"
    formula = "cash(v); fetching u: cash(v) += cash(u) / |Out(u)|, cash(u) = 0"
    when = (
        "Without a topic, on crawls so large that no re-rank is wanted: importance at the cost of "
        "one addition a link. Near the seeds it is about as good as `ppr`."
    )
    saved_score = "cash"

    def _new_columns(self) -> dict[str, Column[Any]]:
        return {"cash": Column(np.float64), "paid": Column(np.bool_)}

    @property
    def scores(self) -> dict[str, FloatArray]:
        return {"score": self._columns["cash"]}

    def _note(self, update: PageUpdate, evidence: Evidence) -> None:
        cash, paid = self._columns["cash"], self._columns["paid"]
        page = update.page
        ids, weights, _ = page_links(page, update.targets, update.weights)
        held = cash[page] + float(evidence.seed[page] and not paid[page])
        cash[page], paid[page] = 0.0, True
        total = len(ids) if weights is None else weights.sum(dtype=np.float64)
        if total:
            # In double precision: single weights times a Python number would stay single.
            each = np.float64(held / total)
            cash[ids] += each if weights is None else weights * each

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return self._columns["cash"][ids]
