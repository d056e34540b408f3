from __future__ import annotations

from fractions import Fraction as F

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.graph.link_graph import LinkGraph
from ranking.hits.salsa import salsa
from tests.ranking import reference

N = 8
EDGES = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    max_size=24,
)
RELEVANCE = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=N, max_size=N)


def graph(edges, n: int = N) -> LinkGraph:
    return LinkGraph.from_edges(
        np.array([s for s, _, _ in edges], int),
        np.array([t for _, t, _ in edges], int),
        [w for _, _, w in edges],
        n,
    )


def test_in_one_component_authority_is_the_in_degree():
    ranking = salsa(LinkGraph.from_edges([0, 0, 1, 1, 2], [3, 4, 4, 5, 4]))
    assert ranking.scores.tolist() == [0, 0, 0, 1 / 5, 3 / 5, 1 / 5]
    assert ranking.hubs.tolist() == [2 / 5, 2 / 5, 1 / 5, 0, 0, 0]
    assert ranking.authorities is ranking.scores
    assert (ranking.converged, ranking.residual) == (True, 0)


def test_a_component_gets_its_share_of_the_authorities_not_of_the_links():
    # Three authorities and two, with links 0 -> 2 3 4, 1 -> 3 and 5, 6 -> 7; 5 -> 8.
    ranking = salsa(LinkGraph.from_edges([0, 0, 0, 1, 5, 6, 5], [2, 3, 4, 3, 7, 7, 8]))
    expected = [0, 0, F(3, 20), F(6, 20), F(3, 20), 0, 0, F(2, 5) * F(2, 3), F(2, 5) * F(1, 3)]
    assert ranking.scores == pytest.approx([float(part) for part in expected], abs=1e-15)
    hubs = [F(3, 8), F(1, 8), 0, 0, 0, F(1, 3), F(1, 6), 0, 0]
    assert ranking.hubs == pytest.approx([float(part) for part in hubs], abs=1e-15)


def test_weights_and_relevance_count_as_wider_links():
    links = LinkGraph.from_edges([0, 0, 1], [2, 3, 3], [3, 1, 1])
    assert salsa(links).scores.tolist() == [0, 0, 3 / 5, 2 / 5]
    assert salsa(links, [0, 0, 1, 3]).scores == pytest.approx([0, 0, 1 / 3, 2 / 3], abs=1e-15)
    # Without relevance the only link that joins both hubs does not count.
    assert salsa(links, [0, 0, 1, 0]).scores.tolist() == [0, 0, 1, 0]
    assert salsa(links, [0, 0, 1, 0]).hubs.tolist() == [1, 0, 0, 0]


def test_a_page_can_be_hub_and_authority_of_different_components():
    ranking = salsa(LinkGraph.from_edges([0, 1], [1, 2]))
    assert ranking.scores.tolist() == [0, 0.5, 0.5]
    assert ranking.hubs.tolist() == [0.5, 0.5, 0]


def test_nofollow_links_do_not_join_components():
    ranking = salsa(LinkGraph.from_edges([0, 0, 1], [2, 3, 3], [1, 0, 1]))
    assert ranking.scores.tolist() == [0, 0, 0.5, 0.5]


@given(EDGES)
def test_scores_are_where_both_walks_end(edges):
    ranking = salsa(graph(edges))
    authorities, hubs = reference.salsa(reference.dense(edges, N))
    np.testing.assert_allclose(ranking.scores, authorities, atol=1e-9)
    np.testing.assert_allclose(ranking.hubs, hubs, atol=1e-9)


@given(EDGES, RELEVANCE)
def test_topical_scores_are_where_both_walks_end(edges, relevance):
    ranking = salsa(graph(edges), relevance)
    authorities, hubs = reference.salsa(reference.dense(edges, N), np.array(relevance))
    np.testing.assert_allclose(ranking.scores, authorities, atol=1e-9)
    np.testing.assert_allclose(ranking.hubs, hubs, atol=1e-9)


@given(EDGES, st.sampled_from([1e-300, 1e-9, 1e300]))
def test_the_scale_of_relevance_does_not_matter(edges, scale):
    scaled = salsa(graph(edges), np.full(N, scale))
    np.testing.assert_allclose(scaled.scores, salsa(graph(edges)).scores, atol=1e-15)


def test_a_long_ring_is_one_component():
    # Hub i names authorities i and i + 1: unions of neighbours only, of 20,000 in a row.
    n = 20_000
    ids = np.arange(n)
    named = np.concatenate([ids, ids + 1]) % n + n
    scores = salsa(LinkGraph.from_edges(np.concatenate([ids, ids]), named)).scores
    assert scores[n:] == pytest.approx(np.full(n, 1 / n), abs=1e-15)


def test_political_blogs_have_the_shares_of_their_components(shared):
    """Components by networkx, shares by counting: no code in common with the kernel."""
    web = reference.polblogs(shared)
    n, pairs = len(web), {(s, t) for s, t, *_ in web.edges if s != t}
    bipartite = nx.Graph([(("hub", s), ("authority", t)) for s, t in pairs])
    authorities, hubs = np.zeros(n), np.zeros(n)
    for side, scores in (("authority", authorities), ("hub", hubs)):
        members = [node for node in bipartite if node[0] == side]
        for component in nx.connected_components(bipartite):
            own = [node for node in members if node in component]
            links = sum(bipartite.degree(node) for node in own)
            for node in own:
                scores[node[1]] = len(own) / len(members) * bipartite.degree(node) / links
    ranking = salsa(LinkGraph.from_edges(*np.array(sorted(pairs)).T, n=n))
    np.testing.assert_allclose(ranking.scores, authorities, atol=1e-14)
    np.testing.assert_allclose(ranking.hubs, hubs, atol=1e-14)
