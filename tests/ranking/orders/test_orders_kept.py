"""Every crawl order stopped, saved and taken up again."""

from __future__ import annotations

import numpy as np
import pytest

from ranking.errors import RankingInputError
from ranking.evidence import Evidence
from ranking.orders import make_order
from ranking.orders.memory import restore
from tests.ranking.orders.every_order import all_orders, re_ranked
from tests.ranking.small_crawl import SmallCrawl, new_crawl, predicted, relevance
from tests.support.told import telling


@all_orders
def test_loaded_evidence_gives_the_same_priorities_as_replayed(name):
    crawl = new_crawl(name)
    crawl.run(50, every=10)
    view = crawl.graph.snapshot()
    loaded = Evidence()
    loaded.grow(crawl.evidence.n, crawl.evidence.depth)
    loaded.add_seeds(np.flatnonzero(crawl.evidence.seed))
    loaded.load(
        view,
        [relevance(crawl.names[page]) for page in view.pages],
        [predicted(crawl.names[target]) for target in view.targets],
    )
    ids = crawl.frontier()
    np.testing.assert_array_equal(
        crawl.order.priority(ids, loaded), crawl.order.priority(ids, crawl.evidence)
    )


def resume(crawl: SmallCrawl, arrays) -> SmallCrawl:
    """The crawl after a restart: saved scores, and a replay of the pages they do not hold."""
    order = make_order(crawl.order.name)
    if arrays:
        order.restore(arrays)
    order.grow(crawl.evidence.n)
    for update in crawl.updates[order.pages_seen :]:
        order.learn(update.page, crawl.rows[update.page], update.relevance)
        order.page(update, crawl.evidence)
    again = SmallCrawl.__new__(SmallCrawl)
    again.__dict__.update(crawl.__dict__, order=order, fetched=list(crawl.fetched))
    return again


@all_orders
def test_a_saved_order_continues_as_if_it_had_never_stopped(name):
    crawl = new_crawl(name)
    crawl.run(45, every=10)
    again = resume(crawl, crawl.order.state_arrays())
    assert again.order.pages_seen == crawl.order.pages_seen == 45
    assert again.priorities() == crawl.priorities()
    job = crawl.order.prepare(crawl.graph.snapshot(), crawl.evidence)
    job_again = again.order.prepare(crawl.graph.snapshot(), crawl.evidence)
    found = job_again()
    for key, ranking in job().items():
        assert np.abs(ranking.scores - found[key].scores).sum() <= 2 * crawl.order.tol


@all_orders
def test_an_order_says_which_saved_arrays_hold_one_value_an_id(name):
    crawl = new_crawl(name)
    lengths = []
    for pages in (20, 45):
        crawl.run(pages, every=10)
        crawl.rerank()
        state = crawl.order.state_arrays()
        n = crawl.evidence.n
        lengths.append({key for key, array in state.items() if array.shape == (n,)})
        assert crawl.order.by_id <= state.keys()
    assert crawl.order.by_id == lengths[0] & lengths[1]


@all_orders
def test_saved_state_that_does_not_fit_the_crawl_is_refused(name):
    crawl = new_crawl(name)
    crawl.run(20, every=10)
    crawl.rerank()
    state, n = crawl.order.state_arrays(), crawl.evidence.n
    for key in sorted(crawl.order.by_id):
        longer = {**state, key: np.append(state[key], state[key])}
        flat = {**state, key: state[key].reshape(1, -1)}
        for broken in (longer, flat):
            with pytest.raises(RankingInputError, match=telling(repr(key), repr(name))):
                restore(make_order(name), broken, n)
    for key in state:
        missing = {one: array for one, array in state.items() if one != key}
        with pytest.raises(RankingInputError):
            restore(make_order(name), missing, n)
    order = make_order(name)
    restore(order, state, n)
    assert order.pages_seen == (crawl.order.pages_seen if state else 0)


@re_ranked
def test_state_of_another_order_is_refused(name):
    with pytest.raises(RankingInputError, match=telling(repr(name), "another")):
        make_order(name).restore({"something": np.zeros(1)})


@re_ranked
def test_saved_state_is_a_copy(name):
    crawl = new_crawl(name)
    crawl.run(20, every=10)
    saved = crawl.order.state_arrays()
    before = {key: array.copy() for key, array in saved.items()}
    crawl.run(30)
    for key, array in saved.items():
        np.testing.assert_array_equal(array, before[key])
