"""Depth first: the URL discovered last."""

from __future__ import annotations

import numpy as np

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.orders.base import Order
from ranking.priority import Ids


class Dfs(Order):
    """Last discovered, first fetched; ids are numbered by discovery."""

    name = "dfs"
    summary = "Depth first: the URL discovered last. A baseline, not a recommendation."
    source = "Tarjan 1972, Depth-first search"
    formula = "id(v)"
    when = "As a baseline only: it runs away from the seeds along the last link of each page."

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return ids.astype(np.float64)
