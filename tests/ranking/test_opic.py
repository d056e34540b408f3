from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.orders import make_order
from ranking.orders.opic import Opic
from ranking.page_update import silent
from tests.ranking import reference
from tests.ranking.small_crawl import new_crawl
from tests.support.told import telling

N = 10
LINK = st.tuples(st.integers(0, N - 1), st.sampled_from([0.0, 0.5, 1.0]))
PAGES = st.lists(st.tuples(st.integers(0, N - 1), st.lists(LINK, max_size=6)), max_size=30)
WEB = st.lists(st.lists(LINK, max_size=6), min_size=N, max_size=N)
VISITS = st.lists(st.integers(0, N - 1), max_size=60)
DAMPING = st.sampled_from([0.0, 0.5, 0.85, 1.0])


def fetch(opic: Opic, page: int, links) -> None:
    opic.fetch(page, [t for t, _ in links], [w for _, w in links])


def jumps(seeds: list[int]) -> np.ndarray:
    r = np.zeros(N)
    r[seeds] = 1
    return r / r.sum()


def test_cash_is_shared_and_handed_on():
    opic = Opic(5)
    opic.seed([0, 1])
    opic.fetch(0, [1, 2])
    assert opic.cash.tolist() == [0, 1.5, 0.5, 0, 0]
    opic.fetch(1, [2, 3, 4], [1, 3, 0])
    assert opic.cash.tolist() == [0, 0, 0.875, 1.125, 0]
    assert opic.history.tolist() == [1, 1.5, 0, 0, 0]
    assert opic.estimate() == pytest.approx(np.array([1, 1.5, 0.875, 1.125, 0]) / 4.5)


def test_a_seed_is_paid_once():
    opic = Opic(3)
    opic.seed([1, 1])
    opic.seed([1, 2])
    assert opic.cash.tolist() == [0, 1, 1]


def test_links_to_itself_and_repeats_get_no_extra_share():
    opic = Opic(3)
    opic.seed([0])
    opic.fetch(0, [0, 1, 2, 1])
    assert opic.cash.tolist() == [0, 0.5, 0.5]


def test_cash_without_a_link_to_follow_goes_through_the_virtual_page_to_the_seeds():
    opic = Opic(3)
    opic.seed([0, 1])
    opic.fetch(0, [])
    assert opic.cash.tolist() == [0.5, 1.5, 0]
    opic.fetch(1, [2], [0])
    assert opic.cash.tolist() == [1.25, 0.75, 0]
    assert opic.history.tolist() == [1, 1.5, 0]


def test_real_pages_give_the_virtual_page_what_damping_leaves():
    opic = Opic(3, damping=0.5)
    opic.seed([0])
    opic.fetch(0, [1, 2])
    assert opic.cash.tolist() == [0.5, 0.25, 0.25]


def test_a_late_seed_has_its_own_cash_only():
    opic = Opic(3)
    opic.seed([0])
    opic.fetch(0, [])
    opic.fetch(0, [])
    opic.seed([2])
    assert opic.cash.tolist() == [1, 0, 1]
    opic.fetch(0, [])
    assert opic.cash.tolist() == [0.5, 0, 1.5]


@given(PAGES, DAMPING)
def test_lazy_cash_is_that_of_a_loop_over_all_ids(pages, damping):
    opic, cash, history = Opic(N, damping), np.zeros(N), np.zeros(N)
    opic.seed([0, 4])
    cash[[0, 4]] = 1
    r = jumps([0, 4])
    for page, links in pages:
        fetch(opic, page, links)
        row = reference.dense([(page, t, w) for t, w in links], N)[page]
        held, history[page], cash[page] = cash[page], history[page] + cash[page], 0
        cash += held * (damping * row / row.sum() + (1 - damping) * r if row.sum() else r)
        np.testing.assert_allclose(opic.cash, cash, atol=1e-12)
        np.testing.assert_allclose(opic.history, history, atol=1e-12)
        some = np.array([page, 0, 9])
        assert opic.cash_of(some).tolist() == opic.cash[some].tolist()
        assert opic.cash.min() >= 0
        assert opic.cash.sum() == pytest.approx(2)


