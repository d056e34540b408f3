"""What a page's record teaches, by the flags of its links."""

from __future__ import annotations

import numpy as np
import pytest

from frontier.records import LinkArrays, LinkText, PageRecord
from frontier.states import COPIED, NOFOLLOW, REDIRECT, TOPICAL, State
from frontier.strategy.page_updates import edge_weights, update_of

FLAGS = np.array(
    [0, COPIED, TOPICAL, NOFOLLOW | TOPICAL, REDIRECT, COPIED | TOPICAL],
    np.uint8,
)
K = len(FLAGS)
MATCHES = np.arange(3 * K, dtype=np.uint8).reshape(-1, 3)
RECORD = LinkArrays(
    np.arange(10, 10 + K, dtype=np.int32),
    np.linspace(0.5, 1, K).astype(np.float32),
    FLAGS,
    None,
    LinkText(MATCHES),
)
PAGE = PageRecord(url_id=7, state=State.CRAWLED, relevance=0.75, similarity=0.5, links=RECORD)


def test_what_links_of_a_copy_say_counts_nothing():
    update = update_of(PAGE, 2.0)
    assert (update.page, update.relevance, update.similarity) == (7, 0.75, 0.5)
    assert update.targets.tolist() == RECORD.targets.tolist()
    said = [True, False, True, True, True, False]
    assert update.promises.tolist() == np.where(said, RECORD.promises, 0).tolist()
    assert update.matches.tolist() == [
        MATCHES[i].tolist() if said[i] else [0, 0, 0] for i in range(K)
    ]


@pytest.mark.parametrize(("weight", "heavy"), [(2.0, 2.0), (1.0, 1.0), (3.5, 3.5)])
def test_topical_links_weigh_more_and_nofollow_ones_nothing(weight: float, heavy: float):
    update = update_of(PAGE, weight)
    assert update.weights is not None
    assert update.weights.dtype == np.float32
    assert update.weights.tolist() == [1, 1, heavy, 0, 1, heavy]
    assert edge_weights(FLAGS[:0], weight).tolist() == []
