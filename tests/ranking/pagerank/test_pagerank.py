from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.pagerank.pagerank import pagerank, trustrank
from tests.ranking import reference
from tests.ranking.test_all_rankers import graph
from tests.support.told import telling

N = 8
EDGES = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.sampled_from([0.0, 0.25, 1.0, 3.0])),
    max_size=30,
)
RESTARTS = st.lists(st.floats(0, 10), min_size=N, max_size=N).filter(lambda r: sum(r) > 1e-9)
DAMPING = st.floats(0, 0.95)


def fractions(*parts: F) -> list[float]:
    return [float(part) for part in parts]


def test_a_page_that_links_to_a_dangling_one():
    ranking = pagerank(LinkGraph.from_edges([0], [1]), tol=1e-12)
    assert ranking.scores == pytest.approx(fractions(F(20, 57), F(37, 57)), abs=1e-12)
    assert ranking.converged
    assert ranking.jump == pytest.approx(float(1 - F(85, 100) * F(20, 57)), abs=1e-12)


def test_a_triangle_without_its_last_side():
    ranking = pagerank(LinkGraph.from_edges([0, 0, 1], [1, 2, 2]), damping=0.5, tol=1e-12)
    assert ranking.scores == pytest.approx(fractions(F(8, 33), F(10, 33), F(15, 33)), abs=1e-12)


def test_links_share_by_weight_and_nofollow_carries_nothing():
    links = LinkGraph.from_edges([0, 0, 0], [1, 2, 3], [3, 1, 0])
    ranking = trustrank(links, [0, 0], damping=0.5, tol=1e-12)
    expected = fractions(F(2, 3), F(1, 4), F(1, 12), F(0))
    assert ranking.scores == pytest.approx(expected, abs=1e-12)
    assert ranking.scores[3] == 0


@given(EDGES, RESTARTS, DAMPING)
def test_scores_are_those_of_the_definition(edges, restart, damping):
    ranking = pagerank(graph(edges), restart, damping, tol=1e-9)
    expected = reference.pagerank(reference.dense(edges, N), restart, damping)
    assert np.abs(ranking.scores - expected).sum() <= 1e-9 + 1e-13
    assert ranking.converged
    assert ranking.scores.dtype == np.float64
    assert ranking.scores.min() >= 0
    assert ranking.scores.sum() == pytest.approx(1, abs=1e-12)


@given(EDGES, RESTARTS, st.integers(1, 4))
def test_the_residual_is_the_change_of_one_more_step(edges, restart, sweeps):
    ranking = pagerank(graph(edges), restart, tol=1e-15, max_iterations=sweeps)
    r = np.array(restart) / np.sum(restart)
    P = reference.transition(reference.dense(edges, N), r)
    step = 0.85 * P.T @ ranking.scores + 0.15 * r
    assert ranking.residual == pytest.approx(np.abs(step - ranking.scores).sum(), abs=1e-14)
    assert ranking.iterations <= sweeps
    assert ranking.scores.sum() == pytest.approx(1, abs=1e-12)


@given(EDGES, st.integers(0, N - 1))
def test_what_the_restart_cannot_reach_scores_exactly_zero(edges, seed):
    reachable, wave = {seed}, [seed]
    while wave:
        page = wave.pop()
        new = {t for s, t, w in edges if s == page and w > 0} - reachable
        reachable |= new
        wave += new
    scores = trustrank(graph(edges), [seed]).scores
    assert set(np.flatnonzero(scores).tolist()) == reachable


def test_a_long_chain_needs_few_sweeps_with_extrapolation_and_stays_exact():
    n = 400
    ring = LinkGraph.from_edges(np.arange(n), np.roll(np.arange(n), -1))
    ranking = trustrank(ring, [0], damping=0.95, tol=1e-9)
    decay = 0.95 ** np.arange(n)
    assert np.abs(ranking.scores - decay / decay.sum()).sum() <= 1e-9
    assert ranking.converged


@pytest.mark.parametrize("damping", [1.0, -0.1, np.nan])
def test_a_bad_damping_is_refused(damping):
    with pytest.raises(RankingInputError, match=telling("damping", "[0, 1)", damping)):
        pagerank(LinkGraph.from_edges([0, 1], [1, 2]), damping=damping)


def test_bad_seeds_are_refused():
    links = LinkGraph.from_edges([0], [1])
    with pytest.raises(RankingInputError, match=telling("one", "seed")):
        trustrank(links, [])
    with pytest.raises(RankingInputError, match=telling("n=2", 2)):
        trustrank(links, [2])
    with pytest.raises(RankingInputError, match=telling("seeds", "integer")):
        trustrank(links, [0.5])
