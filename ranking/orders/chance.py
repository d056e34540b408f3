"""Random order: no URL is better than another."""

from __future__ import annotations

import numpy as np

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.orders.base import Order
from ranking.priority import Ids


class RandomOrder(Order):
    """Equal priorities, so that the queue's ties decide: a hash of the URL, keyed by the seed.

    The same random seed gives the same order, another one an independent order.
    """

    name = "random"
    summary = "Any URL: shuffled by a hash of the URL that depends on `FRONTIER_RANDOM_SEED`."
    source = "practice; the baseline of Cho, Garcia-Molina, Page 1998"
    formula = "0; of equal priorities the smallest keyed fingerprint goes first"
    when = (
        "As a baseline, or to sample what the links found so far lead to without favouring what "
        "was found early. Every strategy worth its name must beat it."
    )

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return np.zeros(len(ids))
