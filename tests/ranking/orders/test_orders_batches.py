"""Orders whose priorities stand still between fixed page counts."""

from __future__ import annotations

import numpy as np
import pytest

from ranking.evidence import Evidence
from ranking.orders import make_order
from ranking.orders.base import Repricing
from ranking.orders.memory import without_itself
from tests.ranking.small_crawl import silent


def chain(name: str, relevance, pages: int):
    """An order that fetched the ids of a chain in turn, and where it asked to price all anew."""
    order, evidence, asked = make_order(name), Evidence(), []
    evidence.grow(pages + 1)
    order.grow(pages + 1)
    for page in range(pages):
        update = silent(page, [page + 1], relevance=relevance(page))
        evidence.page(update)
        order.page(update, evidence)
        if order.repricing(page + 1, 1) is Repricing.ALL:
            asked.append(page + 1)
    return order, evidence, asked


def test_fc_mean_takes_the_mean_at_every_page_and_later_at_every_twentieth_part():
    asked = chain("fc-mean", lambda page: 0.5, 70)[2]
    assert asked == [*range(1, 41), 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 63, 66, 69]


def test_fc_mean_keeps_the_mean_in_between():
    order, evidence, asked = chain("fc-mean", lambda page: float(page == 61), 62)
    assert asked[-1] == 60  # before the only relevant page
    assert order.priority([62], evidence) == pytest.approx([(1 + 5 * 0) / 6])
    order, evidence, asked = chain("fc-mean", lambda page: float(page == 62), 63)
    assert asked[-1] == 63
    assert order.priority([63], evidence) == pytest.approx([(1 + 5 / 63) / 6])


def test_links_of_a_page_to_itself_are_taken_out_of_its_update_with_all_they_say():
    full = silent(2, [1, 2, 3, 2], [1.0, 2.0, 0.0, 1.0], 0.5, [0.1, 0.2, 0.3, 0.4])
    full = full._replace(matches=np.arange(24, dtype=np.uint8).reshape(4, 6))
    rest = without_itself(full)
    assert rest.targets.tolist() == [1, 3]
    assert rest.weights.tolist() == [1.0, 0.0]
    assert rest.predicted.tolist() == [0.1, 0.3]
    assert rest.matches.tolist() == [[*range(6)], [*range(12, 18)]]
    assert without_itself(rest) is rest
