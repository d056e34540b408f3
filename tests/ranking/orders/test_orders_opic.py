"""Cash that pages hand to their links."""

from __future__ import annotations

import numpy as np
import pytest

from ranking.errors import RankingInputError
from ranking.evidence import Evidence
from ranking.orders import make_order
from ranking.orders.opic import OpicOrder
from tests.ranking.small_crawl import silent
from tests.support.told import telling


def cash(pages, seeds=(0,), n=5) -> list[float]:
    order, evidence = OpicOrder(), Evidence()
    order.grow(n)
    evidence.grow(n)
    evidence.add_seeds(list(seeds))
    for page, targets, *weights in pages:
        given = np.array(weights[0], np.float32) if weights else None
        order.page(silent(page, np.array(targets, np.int32), given), evidence)
    assert order.scores["score"].tolist() == order.value(np.arange(n), evidence).tolist()
    return order.scores["score"].tolist()


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([(0, [1, 2])], [0, 0.5, 0.5, 0, 0]),
        ([(0, [1, 2]), (1, [2, 3, 4], [1, 3, 0])], [0, 0, 0.625, 0.375, 0]),  # 4: nofollow
        ([(0, [0, 1, 2, 1])], [0, 0.5, 0.5, 0, 0]),  # no share for itself, none for repeats
        ([(0, [1]), (1, [])], [0, 0, 0, 0, 0]),  # to the virtual page
        ([(0, [1]), (0, [2])], [0, 1, 0, 0, 0]),  # a seed is paid once
        ([(3, [1])], [0, 0, 0, 0, 0]),  # nothing came from a seed
    ],
)
def test_a_page_hands_its_cash_to_its_links_by_their_weight(pages, expected):
    assert cash(pages) == expected


def test_the_state_of_another_order_is_refused():
    with pytest.raises(RankingInputError, match=telling("'opic'", "another")):
        make_order("opic").restore({"authority": np.zeros(3)})
