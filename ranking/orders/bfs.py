"""Breadth first: the order in which URLs were discovered."""

from __future__ import annotations

import numpy as np

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.orders.base import Order
from ranking.priority import Ids


class Bfs(Order):
    """First discovered, first fetched; ids are numbered by discovery."""

    name = "bfs"
    summary = "Breadth first: the URL discovered first."
    source = "Najork and Wiener 2001, Breadth-first crawling yields high-quality pages"
    formula = "−id(v)"
    when = (
        "For whole sites, for mirrors, or when nothing is known: it needs no topic and is hard to "
        "lead astray. On a topic it pays only as long as the pages around the seeds do."
    )

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return -ids.astype(np.float64)
