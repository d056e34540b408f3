from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.hits.hits import hits
from ranking.hits.salsa import salsa
from ranking.hits.stable_hits import randomized_hits
from tests.ranking import reference

N = 8
EDGES = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    max_size=24,
)
RELEVANCE = st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=N, max_size=N)
TELEPORT = st.sampled_from([0.01, 0.15, 0.5, 1.0])


def graph(edges, n: int = N) -> LinkGraph:
    return LinkGraph.from_edges(
        np.array([s for s, _, _ in edges], int),
        np.array([t for _, t, _ in edges], int),
        [w for _, _, w in edges],
        n,
    )


@given(EDGES, RELEVANCE, TELEPORT)
def test_scores_are_those_of_the_definition(edges, relevance, teleport):
    A = reference.dense(edges, N)
    ranking = randomized_hits(graph(edges), relevance, teleport, tol=1e-9)
    authorities, hubs = reference.randomized_hits(A, np.array(relevance), teleport)
    assert ranking.converged
    for found, exact in ((ranking.scores, authorities), (ranking.hubs, hubs)):
        assert np.abs(found - exact).sum() <= 1e-9 + 1e-12
        assert found.min() > 0
        assert found.sum() == pytest.approx(1, abs=1e-12)


def test_one_link_by_hand():
    # ε = 1/2, 0 -> 1: h₀ = 1/4 + a₁/2 + a₀/4, where a₀ jumps, and a₁ = 1/4 + h₀/2 + h₁/4.
    # With a₀ = 1 − a₁ and h₁ = 1 − h₀: h₀ = 1/2 + a₁/4 and a₁ = 1/2 + h₀/4.
    ranking = randomized_hits(LinkGraph.from_edges([0], [1]), teleport=0.5, tol=1e-12)
    assert ranking.scores == pytest.approx([1 / 3, 2 / 3], abs=1e-12)
    assert ranking.hubs == pytest.approx([2 / 3, 1 / 3], abs=1e-12)


@given(EDGES, st.integers(1, 4))
def test_the_residual_is_the_change_of_one_more_iteration(edges, sweeps):
    ranking = randomized_hits(graph(edges), tol=1e-15, max_iterations=sweeps)
    A = reference.dense(edges, N)
    forward, back = (reference.transition(M, np.full(N, 1 / N)) for M in (A, A.T))
    hubs = 0.15 / N + 0.85 * ranking.scores @ back
    following = 0.15 / N + 0.85 * hubs @ forward
    change = np.abs(following - ranking.scores).sum()
    assert ranking.residual == pytest.approx(change, abs=1e-14)
    np.testing.assert_allclose(ranking.hubs, hubs, atol=1e-14)
    assert ranking.iterations <= sweeps


@given(EDGES, st.lists(st.floats(0, 1e300), min_size=N, max_size=N))
def test_any_start_leads_to_the_same_scores(edges, start):
    cold = randomized_hits(graph(edges), tol=1e-8)
    for begin in (start, cold.scores):
        warm = randomized_hits(graph(edges), tol=1e-8, start=begin)
        assert np.abs(warm.scores - cold.scores).sum() <= 2e-8
    assert warm.iterations == 1


@given(EDGES)
def test_without_teleport_it_becomes_salsa_where_every_walk_goes_on(edges):
    # A ring added forward and back: every id has links to and from it, in one component.
    ring = [(i, (i + 1) % N, 1.0) for i in range(N)] + [(i, (i + 2) % N, 1.0) for i in range(N)]
    connected = graph(edges + ring)
    stable = randomized_hits(connected, teleport=1e-6, tol=1e-7, max_iterations=10**5)
    np.testing.assert_allclose(stable.scores, salsa(connected).scores, atol=1e-4)


def test_both_communities_are_seen_where_hits_sees_the_stronger_one():
    # Six hubs name authority 10, five name authority 11.
    links = LinkGraph.from_edges(list(range(6)) + list(range(20, 25)), [10] * 6 + [11] * 5, n=25)
    assert hits(links).scores[11] == pytest.approx(0, abs=1e-6)
    stable = randomized_hits(links).scores
    assert stable[10] > stable[11] > 0.3


def test_a_hub_more_moves_little_where_hits_turns_over():
    five_each = list(range(5)) + list(range(20, 25)), [10] * 5 + [11] * 5
    moved = {}
    for method in (hits, randomized_hits):
        before = method(LinkGraph.from_edges(*five_each, n=26)).scores
        after = method(LinkGraph.from_edges([*five_each[0], 25], [*five_each[1], 11], n=26)).scores
        moved[method.__name__] = np.abs(after - before).sum()
    assert moved["hits"] > 0.99
    assert moved["randomized_hits"] < 0.1


def test_political_blogs_within_the_tolerance(shared):
    web = reference.polblogs(shared)
    n = len(web)
    A = reference.dense([(s, t, 1.0) for s, t, *_ in web.edges], n)
    forward, back = (reference.transition(M, np.full(n, 1 / n)) for M in (A, A.T))
    exact = np.full(n, 1 / n)
    for _ in range(120):
        hubs = 0.15 / n + 0.85 * exact @ back
        exact = 0.15 / n + 0.85 * hubs @ forward
    links = LinkGraph.from_edges(*np.nonzero(A), n=n)
    for tol in (1e-2, 1e-5, 1e-8):
        ranking = randomized_hits(links, tol=tol)
        assert np.abs(ranking.scores - exact).sum() <= tol
        assert np.abs(ranking.hubs - hubs).sum() <= tol


def test_no_convergence_is_reported():
    links = LinkGraph.from_edges([0, 1, 1, 2], [1, 2, 3, 0])
    ranking = randomized_hits(links, teleport=0.01, tol=1e-12, max_iterations=3)
    assert (ranking.converged, ranking.iterations) == (False, 3)
    assert ranking.residual > 1e-12
    assert ranking.scores.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"relevance": [1, 2]}, r"relevance must have shape \(3,\)"),
        ({"start": [1, 2, np.nan]}, "start must be finite"),
        ({"teleport": 0}, r"teleport must lie in \(0, 1\], got 0"),
        ({"teleport": np.nan}, "teleport must lie"),
        ({"teleport": 1.5}, "teleport must lie"),
        ({"tol": 0}, "tol must be a positive number"),
        ({"max_iterations": 0}, "max_iterations must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(RankingInputError, match=message):
        randomized_hits(LinkGraph.from_edges([0, 1], [1, 2]), **arguments)
