from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ranking.evidence import Evidence
from ranking.priority import SEED_PRIORITY, seeds_first
from tests.ranking.small_crawl import silent

IDS = np.arange(4)


def update() -> Evidence:
    evidence = Evidence()
    evidence.grow(4)
    evidence.page(silent(0, [2, 3], None, 1.0, [1.0, 0.0]))
    evidence.page(silent(1, [2], None, 0.5, [0.0]))
    return evidence


SCORES = st.lists(st.floats(0, 1), min_size=4, max_size=4)


def test_unfetched_seeds_come_first_in_the_order_of_their_ids():
    evidence = update()
    evidence.add_seeds([0, 2, 3])
    values = seeds_first(np.array([1.0, 2.0, 3.0, 4.0]), IDS, evidence)
    assert values.tolist() == [1, 2, SEED_PRIORITY - 2, SEED_PRIORITY - 3]
    assert SEED_PRIORITY - (2**31 - 1) > 2**31