@given(WEB, VISITS, DAMPING)
def test_the_residual_of_the_estimate_is_within_its_bound(web, visits, damping):
    """Whatever the order of visits; pages that were not visited yet are no exception."""
    opic = Opic(N, damping)
    opic.seed([0, 4])
    A = reference.dense([(s, t, w) for s, links in enumerate(web) for t, w in links], N)
    r = jumps([0, 4])
    G = damping * reference.transition(A, r) + (1 - damping) * r
    for page in visits:
        fetch(opic, page, web[page])
        estimate = opic.estimate()
        assert estimate.sum() == pytest.approx(1)
        assert np.abs(estimate @ G - estimate).sum() <= opic.error + 1e-12
        if damping < 1:
            exact = reference.pagerank(A, r, damping)
            assert np.abs(estimate - exact).sum() <= opic.error / (1 - damping) + 1e-9


def test_visits_to_who_holds_most_cash_lead_to_pagerank():
    rng = np.random.default_rng(8)
    web = [[(t, 1.0) for t in rng.integers(0, N, rng.integers(0, 4)).tolist()] for _ in range(N)]
    A = reference.dense([(s, t, w) for s, links in enumerate(web) for t, w in links], N)
    opic = Opic(N, 0.85)
    opic.seed([0, 4])
    for _ in range(20_000):
        page = int(np.argmax(opic.cash))
        fetch(opic, page, web[page])
    exact = reference.pagerank(A, jumps([0, 4]))
    assert np.abs(opic.estimate() - exact).sum() < 1e-3


def test_without_seeds_nothing_is_more_important():
    assert Opic(4).estimate().tolist() == [0.25] * 4
    assert Opic().estimate().tolist() == []
    opic = Opic(2)
    opic.fetch(0, [])
    assert (opic.cash.tolist(), opic.error) == ([0, 0], 2)


def test_growing_keeps_the_cash():
    opic = Opic()
    opic.grow(1)
    opic.seed([0])
    opic.grow(100)
    assert opic.n == 100
    assert np.flatnonzero(opic.cash).tolist() == [0]


@given(PAGES, PAGES, DAMPING)
def test_a_restored_state_goes_on_bit_for_bit(first, second, damping):
    opic, again = Opic(N, damping), Opic(0, damping)
    opic.seed([0, 4])
    for page, links in first:
        fetch(opic, page, links)
    state = opic.state()
    again.restore(state)
    saved = {name: array.copy() for name, array in state.items()}
    for one in (opic, again):
        one.grow(N + 5)
        one.seed([4, 7])
        for page, links in second:
            fetch(one, page, links)
    assert opic.cash.tolist() == again.cash.tolist()
    assert opic.history.tolist() == again.history.tolist()
    for name, array in state.items():
        np.testing.assert_array_equal(array, saved[name], err_msg=name)


def test_bad_input_is_refused():
    opic = Opic(2)
    with pytest.raises(RankingInputError, match=telling("n=2", 2)):
        opic.seed([2])
    with pytest.raises(RankingInputError, match="call grow"):
        opic.fetch(2, [])
    with pytest.raises(RankingInputError, match=telling("n=2", 2)):
        opic.fetch(0, [2])
    with pytest.raises(RankingInputError, match="weights"):
        opic.fetch(0, [1], [np.nan])
    for damping in (-0.1, 1.1, np.nan):
        with pytest.raises(RankingInputError, match=telling("damping", damping)):
            Opic(1, damping)


# the crawl order


def test_a_crawl_stored_before_the_order_had_a_state_is_replayed_and_goes_on_the_same():
    crawl = new_crawl("opic")
    crawl.run(40)
    old = make_order("opic")
    old.grow(crawl.evidence.n)
    view = crawl.graph.snapshot()
    for row in range(view.n_pages):
        targets = view.targets[view.indptr[row] : view.indptr[row + 1]]
        old.page(silent(int(view.pages[row]), targets), crawl.evidence)
    ids = crawl.frontier()
    before = crawl.order.priority(ids, crawl.evidence).tolist()
    assert old.priority(ids, crawl.evidence).tolist() == before
    assert old.scores["importance"].tolist() == crawl.order.scores["importance"].tolist()


def test_the_state_of_another_order_is_refused():
    with pytest.raises(RankingInputError, match=telling("'opic'", "another")):
        make_order("opic").restore({"authority": np.zeros(3)})


def test_the_order_shows_importance_between_re_ranks():
    crawl = new_crawl("opic")
    crawl.run(30)
    importance = crawl.order.scores["importance"]
    assert importance.sum() == pytest.approx(1)
    # A fetched page has no cash left to be ordered by, and is important all the same.
    fetched = crawl.evidence.fetched
    assert importance[fetched].sum() > 0.5
    assert crawl.order.scores["score"][~fetched].any()
