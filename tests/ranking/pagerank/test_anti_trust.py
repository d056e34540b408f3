from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.pagerank.distrust import distrust
from tests.ranking import reference

N = 8
EDGES = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.sampled_from([0.0, 0.25, 1.0, 3.0])),
    max_size=30,
)
BAD = st.lists(st.integers(0, N - 1), min_size=1, max_size=4)


def graph(edges, n: int = N) -> LinkGraph:
    return LinkGraph.from_edges(
        np.array([s for s, _, _ in edges], int),
        np.array([t for _, t, _ in edges], int),
        [w for _, _, w in edges],
        n,
    )


def test_distrust_flows_back_over_links():
    # 0 -> 1 -> 2 bad, and 3 is innocent: 2 : 1 : 0 as 1 : 1/2 : 1/4.
    ranking = distrust(LinkGraph.from_edges([0, 1, 2], [1, 2, 3]), [2], damping=0.5, tol=1e-12)
    assert ranking.scores == pytest.approx([1 / 7, 2 / 7, 4 / 7, 0], abs=1e-12)
    assert ranking.scores[3] == 0


def test_who_says_nofollow_is_not_suspected():
    links = LinkGraph.from_edges([0, 1, 3], [2, 2, 2], [1, 0, 3])
    ranking = distrust(links, [2, 2], damping=0.5, tol=1e-12)
    assert ranking.scores == pytest.approx([1 / 12, 0, 2 / 3, 1 / 4], abs=1e-12)


@given(EDGES, BAD, st.floats(0, 0.95))
def test_it_is_trustrank_of_the_transposed_matrix(edges, bad, damping):
    restart = np.zeros(N)
    restart[bad] = 1
    ranking = distrust(graph(edges), bad, damping, tol=1e-9)
    expected = reference.pagerank(reference.dense(edges, N).T, restart, damping)
    assert np.abs(ranking.scores - expected).sum() <= 1e-9 + 1e-13
    assert ranking.converged


@given(EDGES, BAD)
def test_who_cannot_lead_to_a_bad_page_has_exactly_none(edges, bad):
    leads = np.isfinite(reference.distances(reference.dense(edges, N))[:, bad]).any(1)
    assert (distrust(graph(edges), bad).scores > 0).tolist() == leads.tolist()


def test_no_convergence_is_reported():
    links = LinkGraph.from_edges([0, 1, 1, 2, 0], [1, 2, 0, 0, 2])
    assert not distrust(links, [0], 0.99, tol=1e-14, max_iterations=1).converged


def test_bad_input_is_refused():
    links = LinkGraph.from_edges([0], [1])
    with pytest.raises(RankingInputError, match="at least one bad page"):
        distrust(links, [])
    with pytest.raises(RankingInputError, match="bad must be ids below n=2, got 2"):
        distrust(links, [2])
    with pytest.raises(RankingInputError, match="bad must be integer ids"):
        distrust(links, [0.5])
    with pytest.raises(RankingInputError, match="damping"):
        distrust(links, [0], damping=1)
