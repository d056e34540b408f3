"""The apprentice as a whole: what it learns, and that a resumed one has learned the same."""

import numpy as np
import pytest

from ranking.arrays import as_ids
from ranking.evidence import Evidence
from ranking.orders import make_order
from ranking.orders.apprentice.signals import BELIEFS
from ranking.orders.base import Places, Repricing
from tests.ranking.small_crawl import WEB, SmallCrawl, new_crawl, relevance

ONES = np.ones(len(BELIEFS), np.float32)
ZONES = np.zeros(6, np.uint32)
PREDICTED = "predicted relevance by the words of links"


def weights_of(crawl: SmallCrawl) -> dict[str, float]:
    """What each signal adds to a URL whose row holds nothing but 1."""
    return crawl.order.row_contributions(ONES)


def learned(**signals) -> dict[str, float]:
    crawl = new_crawl("apprentice", **signals)
    before = weights_of(crawl)
    crawl.run(200, every=20)
    return {name: value - before[name] for name, value in weights_of(crawl).items()}


def truth_told(name: str) -> float:
    return float(int(name[1:]) % 4 == 0)


def test_words_gain_where_they_tell_and_lose_where_they_mislead():
    honest = learned(relevance=truth_told, predicted=lambda name: 0.8 * truth_told(name))
    lying = learned(relevance=truth_told, predicted=lambda name: 0.8 * (1 - truth_told(name)))
    assert honest[PREDICTED] > 0.1
    assert lying[PREDICTED] < -0.1


def test_contributions_add_up_to_the_priority():
    crawl = new_crawl("apprentice")
    crawl.run(80, every=15)
    ids = crawl.frontier()
    parts = crawl.order.contributions(ids, crawl.evidence)
    expected = crawl.order.priority(ids, crawl.evidence)
    np.testing.assert_allclose(sum(parts.values()), expected, rtol=1e-9)


def resumed(crawl: SmallCrawl, saved: dict[str, np.ndarray]) -> SmallCrawl:
    """A new order that is told what the store holds."""
    again = SmallCrawl(make_order(crawl.order.name), WEB, [])
    again.order.restore(saved)
    again.order.grow(len(crawl.names))
    again.evidence, again.graph, again.names = crawl.evidence, crawl.graph, crawl.names
    for update in crawl.updates[again.order.pages_seen :]:
        again.order.learn(update.page, crawl.rows[update.page], update.relevance)
        again.order.page(update, crawl.evidence)
    return again


@pytest.mark.parametrize("later", [0, 1, 23])
def test_a_resumed_order_has_learned_the_same_bit_for_bit(later):
    crawl = new_crawl("apprentice")
    crawl.run(60, every=15)
    saved = {key: array.copy() for key, array in crawl.order.state_arrays().items()}
    crawl.run(60 + later)
    again = resumed(crawl, saved)
    assert weights_of(again) == weights_of(crawl)
    if not later:
        assert again.priorities() == crawl.priorities()


def test_a_resumed_order_without_saved_state_has_the_same_weights():
    crawl = new_crawl("apprentice")
    crawl.run(70, every=15)
    again = SmallCrawl(make_order("apprentice"), WEB, [])
    again.order.grow(len(crawl.names))
    for update in crawl.updates:
        again.order.learn(update.page, crawl.rows[update.page], update.relevance)
        again.order.page(update, crawl.evidence)
    assert weights_of(again) == weights_of(crawl)


def test_rows_of_another_order_teach_nothing():
    crawl = new_crawl("apprentice")
    crawl.run(20)
    before = weights_of(crawl)
    for page in range(50, 70):
        crawl.order.grow(page + 1)
        crawl.order.learn(page, np.ones(3, np.float32), 1.0)
    assert weights_of(crawl) == before


def test_seeds_have_no_row():
    crawl = new_crawl("apprentice", seeds=["p1", "p2"])
    assert crawl.order.row(0, crawl.evidence) is None
    crawl.run(2)
    row = crawl.order.row(int(crawl.frontier()[0]), crawl.evidence)
    assert row is not None
    assert row.dtype == np.float32
    assert np.isfinite(row).all()


def test_a_host_that_was_not_looked_at_is_explored_first():
    order, evidence = make_order("apprentice"), Evidence()
    places = np.array([1, 1, 1, 2], np.uint32)
    order.place(Places(np.array([7, 7, 7, 9], np.uint32), places, places, ZONES[:4]))
    order.grow(4)
    evidence.grow(4)
    for page in (0, 1):
        order.learn(page, None, 0.0)
    known, unseen = order.priority(as_ids("ids", [2, 3]), evidence)
    assert unseen - known == pytest.approx((0.1 + 0.03) * (1 - 3**-0.5))


def test_the_whole_queue_is_priced_ever_less_often_as_it_grows():
    def shares(queued: int) -> dict[Repricing, int]:
        order = make_order("apprentice")
        asked = [order.repricing(pages, queued) for pages in range(1, 10_001)]
        return {kind: asked.count(kind) for kind in Repricing}

    short, long, huge = shares(100), shares(100_000), shares(1_000_000)
    assert short[Repricing.ALL] > long[Repricing.ALL] > huge[Repricing.ALL] > 0
    # URLs priced a page stay bounded.
    assert huge[Repricing.ALL] * 1_000_000 / 10_000 <= 260
    assert long[Repricing.BEST] >= 800


def test_it_reads_no_relevance_but_what_it_was_told():
    told = new_crawl("apprentice", relevance=relevance)
    told.run(30, every=10)
    assert told.order._judged == 30


def test_a_host_that_does_not_answer_is_left():
    order, evidence = make_order("apprentice"), Evidence()
    places = np.array([1, 1, 2, 2], np.uint32)
    order.place(Places(np.array([7, 7, 9, 9], np.uint32), places, places, ZONES[:4]))
    order.grow(4)
    evidence.grow(4)
    order.learn(0, None, 0.5)
    before = order.priority([3], evidence)
    order.fail([2])
    assert order.priority([3], evidence) < before


def permalinks(expected: float | None) -> tuple[float, float]:
    """What two URLs are worth, one of a template that led elsewhere several times."""
    order, evidence = make_order("apprentice"), Evidence()
    one = np.full(6, 7, np.uint32)
    order.place(Places(one, one, np.array([1, 1, 1, 1, 1, 2], np.uint32), ZONES[:6]))
    order.grow(6)
    evidence.grow(6)
    for page in range(4):
        order.lead(page, None, expected)
    of_its_kind, other = order.priority(as_ids("ids", [4, 5]), evidence)
    return float(of_its_kind), float(other)


def test_urls_of_a_template_that_led_to_what_was_known_wait_for_others():
    of_its_kind, other = permalinks(None)
    assert of_its_kind < other


def test_a_template_that_led_to_new_pages_has_answered_and_is_as_good_as_these():
    of_its_kind, other = permalinks(0.5)
    assert of_its_kind >= other


def test_a_url_that_led_to_what_was_known_teaches_that_its_signs_are_worth_little():
    crawl = new_crawl("apprentice", relevance=relevance)
    crawl.run(40, every=10)
    [url] = crawl.frontier()[:1].tolist()
    row = crawl.order.row(url, crawl.evidence)
    before = crawl.order.row_contributions(row)
    for _ in range(20):
        crawl.order.lead(url, row, None)
    assert sum(crawl.order.row_contributions(row).values()) < sum(before.values())
