"""Which eigenvector HITS shows where there are several: that of the strongest communities only.

Of communities that are exactly as strong, each has the part that a start from all ones gives it;
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ranking import LinkGraph, hits
from tests.ranking import reference

N = 8
EDGES = st.lists(
    st.tuples(
        st.integers(0, N - 1), st.integers(0, N - 1), st.sampled_from([0.0, 0.25, 1.0, 2.0, 3.0])
    ),
    max_size=30,
)
RELEVANCE = st.lists(st.sampled_from([0.0, 0.125, 0.5, 1.0]), min_size=N, max_size=N)


def communities(*links: tuple[list[int], list[int]], n: int) -> LinkGraph:
    """Every hub of a community links to every authority of it."""
    pairs = [(h, a) for hubs, authorities in links for h in hubs for a in authorities]
    return LinkGraph.from_edges(*np.array(pairs).T, n=n)


def test_two_equal_communities_share_alike():
    links = communities(([0, 1], [2, 3]), ([4, 5], [6, 7]), n=8)
    ranking = hits(links, tol=1e-12)
    assert ranking.scores == pytest.approx([0, 0, 0.25, 0.25, 0, 0, 0.25, 0.25], abs=1e-14)
    assert ranking.hubs == pytest.approx([0.25, 0.25, 0, 0, 0.25, 0.25, 0, 0], abs=1e-14)
    assert ranking.converged


@pytest.mark.parametrize(("strong", "weak"), [(3, 2), (10, 9), (40, 39)])
def test_of_unequal_communities_only_the_stronger_one_is_seen(strong, weak):
    first, second = list(range(strong)), list(range(strong, strong + weak))
    n = strong + weak + 2
    ranking = hits(communities((first, [n - 2]), (second, [n - 1]), n=n), tol=1e-10)
    assert ranking.scores[n - 2] == pytest.approx(1, abs=1e-9)
    assert ranking.scores[n - 1] == pytest.approx(0, abs=1e-9)
    assert ranking.hubs[second] == pytest.approx(np.zeros(weak), abs=1e-9)
    assert ranking.hub_norm * ranking.authority_norm == pytest.approx(strong)


def test_weights_and_relevance_can_make_the_smaller_community_the_stronger_one():
    links = LinkGraph.from_edges([0, 1, 2, 3, 4], [5, 5, 5, 6, 6], [1, 1, 1, 2, 2])
    # Σ w²: 3 against 8.
    assert hits(links, tol=1e-12).scores == pytest.approx([0] * 5 + [0, 1], abs=1e-12)
    relevance = [0, 0, 0, 0, 0, 1, 0.25]
    assert hits(links, relevance, tol=1e-12).scores == pytest.approx([0] * 5 + [1, 0], abs=1e-12)


@given(EDGES, RELEVANCE)
def test_weighted_topical_links_against_dense_algebra(edges, relevance):
    """h_i = Σ_j r_j w_ij a_j and a_j = Σ_i w_ij h_i, whatever the weights."""
    A = reference.dense(edges, N)
    values = np.linalg.eigvalsh(A @ np.diag(relevance) @ A.T)
    assume(values[-1] > 0)
    near = values > values[-1] * (1 - 1e-3)
    tied = values > values[-1] * (1 - 1e-10)
    assume((near == tied).all())
    sources, targets, weights = (np.array(part) for part in zip(*edges, strict=True))
    links = LinkGraph.from_edges(sources, targets, weights, N)
    ranking = hits(links, relevance, tol=1e-11)
    authorities, hubs = reference.hits(A, relevance)
    np.testing.assert_allclose(ranking.scores, authorities, atol=1e-8)
    np.testing.assert_allclose(ranking.hubs, hubs, atol=1e-8)
    again = A @ (np.array(relevance) * ranking.scores)
    np.testing.assert_allclose(again / again.sum(), ranking.hubs, atol=1e-8)
