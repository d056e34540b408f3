"""Rankings that continue an earlier one: as exact as cold ones, and only as dear as the change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.graph.link_graph import LinkGraph
from ranking.pagerank.pagerank import pagerank
from tests.ranking import reference

N = 12
LINK = st.tuples(st.integers(0, N - 1), st.sampled_from([0.0, 0.5, 1.0]))
RECORDS = st.lists(
    st.tuples(st.integers(0, N - 1), st.lists(LINK, max_size=6)),
    max_size=N,
    unique_by=lambda record: record[0],
)


def exact(graph: LinkGraph, restart=None, damping=0.85) -> np.ndarray:
    view = graph.snapshot()
    weights = np.ones(view.n_links) if view.weights is None else view.weights
    sources = np.repeat(view.pages, np.diff(view.indptr))
    edges = zip(sources.tolist(), view.targets.tolist(), weights.tolist(), strict=True)
    return reference.pagerank(reference.dense(edges, view.n), restart, damping)


def record(graph: LinkGraph, records) -> None:
    for page, links in records:
        graph.append(page, [t for t, _ in links], [w for _, w in links])


@given(RECORDS, st.integers(0, N), st.sampled_from([0.0, 0.5, 0.85, 0.99]))
def test_a_continued_ranking_is_exact_wherever_the_crawl_stood_before(records, split, damping):
    graph = LinkGraph(3)
    record(graph, records[:split])
    before = pagerank(graph, None, damping, 1e-9)
    record(graph, records[split:])
    after = pagerank(graph, None, damping, 1e-9, before)
    assert after.converged
    assert np.abs(after.scores - exact(graph, None, damping)).sum() <= 1e-9 + 1e-12
    assert after.scores.sum() == pytest.approx(1, abs=1e-12)
    assert (after.scores >= 0).all()


@given(RECORDS, st.lists(st.floats(0, 1), min_size=N, max_size=N), st.data())
def test_restart_weights_may_change_up_and_down_and_appear(records, weights, data):
    graph = LinkGraph(N)
    first = np.array(data.draw(st.lists(st.floats(0, 1), min_size=N, max_size=N))) + 0.01
    second = np.array(weights) + 0.01
    half = len(records) // 2
    record(graph, records[:half])
    before = pagerank(graph, first, tol=1e-9)
    record(graph, records[half:])
    for restart in (second, None):
        after = pagerank(graph, restart, tol=1e-9, start=before)
        assert np.abs(after.scores - exact(graph, restart)).sum() <= 1e-9 + 1e-12


def crawl(pages: int, seed: int = 3) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 4 * pages, 12) for _ in range(pages)]


def test_many_small_steps_end_where_one_cold_ranking_does():
    graph, ranking = LinkGraph(2400), None
    for page, targets in enumerate(crawl(600)):
        graph.append(page, targets)
        if page % 20 == 0:
            ranking = pagerank(graph, tol=1e-8, start=ranking)
    ranking = pagerank(graph, tol=1e-8, start=ranking)
    assert np.abs(ranking.scores - pagerank(graph, tol=1e-12).scores).sum() <= 1e-8


def test_a_small_change_is_pushed_and_a_large_one_swept():
    links, graph = crawl(2000), LinkGraph(8000)
    for page in range(1000):
        graph.append(page, links[page])
    before = pagerank(graph, tol=1e-4)
    assert (before.pushed, before.iterations > 0) == (0, True)
    graph.append(1000, links[1000])
    small = pagerank(graph, tol=1e-4, start=before)
    assert 12 <= small.pushed < graph.n_links / 2
    for page in range(1001, 2000):
        graph.append(page, links[page])
    large = pagerank(graph, tol=1e-12, start=before)
    assert large.pushed == 0
    assert large.converged


def test_nothing_new_costs_nothing():
    graph = LinkGraph(400)
    for page, targets in enumerate(crawl(100)):
        graph.append(page, targets)
    before = pagerank(graph, tol=1e-6)
    again = pagerank(graph, tol=1e-6, start=before)
    assert (again.iterations, again.pushed) == (0, 0)
    np.testing.assert_allclose(again.scores, before.scores, rtol=1e-12)


def test_a_page_recorded_again_is_ranked_by_its_new_links():
    graph = LinkGraph()
    graph.append(0, [1, 2])
    graph.append(1, [0])
    before = pagerank(graph, tol=1e-9)
    graph.append(0, [2])
    after = pagerank(graph, tol=1e-9, start=before)
    assert np.abs(after.scores - exact(graph)).sum() <= 1e-9


def test_the_ranking_of_another_graph_only_lends_its_scores():
    one, other = LinkGraph.from_edges([0, 1], [1, 0]), LinkGraph.from_edges([0, 1, 2], [1, 2, 0])
    start = pagerank(one, tol=1e-9)
    assert np.abs(pagerank(other, tol=1e-9, start=start).scores - 1 / 3).sum() <= 1e-9


def test_the_ranking_of_a_later_state_only_lends_its_scores():
    graph = LinkGraph()
    graph.append(0, [1, 2])
    before = graph.snapshot()
    graph.append(1, [0, 3])
    later = pagerank(graph, tol=1e-9)
    again = pagerank(before, tol=1e-9, start=later)
    assert np.abs(again.scores - pagerank(before, tol=1e-12).scores).sum() <= 1e-9


@pytest.mark.parametrize("scale", [1e-30, 1e-9, 1e9])
def test_restart_weights_may_change_their_scale(scale):
    rng = np.random.default_rng(6)
    graph = LinkGraph.from_edges([0, 1, 1, 2], [1, 2, 3, 4], n=50)
    ranking, restart = pagerank(graph, tol=1e-10), rng.random(graph.n)
    for _ in range(4):
        restart = np.where(rng.random(graph.n) < 0.5, rng.random(graph.n), restart) * scale
        ranking = pagerank(graph, restart, tol=1e-10, start=ranking)
        assert ranking.converged
        assert np.abs(ranking.scores - exact(graph, restart)).sum() <= 1e-10
        assert (ranking.scores >= 0).all()


@pytest.mark.parametrize("tol", [0.1, 1e-3])
def test_the_tolerance_is_that_of_the_scores_that_remain_when_jumps_are_withdrawn(tol):
    rng = np.random.default_rng(6)
    for _ in range(20):
        graph = LinkGraph(1000)
        for page in range(200):
            graph.append(page, rng.integers(0, 1000, 2))
        before = pagerank(graph, None, 0.3, 1e-3)
        restart = np.where(rng.random(1000) < 0.02, rng.random(1000), 0)
        after = pagerank(graph, restart, 0.3, tol, before)
        assert np.abs(after.scores - pagerank(graph, restart, 0.3, 1e-13).scores).sum() <= tol
