"""What every crawl order must do."""

from __future__ import annotations

import numpy as np
import pytest

from ranking.errors import LinkRankError, RankingInputError, UnknownOrderError
from ranking.evidence import Evidence
from ranking.graph.link_graph import LinkGraph
from ranking.orders import DEFAULT_ORDER, ORDERS, make_order
from ranking.orders.base import Repricing
from tests.ranking.orders.every_order import all_orders
from tests.ranking.small_crawl import new_crawl, silent
from tests.support.told import telling

PLAIN = {"bfs", "opic"}
LINKS = {"pagerank", "ppr", "hits"}
TOPIC = {"best-first", "anchor-parent", "shark", "fc-mean"}
BOTH = {"topic-ppr", "topic-hits"}


def test_the_registry_names_every_order():
    assert set(ORDERS) == PLAIN | LINKS | TOPIC | BOTH | {DEFAULT_ORDER}
    for name in PLAIN | LINKS | TOPIC | BOTH:
        assert ORDERS[name].uses_topic == (name in TOPIC | BOTH), name
        assert ORDERS[name].uses_links == (name in LINKS | BOTH), name


@all_orders
def test_an_order_describes_itself(name):
    words = ORDERS[name]
    assert words.name == name
    assert all([words.summary.endswith("."), words.source, words.formula])
    assert words.when.endswith(".")
    assert not words.formula.endswith(".")
    assert all(" " in text for text in (words.summary, words.when))


def test_an_unknown_order_lists_the_known_ones():
    with pytest.raises(UnknownOrderError, match=telling("'best'", *ORDERS)):
        make_order("best")
    assert issubclass(UnknownOrderError, LinkRankError)


@pytest.mark.parametrize("params", [{"damping": 1}, {"damping": np.nan}, {"tol": 0}])
def test_bad_parameters_are_refused(params):
    with pytest.raises(RankingInputError, match=next(iter(params))):
        make_order("ppr", **params)


@all_orders
@pytest.mark.parametrize("every", [0, 7])
def test_priorities_are_finite_and_of_the_right_shape(name, every):
    crawl = new_crawl(name)
    for _ in range(60):
        crawl.step()
        if every and len(crawl.fetched) % every == 0:
            crawl.rerank()
        ids = crawl.frontier()
        values = crawl.order.priority(ids, crawl.evidence)
        assert values.shape == ids.shape
        assert values.dtype == np.float64
        assert np.isfinite(values).all()
        for scores in crawl.order.scores.values():
            assert scores.shape == (crawl.evidence.n,)
            assert scores.dtype in (np.float32, np.float64)
            assert np.isfinite(scores).all()
            assert (scores >= 0).all()
    assert crawl.order.priority(np.array([], int), crawl.evidence).shape == (0,)


@all_orders
def test_the_same_crawl_is_ordered_the_same_way(name):
    assert new_crawl(name).run(80, every=9) == new_crawl(name).run(80, every=9)


@all_orders
def test_asking_for_priorities_changes_nothing(name):
    crawl = new_crawl(name)
    crawl.run(30, every=10)
    first = crawl.priorities()
    some = np.array(crawl.frontier()[::2])
    some_values = crawl.order.priority(some, crawl.evidence)
    assert crawl.priorities() == first
    assert some_values.tolist() == [first[crawl.names[i]] for i in some]


@all_orders
def test_seeds_are_fetched_first_in_their_order_even_late_ones(name):
    seeds = ["p9", "p3", "p250"]
    crawl = new_crawl(name, seeds)
    assert crawl.run(3, every=1) == seeds
    crawl.run(40, every=10)
    late = ["x1", "x2"]
    crawl.discover(late, 0)
    crawl.evidence.add_seeds([crawl.ids[seed] for seed in late])
    assert crawl.run(42)[-2:] == late


@all_orders
def test_an_empty_crawl_can_be_ranked(name):
    order, evidence = make_order(name), Evidence()
    order.swap(order.prepare(LinkGraph().snapshot(), evidence)())
    order.grow(2)
    evidence.grow(2)
    assert np.isfinite(order.priority([0, 1], evidence)).all()


def test_nofollow_links_hand_on_nothing():
    for name in ("ppr", "opic", "hits"):
        order, evidence = make_order(name), Evidence()
        evidence.grow(3)
        order.grow(3)
        evidence.add_seeds([0])
        update = silent(0, [1, 2], [0.0, 1.0], relevance=1.0)
        evidence.page(update)
        order.page(update, evidence)
        nofollow, followed = order.priority([1, 2], evidence)
        assert nofollow == 0
        assert followed > 0


@all_orders
def test_what_an_order_says_of_itself_fits_its_priorities(name):
    crawl = new_crawl(name)
    crawl.run(40, every=10)
    ids = crawl.frontier()[:5]
    parts = crawl.order.contributions(ids, crawl.evidence)
    assert all(part.shape == ids.shape for part in parts.values())
    if parts:
        total = np.sum(list(parts.values()), axis=0)
        np.testing.assert_allclose(total, crawl.order.priority(ids, crawl.evidence))
    assert crawl.order.repricing(40, 1000) in Repricing
    row = crawl.order.row(int(ids[0]), crawl.evidence)
    assert row is None or (row.dtype == np.float32 and row.ndim == 1)
