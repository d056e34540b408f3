"""What is left, estimated: worked examples, limits, and crawls of made-up webs."""

from __future__ import annotations

import heapq
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.estimates import FEWEST_JUDGED, Harvest, remaining

PAGES = st.lists(st.booleans(), max_size=400)


def counted(relevant: list[bool]) -> Harvest:
    harvest = Harvest()
    for one in relevant:
        harvest.add(one)
    return harvest


@given(PAGES)
def test_the_last_fifth_is_counted(relevant):
    harvest = Harvest()
    for judged, one in enumerate(relevant, start=1):
        harvest.add(one)
        found, likely, pages = harvest.recent()
        assert pages == min(max(math.ceil(judged / 5), FEWEST_JUDGED), judged)
        assert found == likely == sum(relevant[judged - pages : judged])
    assert counted(relevant).recent() == harvest.recent()


def test_an_order_by_relevance_falls_off():
    # 100 pages, of the last 20 half were relevant: rate 10.5 / 21; as many URLs wait as answered.
    harvest = Harvest([True] * 80 + [False, True] * 10)
    left = remaining(harvest, queued=1300, known=2600, falling=True)
    assert left is not None
    assert left.estimate == pytest.approx(0.5 * 100 * math.log(2))
    factor = math.exp(1.2816 * math.sqrt(1.1**2 + 1 / 10.5))
    assert left.low == math.floor(left.estimate / factor)
    assert left.high == math.ceil(left.estimate * factor)


def test_any_other_order_does_not():
    harvest = Harvest([False, True] * 50)
    left = remaining(harvest, queued=260, known=390, falling=False)
    assert left is not None
    assert left.estimate == pytest.approx(0.5 * 100 * 2)


def test_without_a_find_for_long_a_few_may_still_be_left():
    left = remaining(Harvest([True] * 30 + [False] * 1000), 1000, 2030, falling=True)
    assert left is not None
    assert left.low == 0
    assert 0 < left.estimate < 3
    assert left.high > left.estimate


def test_a_judge_that_is_not_sure_widens_the_interval():
    """Of the last 20 pages none counts, and 8 are relevant if relevance is how likely each is."""
    sure = remaining(Harvest([1.0] * 80 + [0.0] * 20), 1300, 2600, falling=True)
    unsure = remaining(Harvest([1.0] * 80 + [0.4] * 20), 1300, 2600, falling=True)
    assert sure is not None
    assert unsure is not None
    assert unsure[:2] == sure[:2], "what counts is the same"
    factor = math.exp(1.2816 * math.sqrt(1.1**2 + 1 / 8.5))
    assert unsure.high == math.ceil(8.5 / 21 * 100 * math.log(2) * factor)
    assert unsure.high > 7 * sure.high


def test_pages_that_hardly_count_are_fewer_at_the_lower_end():
    """20 pages count, and 12 of them are relevant if relevance is how likely each is."""
    left = remaining(Harvest([0.6] * 100), 1300, 2600, falling=True)
    assert left is not None
    factor = math.exp(1.2816 * math.sqrt(1.1**2 + 1 / 12.5))
    assert left.low == math.floor(12.5 / 21 * 100 * math.log(2) / factor)
    assert left.estimate == pytest.approx(20.5 / 21 * 100 * math.log(2))


@given(PAGES, st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())
def test_the_interval_holds_the_estimate_and_no_more_is_left_than_waits(
    relevant, queued, answered, falling
):
    left = remaining(counted(relevant), queued, queued + answered, falling=falling)
    assert left is None or 0 <= left.low <= left.estimate <= left.high <= queued


def best_first(seed: int, pages: int = 3000, topics: int = 12) -> list[tuple[float, float, float]]:
    """Crawl a made-up web, the page with the most relevant parents first.

    Pages of one topic prefer to link to each other. Returns (low, high, truly left) now and then.
    """
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, topics, pages)
    same = [np.flatnonzero(topic == one) for one in range(topics)]
    links = [
        np.where(rng.random(8) < 0.4, rng.choice(same[topic[page]], 8), rng.integers(0, pages, 8))
        for page in range(pages)
    ]
    relevant, known = topic == 0, np.zeros(pages, bool)
    parents, good = np.zeros(pages), np.zeros(pages)
    waiting, done, harvest, said = [], np.zeros(pages, bool), Harvest(), []
    start = int(same[0][0])
    heapq.heappush(waiting, (0.0, start))
    known[start] = True
    while waiting:
        _, page = heapq.heappop(waiting)
        if done[page]:
            continue
        done[page] = True
        harvest.add(bool(relevant[page]))
        for target in np.unique(links[page][~done[links[page]]]).tolist():
            known[target] = True
            parents[target] += 1
            good[target] += relevant[page]
            value = (good[target] + 0.5) / (parents[target] + 5)
            heapq.heappush(waiting, (-float(value), target))
        answered = int(done.sum())
        if answered in (60, 150, 400, 1000, 2000):
            left = remaining(harvest, int(known.sum()) - answered, int(known.sum()), falling=True)
            assert left is not None
            said.append((left.low, left.high, float((relevant & ~done).sum())))
    return said


@pytest.mark.slow
def test_the_interval_holds_in_most_crawls_of_made_up_webs():
    said = [one for seed in range(12) for one in best_first(seed)]
    held = [low <= truth <= high for low, high, truth in said]
    assert len(held) == 60
    assert np.mean(held) >= 0.8
    assert np.mean([truth <= high for _, high, truth in said]) >= 0.9, "crawls close by that end"


@given(PAGES, st.integers(1, 200))
def test_the_recent_share_is_that_of_the_last_pages(relevant, pages):
    share = counted(relevant).recent_share(pages)
    last = relevant[-pages:]
    assert share == (sum(last) / len(last) if last else None)
