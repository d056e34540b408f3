from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.graph.link_graph import LinkGraph
from ranking.hits import hits
from tests.ranking import reference

N = 8
LINKS = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=30)
RELEVANCE = st.lists(st.floats(0, 1), min_size=N, max_size=N)


def graph(links, n: int = N) -> LinkGraph:
    return LinkGraph.from_edges(
        np.array([s for s, _ in links], int), np.array([t for _, t in links], int), n=n
    )


def step(links, relevance, authorities):
    A = reference.dense([(s, t, 1.0) for s, t in links], N)
    hubs = A @ (np.asarray(relevance) * authorities)
    return A.T @ hubs


def test_two_hubs_and_three_authorities_by_hand():
    ranking = hits(LinkGraph.from_edges([0, 0, 1, 1], [2, 3, 3, 4]), tol=1e-12)
    assert ranking.scores == pytest.approx([0, 0, 1 / 4, 1 / 2, 1 / 4], abs=1e-12)
    assert ranking.hubs == pytest.approx([1 / 2, 1 / 2, 0, 0, 0], abs=1e-12)
    assert ranking.authorities is ranking.scores
    # A aᵀ: each hub names 3/4 of the authority; each page-link carries half a hub.
    assert ranking.hub_norm == pytest.approx(3 / 2)
    assert ranking.authority_norm == pytest.approx(2)


def test_relevance_moves_authority_to_what_relevant_pages_share():
    links = LinkGraph.from_edges([0, 0, 1, 1], [2, 3, 3, 4])
    # h = A diag(r) a with r = (·, ·, 1, 1, 0): h0 = a2 + a3, h1 = a3; λ = (3 + √5) / 2.
    golden = (1 + 5**0.5) / 2
    ranking = hits(links, [0, 0, 1, 1, 0], tol=1e-12)
    total = golden + (golden + 1) + 1
    expected = [0, 0, golden / total, (golden + 1) / total, 1 / total]
    assert ranking.scores == pytest.approx(expected, abs=1e-12)


def test_without_relevance_where_links_point_every_id_is_equal():
    assert hits(graph([(0, 1)], 2), [1, 0]).scores.tolist() == [0.5, 0.5]


def test_nofollow_links_do_not_count():
    links = LinkGraph.from_edges([0, 0], [1, 2], [1, 0])
    assert hits(links).scores == pytest.approx([0, 1, 0])


@given(LINKS)
def test_plain_scores_are_those_of_the_definition(links):
    ranking = hits(graph(links), tol=1e-9)
    A = reference.dense([(s, t, 1.0) for s, t in links], N)
    if A.any():
        authorities, hubs = reference.hits(A)
        np.testing.assert_allclose(ranking.scores, authorities, atol=1e-6)
        np.testing.assert_allclose(ranking.hubs, hubs, atol=1e-6)


@given(LINKS, RELEVANCE)
def test_scores_are_a_fixed_point_with_mass_one(links, relevance):
    ranking = hits(graph(links), relevance, tol=1e-9)
    for array in (ranking.scores, ranking.hubs):
        assert array.shape == (N,)
        assert array.min() >= 0
        assert array.sum() == pytest.approx(1, abs=1e-12)
    if ranking.hub_norm > 1e-100:
        following = step(links, relevance, ranking.scores)
        change = np.abs(following / following.sum() - ranking.scores).sum()
        assert change <= 1e-8
        eigenvalue = ranking.hub_norm * ranking.authority_norm
        assert following.sum() == pytest.approx(eigenvalue, rel=1e-9)


@given(LINKS, st.floats(1e-200, 1e200))
def test_the_scale_of_relevance_does_not_matter(links, scale):
    plain = hits(graph(links), tol=1e-9)
    scaled = hits(graph(links), np.full(N, scale), tol=1e-9)
    np.testing.assert_allclose(scaled.scores, plain.scores, atol=1e-12)
    assert scaled.hub_norm == pytest.approx(plain.hub_norm * scale, rel=1e-9)


@given(LINKS, RELEVANCE, RELEVANCE)
def test_shares_count_as_if_the_links_of_each_page_weighed_so_much(links, relevance, shares):
    sources, targets = (np.array([ends[k] for ends in links], int) for k in (0, 1))
    plain = LinkGraph.from_edges(sources, targets, n=N)
    weights = np.maximum(shares, 1e-3)
    heavy = LinkGraph.from_edges(sources, targets, weights[sources], n=N)
    # The weights of links are float32.
    shares = weights.astype(np.float32).astype(float)
    found, expected = hits(plain, relevance, shares=shares), hits(heavy, relevance)
    assert found.scores == pytest.approx(expected.scores, abs=1e-5)
    assert found.hubs == pytest.approx(expected.hubs, abs=1e-5)
    assert found.authority_norm == pytest.approx(expected.authority_norm)
    assert found.converged == expected.converged
