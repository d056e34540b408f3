from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking.centrality import harmonic, hyperball
from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from tests.ranking import reference

N = 8
EDGES = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.sampled_from([0.0, 0.5, 1.0])),
    max_size=30,
)


def graph(edges, n: int = N) -> LinkGraph:
    return LinkGraph.from_edges(
        np.array([s for s, _, _ in edges], int),
        np.array([t for _, t, _ in edges], int),
        [w for _, _, w in edges],
        n,
    )


def random_graph(n: int, links: int, seed: int) -> LinkGraph:
    rng = np.random.default_rng(seed)
    targets = (n * rng.random(links) ** 3).astype(np.int64)
    return LinkGraph.from_edges(rng.integers(0, n, links), targets, n=n)


def test_a_path_and_a_shortcut_by_hand():
    ranking = harmonic(LinkGraph.from_edges([0, 1, 2, 0], [1, 2, 3, 2], n=5))
    assert ranking.values.tolist() == [0, 1, 2, 1 + 1 / 2 + 1 / 2, 0]
    assert ranking.scores == pytest.approx([0, 1 / 5, 2 / 5, 2 / 5, 0], abs=1e-15)
    assert (ranking.iterations, ranking.residual, ranking.converged) == (2, 0, True)


def test_a_cycle_of_three():
    assert harmonic(LinkGraph.from_edges([0, 1, 2], [1, 2, 0])).values.tolist() == [1.5] * 3


@given(EDGES)
def test_values_are_those_of_the_definition(edges):
    ranking = harmonic(graph(edges))
    np.testing.assert_allclose(
        ranking.values, reference.harmonic(reference.dense(edges, N)), atol=1e-12
    )
    assert ranking.scores.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("n", [63, 64, 65, 200])
def test_any_number_of_searches_share_a_pass(n):
    links = random_graph(n, 3 * n, seed=n)
    view = links.snapshot()
    web = nx.DiGraph()
    web.add_nodes_from(range(n))
    web.add_edges_from(zip(view.pages[view.rows].tolist(), view.targets.tolist(), strict=True))
    expected = nx.harmonic_centrality(web)
    assert harmonic(links).values == pytest.approx([expected[i] for i in range(n)], abs=1e-9)


def test_it_agrees_with_networkx_on_political_blogs(shared):
    web = reference.polblogs(shared)
    expected = nx.harmonic_centrality(web)
    links = LinkGraph.from_edges(*np.array(web.edges).T[:2], n=len(web))
    exact = harmonic(links)
    assert exact.values == pytest.approx([expected[i] for i in range(len(web))], rel=1e-12)
    estimate = hyperball(links, precision=12)
    assert estimate.iterations == exact.iterations
    assert np.abs(estimate.scores - exact.scores).sum() < 1.04 / 2**6


def test_counters_err_as_documented():
    links = random_graph(3000, 12_000, seed=1)
    exact = harmonic(links).values
    reached = exact > 0
    for precision in (6, 8, 10, 12):
        estimate = hyperball(links, precision).values
        assert not estimate[~reached].any()
        error = (estimate[reached] - exact[reached]) / exact[reached]
        # Balls of neighbours share their ids, so all errors may lean to one side.
        assert np.sqrt((error**2).mean()) < 2 * 1.04 / 2 ** (precision / 2)


@given(EDGES)
def test_counters_of_few_ids_are_nearly_exact(edges):
    expected = reference.harmonic(reference.dense(edges, N))
    ranking = hyperball(graph(edges), precision=16)
    np.testing.assert_allclose(ranking.values, expected, rtol=0.01, atol=1e-9)


def test_the_same_graph_gives_the_same_bits():
    links = random_graph(500, 2000, seed=2)
    again = random_graph(500, 2000, seed=2)
    assert hyperball(links).values.tolist() == hyperball(again).values.tolist()


def test_a_chain_is_followed_to_its_end_without_passes_over_the_rest():
    n = 5000
    chain = LinkGraph.from_edges(np.arange(n - 1), np.arange(1, n))
    ranking = hyperball(chain, precision=6)
    assert ranking.converged
    # A page whose counter is full of others is not noticed any more.
    assert 100 < ranking.iterations < n
    exact = np.cumsum(1 / np.arange(1, n))
    assert np.abs(ranking.values[1:] / exact - 1).max() < 3 * 1.04 / 2**3


def test_what_is_farther_than_the_last_distance_is_reported():
    chain = LinkGraph.from_edges(np.arange(9), np.arange(1, 10))
    ranking = hyperball(chain, precision=12, max_iterations=2)
    assert (ranking.converged, ranking.iterations) == (False, 2)
    assert ranking.residual > 0
    assert ranking.values == pytest.approx([0, 1] + [1.5] * 8, rel=0.01)


@settings(max_examples=20)
@given(EDGES, st.permutations(range(N)))
def test_numbering_does_not_matter(edges, order):
    renamed = [(order[s], order[t], w) for s, t, w in edges]
    np.testing.assert_allclose(
        harmonic(graph(renamed)).values[list(order)], harmonic(graph(edges)).values, atol=1e-12
    )


@pytest.mark.parametrize("precision", [3, 17])
def test_a_precision_out_of_range_is_refused(precision):
    with pytest.raises(RankingInputError, match="precision must be from 4 to 16"):
        hyperball(LinkGraph(1), precision)
    with pytest.raises(RankingInputError, match="max_iterations must be at least 1"):
        hyperball(LinkGraph(1), max_iterations=0)
