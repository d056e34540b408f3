from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.graph.hosts import fold
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.hits.hits import hits
from ranking.pagerank.pagerank import pagerank
from tests.ranking import reference
from tests.support.told import telling

N, H = 10, 4
EDGES = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    max_size=40,
)
HOSTS = st.lists(st.integers(0, H - 1), min_size=N, max_size=N)


def graph(edges, n: int = N) -> LinkGraph:
    return LinkGraph.from_edges(
        np.array([s for s, _, _ in edges], int),
        np.array([t for _, t, _ in edges], int),
        [w for _, _, w in edges],
        n,
    )


def as_dict(view: GraphView) -> dict[tuple[int, int], float]:
    weights = np.ones(view.n_links) if view.weights is None else view.weights
    links = zip(view.pages[view.rows], view.targets, weights, strict=True)
    return {(int(s), int(t)): float(w) for s, t, w in links}


#   host 0: pages 0, 1, 2    host 1: pages 3, 4    host 2: page 5    host 3: none fetched
PAGES = LinkGraph.from_edges(
    [0, 0, 0, 1, 1, 2, 3, 4, 4],
    [1, 3, 4, 3, 5, 3, 4, 0, 6],
    [1, 1, 2, 4, 1, 0, 1, 1, 0],
)
OF_PAGE = [0, 0, 0, 1, 1, 2, 3]


def test_pairs_of_linking_pages_are_counted():
    folded = fold(PAGES, OF_PAGE)
    assert folded.n == 4
    assert folded.pages.tolist() == [0, 1]
    assert as_dict(folded) == {(0, 1): 3, (0, 2): 1, (1, 0): 1, (1, 3): 0}


@given(EDGES, HOSTS)
def test_folding_is_that_of_the_matrix(edges, hosts):
    folded = as_dict(fold(graph(edges), hosts))
    counted = reference.fold(reference.dense(edges, N), hosts, lambda _: 1)
    assert {pair: weight for pair, weight in folded.items() if weight} == counted
    known = {(hosts[s], hosts[t]) for s, t, _ in edges} - {(h, h) for h in range(H)}
    assert set(folded) == known


@given(EDGES, HOSTS)
def test_hosts_are_ranked_like_pages(edges, hosts):
    folded = fold(graph(edges), hosts)
    n = max(hosts) + 1
    A = np.zeros((n, n))
    for pair, count in reference.fold(reference.dense(edges, N), hosts, lambda _: 1).items():
        A[pair] = count
    np.testing.assert_allclose(pagerank(folded, tol=1e-10).scores, reference.pagerank(A), atol=1e-9)
    if A.any():
        authorities, hubs = reference.hits(A)
        ranking = hits(folded, tol=1e-10)
        np.testing.assert_allclose(ranking.scores, authorities, atol=1e-6)
        np.testing.assert_allclose(ranking.hubs, hubs, atol=1e-6)


def test_one_host_and_no_host_fold_to_nothing():
    folded = fold(PAGES, [0] * 7)
    assert (folded.n, folded.n_links) == (1, 0)
    assert fold(LinkGraph(), []).n == 0


@pytest.mark.parametrize(
    ("hosts", "facts"),
    [
        ([0, 0], ("hosts", "(7,)", 2)),
        ([-1] * 7, ("hosts", -1)),
        ([0.5] * 7, ("hosts", "integer")),
    ],
)
def test_bad_hosts_are_refused(hosts, facts):
    with pytest.raises(RankingInputError, match=telling(*facts)):
        fold(PAGES, hosts)
