"""Best first: the most promising single link."""

from __future__ import annotations

import numpy as np

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.orders.base import Order
from ranking.priority import Ids


class BestFirst(Order):
    """A good page with a good link text is enough, however many poor ones there are."""

    name = "best-first"
    summary = "The URL with the best single link: relevant page and promising link text."
    source = "Chakrabarti, van den Berg, Dom 1999, Focused crawling; Menczer et al. 2004"
    formula = "max over links u → v of (rel(u) + promise(u → v)) / 2"
    uses_topic = True

    def _value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return evidence.best_link[ids].astype(np.float64)
