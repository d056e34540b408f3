"""What every crawl order must do, and what the single ones promise."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from ranking.errors import LinkRankError, RankingInputError, UnknownOrderError
from ranking.evidence import Evidence
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.lesson import silent
from ranking.orders import DEFAULT_ORDER, ORDERS, make_order
from ranking.orders.base import Repricing
from ranking.orders.kept import restore
from ranking.pagerank.pagerank import pagerank
from ranking.result import Ranking
from tests.ranking.small_crawl import SmallCrawl, new_crawl, promise, relevance

RE_RANKED = [name for name, order in ORDERS.items() if order.uses_links]
all_orders = pytest.mark.parametrize("name", ORDERS)
re_ranked = pytest.mark.parametrize("name", RE_RANKED)


PLAIN = {"bfs", "dfs", "random", "backlinks", "opic"}
LINKS = {"pagerank", "ppr", "trustrank", "hits"}
TOPIC = {
    "best-first",
    "best-n-first",
    "anchor-only",
    "anchor-parent",
    "shark",
    "fc-max",
    "fc-mean",
}
BOTH = {"topic-ppr", "topic-ppr-indegree", "topic-hits", "relevance-ppr", "fusion"}


def test_the_registry_names_every_order():
    assert set(ORDERS) >= PLAIN | LINKS | TOPIC | BOTH
    assert DEFAULT_ORDER in ORDERS
    for name in PLAIN | LINKS | TOPIC | BOTH:
        assert ORDERS[name].uses_topic == (name in TOPIC | BOTH), name
        assert ORDERS[name].uses_links == (name in LINKS | BOTH), name


@all_orders
def test_an_order_describes_itself(name):
    words = ORDERS[name].describe()
    assert words.name == name
    assert all([words.summary.endswith("."), words.source, words.formula])
    assert words.when.endswith(".")
    assert not words.formula.endswith(".")
    assert all(" " in text for text in (words.summary, words.when))
    assert words.uses_topic == ORDERS[name].uses_topic


def test_an_unknown_order_lists_the_known_ones():
    with pytest.raises(UnknownOrderError, match=r"no crawl strategy 'best'; choose one of: bfs,"):
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
            assert scores.dtype == np.float64
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
        [promise(crawl.names[target]) for target in view.targets],
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
    for lesson in crawl.lessons[order.pages_seen :]:
        order.learn(lesson.page, crawl.rows[lesson.page], lesson.relevance)
        order.page(lesson, crawl.evidence)
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
    for key, ranking in job().items():
        assert ranking.scores.tolist() == job_again()[key].scores.tolist()


@all_orders
def test_an_order_saved_at_the_last_re_rank_replays_the_pages_since(name):
    crawl = new_crawl(name)
    crawl.run(40, every=10)
    saved = crawl.order.state_arrays()
    crawl.run(47)
    again = resume(crawl, saved)
    assert again.priorities() == crawl.priorities()


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
            with pytest.raises(RankingInputError, match=f"{key!r} of the saved state"):
                restore(make_order(name), broken, n)
    for key in state:
        missing = {one: array for one, array in state.items() if one != key}
        order = make_order(name)
        try:
            restore(order, missing, n)
        except RankingInputError:
            continue
        # Then it was saved by an earlier version.
        assert key.endswith((".owed", "told")), key
    order = make_order(name)
    restore(order, state, n)
    assert order.pages_seen == (crawl.order.pages_seen if state else 0)


@re_ranked
def test_state_of_another_order_is_refused(name):
    with pytest.raises(RankingInputError, match=f"state of order '{name}'.*another order"):
        make_order(name).restore({"something": np.zeros(1)})


@pytest.mark.parametrize("name", ["pagerank", "ppr", "topic-ppr", "relevance-ppr"])
def test_a_state_saved_before_rankings_were_continued_is_taken_up(name):
    crawl = new_crawl(name)
    crawl.run(40, every=10)
    order, saved = crawl.order, {}
    for key, array in order.state_arrays().items():
        if key.endswith(".walk"):
            scores = key.removesuffix(".walk")
            saved[scores], saved[key] = order.scores[scores].copy(), np.array([1 / array[0], 99.0])
        elif key in ("pages_seen", "mean"):
            saved[key] = array
    saved["pages_seen"] = np.array([order.pages_seen])
    again = resume(crawl, saved)
    assert again.priorities() == pytest.approx(crawl.priorities())
    job = again.order.prepare(crawl.graph.snapshot(), crawl.evidence)
    for key, ranking in job().items():
        exact = order.prepare(crawl.graph.snapshot(), crawl.evidence)()[key]
        assert np.abs(ranking.scores - exact.scores).sum() <= 2e-4


@re_ranked
def test_saved_state_is_a_copy(name):
    crawl = new_crawl(name)
    crawl.run(20, every=10)
    saved = crawl.order.state_arrays()
    before = {key: array.copy() for key, array in saved.items()}
    crawl.run(30)
    for key, array in saved.items():
        np.testing.assert_array_equal(array, before[key])


@re_ranked
def test_a_re_rank_installs_the_rankings_of_the_snapshot(name):
    crawl = new_crawl(name)
    crawl.run(40)
    rankings = crawl.order.prepare(crawl.graph.snapshot(), crawl.evidence)()
    crawl.order.swap(rankings)
    for key, ranking in rankings.items():
        assert isinstance(ranking, Ranking)
        assert ranking.converged
        assert ranking.scores.sum() == pytest.approx(1)
        if key in crawl.order.scores:
            np.testing.assert_array_equal(crawl.order.scores[key], ranking.scores)


@re_ranked
def test_a_job_reads_nothing_that_the_crawl_changes_meanwhile(name):
    quiet, busy = new_crawl(name), new_crawl(name)
    for crawl in (quiet, busy):
        crawl.run(40, every=15)
    expected = quiet.order.prepare(quiet.graph.snapshot(), quiet.evidence)()
    job = busy.order.prepare(busy.graph.snapshot(), busy.evidence)
    busy.run(80)
    for key, ranking in job().items():
        np.testing.assert_array_equal(ranking.scores, expected[key].scores)


@re_ranked
def test_a_job_runs_in_a_thread_while_the_crawl_goes_on(name):
    crawl, results = new_crawl(name), []
    crawl.run(40)
    job = crawl.order.prepare(crawl.graph.snapshot(), crawl.evidence)
    worker = threading.Thread(target=lambda: results.append(job()))
    worker.start()
    crawl.run(60)
    worker.join(timeout=30)
    crawl.order.swap(results[0])
    assert len(crawl.order.scores["score"]) == crawl.evidence.n
    assert len(crawl.run(100, every=20)) == 100


@re_ranked
def test_pages_fetched_during_a_re_rank_are_pushed_from_the_new_scores(name):
    """Swapping late gives what swapping at once and fetching afterwards gives."""
    late, early = new_crawl(name), new_crawl(name)
    pages = [f"p{i}" for i in range(1, 60)]
    for crawl in (late, early):
        for page in pages[:40]:
            crawl.discover([page], 1)
            crawl.fetch(page)
    early.rerank()
    job = late.order.prepare(late.graph.snapshot(), late.evidence)
    rankings = job()
    for page in pages[40:]:
        for crawl in (late, early):
            crawl.discover([page], 1)
            crawl.fetch(page)
    late.order.swap(rankings)
    for key, scores in early.order.scores.items():
        if name == "topic-hits" or (
            late.order.uses_places and key == "authority"
        ):  # reads the mean relevance of now
            np.testing.assert_allclose(late.order.scores[key], scores, atol=0.02)
        else:
            np.testing.assert_allclose(late.order.scores[key], scores, rtol=1e-12)


@pytest.mark.parametrize("name", ["pagerank", "ppr", "topic-ppr"])
def test_provisional_scores_come_near_the_next_re_rank(name):
    crawl = new_crawl(name)
    crawl.run(100, every=20)
    known = crawl.evidence.n
    crawl.run(103)
    provisional = crawl.order.scores["score"].copy()
    crawl.rerank()
    exact = crawl.order.scores["score"]
    assert np.abs(provisional - exact).sum() < 0.1
    if exact[known:].any():
        assert provisional[known:].sum() == pytest.approx(exact[known:].sum(), rel=0.5)


def test_ppr_is_trustrank_of_the_seeds():
    crawl = new_crawl("ppr")
    crawl.run(60)
    crawl.rerank()
    restart = crawl.evidence.seed.astype(float)
    expected = pagerank(crawl.graph, restart, tol=1e-10).scores
    assert np.abs(crawl.order.scores["score"] - expected).sum() <= 1e-4


def test_topic_ppr_restarts_at_fetched_pages_by_relevance():
    crawl = new_crawl("topic-ppr")
    crawl.run(60)
    crawl.rerank()
    expected = pagerank(crawl.graph, crawl.evidence.relevance, tol=1e-10).scores
    assert np.abs(crawl.order.scores["score"] - expected).sum() <= 1e-4


@pytest.mark.parametrize("name", ["topic-ppr", "relevance-ppr"])
def test_without_any_relevance_the_topical_surfer_restarts_at_the_seeds(name):
    crawl = new_crawl(name, relevance=lambda page: 0.0)
    crawl.run(40, every=10)
    crawl.rerank()
    restart = crawl.evidence.seed.astype(float)
    expected = pagerank(crawl.graph, restart, tol=1e-10).scores
    assert np.abs(crawl.order.scores["score"] - expected).sum() <= 1e-4


@re_ranked
def test_without_seeds_and_relevance_a_re_rank_still_works(name):
    evidence, graph, order = Evidence(), LinkGraph(3), make_order(name)
    evidence.grow(3)
    order.grow(3)
    for page, targets in ((0, [1, 2]), (1, [])):
        evidence.page(silent(page, targets))
        graph.append(page, targets)
        order.page(silent(page, targets), evidence)
    order.swap(order.prepare(graph.snapshot(), evidence)())
    assert order.scores["score"].sum() == pytest.approx(1)
    assert np.isfinite(order.priority([2], evidence)).all()


@all_orders
def test_an_empty_crawl_can_be_ranked(name):
    order, evidence = make_order(name), Evidence()
    order.swap(order.prepare(LinkGraph().snapshot(), evidence)())
    order.grow(2)
    evidence.grow(2)
    assert np.isfinite(order.priority([0, 1], evidence)).all()


def test_nofollow_links_hand_on_nothing():
    for name in ("ppr", "opic", "backlinks", "hits"):
        order, evidence = make_order(name), Evidence()
        evidence.grow(3)
        order.grow(3)
        evidence.add_seeds([0])
        lesson = silent(0, [1, 2], [0.0, 1.0], relevance=1.0)
        evidence.page(lesson)
        order.page(lesson, evidence)
        nofollow, followed = order.priority([1, 2], evidence)
        assert nofollow == 0
        assert followed > 0


def test_a_graph_with_ids_the_evidence_does_not_know_is_refused():
    with pytest.raises(RankingInputError, match=r"all 4 ids of the graph, it knows 0"):
        make_order("ppr").prepare(LinkGraph(4).snapshot(), Evidence())


def test_topic_hits_prefers_the_relevant_community():
    # Two equally strong communities; only the second one's pages are relevant.
    web = {"s": ["a", "b"], "a": ["x", "y"], "b": ["u", "v"], "x": ["y"], "u": ["v"]}
    topical = {"b": 1.0, "u": 1.0}
    crawl = SmallCrawl(make_order("topic-hits"), web, ["s"], lambda name: topical.get(name, 0.0))
    for page in ("s", "a", "b", "x", "u"):
        crawl.fetch(page)
    crawl.rerank()
    values = crawl.priorities()
    assert values["v"] > values["y"]


def test_prepare_takes_a_view_without_weights_or_with():
    crawl = new_crawl("ppr")
    crawl.run(20)
    view = crawl.graph.snapshot()
    ones = np.ones(view.n_links, np.float32)
    weighted = GraphView(view.n, view.pages, view.indptr, view.targets, ones)
    plain = crawl.order.prepare(view, crawl.evidence)()["score"].scores
    same = crawl.order.prepare(weighted, crawl.evidence)()["score"].scores
    np.testing.assert_allclose(same, plain, atol=1e-15)


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
    assert all(weight.words and weight.deviation >= 0 for weight in crawl.order.weights())
    assert crawl.order.repricing(40, 1000) in Repricing
    row = crawl.order.row(int(ids[0]), crawl.evidence)
    assert row is None or (row.dtype == np.float32 and row.ndim == 1)
