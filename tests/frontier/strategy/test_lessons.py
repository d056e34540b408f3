"""What a page's record teaches, by the flags of its links."""

from __future__ import annotations

import numpy as np
import pytest

from frontier.records import Links, LinkText, PageRecord
from frontier.states import NOFOLLOW, REDIRECT, State
from frontier.store.link_text import COPIED, TOPICAL
from frontier.strategy.lessons import edge_weights, lesson_of

FLAGS = np.array(
    [0, COPIED, TOPICAL, NOFOLLOW | TOPICAL, REDIRECT, COPIED | TOPICAL],
    np.uint8,
)
K = len(FLAGS)
CUES = np.arange(3 * K, dtype=np.uint8).reshape(-1, 3)
RECORD = Links(
    np.arange(10, 10 + K, dtype=np.int32),
    np.linspace(0.5, 1, K).astype(np.float32),
    FLAGS,
    None,
    LinkText(CUES),
)
PAGE = PageRecord(url_id=7, state=State.CRAWLED, relevance=0.75, similarity=0.5, links=RECORD)


def test_what_links_of_a_copy_say_counts_nothing():
    lesson = lesson_of(PAGE, 2.0)
    assert (lesson.page, lesson.relevance, lesson.similarity) == (7, 0.75, 0.5)
    assert lesson.targets.tolist() == RECORD.targets.tolist()
    said = [True, False, True, True, True, False]
    assert lesson.promises.tolist() == np.where(said, RECORD.promises, 0).tolist()
    assert lesson.cues.tolist() == [CUES[i].tolist() if said[i] else [0, 0, 0] for i in range(K)]


@pytest.mark.parametrize(("weight", "heavy"), [(2.0, 2.0), (1.0, 1.0), (3.5, 3.5)])
def test_topical_links_weigh_more_and_nofollow_ones_nothing(weight: float, heavy: float):
    lesson = lesson_of(PAGE, weight)
    assert lesson.weights is not None
    assert lesson.weights.dtype == np.float32
    assert lesson.weights.tolist() == [1, 1, heavy, 0, 1, heavy]
    assert edge_weights(FLAGS[:0], weight).tolist() == []
