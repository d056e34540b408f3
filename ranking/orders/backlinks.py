"""Backlink count: how many fetched pages link to a URL."""

from __future__ import annotations

import numpy as np

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.orders.base import Order
from ranking.priority import Ids


class Backlinks(Order):
    """In-degree within what was fetched, nofollow links not counted."""

    name = "backlinks"
    summary = "The URL that most fetched pages link to."
    source = "Cho, Garcia-Molina, Page 1998, Efficient crawling through URL ordering"
    formula = "n(v), fetched pages with a followed link to v"
    when = (
        "As a baseline for link analysis. The first pages of a crawl decide what is popular, and "
        "menus that are repeated on every page win."
    )

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return evidence.in_links[ids].astype(np.float64)
