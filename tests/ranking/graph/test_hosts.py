from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.graph.hosts import (
    discount_internal,
    fold,
    fold_links,
    fold_pages,
    fold_weights,
    spread_back,
)
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
VALUES = st.lists(st.sampled_from([0.0, 0.25, 1.0, 4.0]), min_size=N, max_size=N)


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
    folded = fold_links(PAGES, OF_PAGE)
    assert folded.n == 4
    assert folded.pages.tolist() == [0, 1]
    assert as_dict(folded) == {(0, 1): 3, (0, 2): 1, (1, 0): 1, (1, 3): 0}
    assert as_dict(fold(PAGES, OF_PAGE)) == as_dict(folded)


def test_weights_are_summed():
    expected = {(0, 1): 7, (0, 2): 1, (1, 0): 1, (1, 3): 0}
    assert as_dict(fold_weights(PAGES, OF_PAGE)) == expected


def test_a_page_counts_once_for_a_host():
    expected = {(0, 1): 2, (0, 2): 1, (1, 0): 1, (1, 3): 0}
    assert as_dict(fold_pages(PAGES, OF_PAGE)) == expected


@given(EDGES, HOSTS)
def test_folding_is_that_of_the_matrix(edges, hosts):
    A, pages = reference.dense(edges, N), graph(edges)
    known = {(hosts[s], hosts[t]) for s, t, _ in edges} - {(h, h) for h in range(H)}
    for folding, worth in ((fold_links, lambda _: 1), (fold_weights, lambda weight: weight)):
        folded = as_dict(folding(pages, hosts))
        assert {pair: weight for pair, weight in folded.items() if weight} == (
            reference.fold(A, hosts, worth)
        )
        assert set(folded) == known
    linking = {(s, hosts[t]) for s, t in np.argwhere(A > 0).tolist() if hosts[s] != hosts[t]}
    by_pages = as_dict(fold_pages(pages, hosts))
    for source, target in known:
        count = sum(hosts[page] == source and other == target for page, other in linking)
        assert by_pages[source, target] == count


@given(EDGES, HOSTS)
def test_hosts_are_ranked_like_pages(edges, hosts):
    folded = fold_links(graph(edges), hosts)
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


@given(EDGES)
def test_where_every_page_is_a_host_nothing_changes(edges):
    pages = graph(edges).snapshot()
    folded = fold_weights(pages, np.arange(N))
    assert as_dict(folded) == as_dict(pages)


def test_one_host_and_no_host_fold_to_nothing():
    folded = fold_links(PAGES, [0] * 7)
    assert (folded.n, folded.n_links) == (1, 0)
    assert fold_links(LinkGraph(), []).n == 0


@given(EDGES, HOSTS, st.sampled_from([0.0, 0.25, 1.0]))
def test_links_within_a_host_count_for_less(edges, hosts, factor):
    pages = graph(edges).snapshot()
    expected = {
        (s, t): w * (factor if hosts[s] == hosts[t] else 1) for (s, t), w in as_dict(pages).items()
    }
    assert as_dict(discount_internal(pages, hosts, factor)) == expected


def test_a_discount_leaves_the_graph_alone_and_moves_score_to_other_hosts():
    before = PAGES.snapshot().weights.copy()
    plain, moved = pagerank(PAGES).scores, pagerank(discount_internal(PAGES, OF_PAGE, 0)).scores
    np.testing.assert_array_equal(PAGES.snapshot().weights, before)
    # Page 1 has one in-link, from its own host.
    assert moved[1] < plain[1]


def test_host_scores_go_back_to_pages_alike_or_by_page_scores():
    hosts = [0, 0, 1, 2, 2]
    assert spread_back([0.5, 0.25, 0.25], hosts).tolist() == [0.25, 0.25, 0.25, 0.125, 0.125]
    within = [3, 1, 7, 0, 0]
    shared = spread_back([0.5, 0.25, 0.25], hosts, within)
    assert shared.tolist() == [0.375, 0.125, 0.25, 0.125, 0.125]


@given(HOSTS, VALUES, st.lists(st.floats(0, 1), min_size=H, max_size=H))
def test_every_host_with_a_page_keeps_its_score(hosts, within, scores):
    for shared in (spread_back(scores, hosts), spread_back(scores, hosts, within)):
        assert shared.min() >= 0
        kept = np.bincount(hosts, shared, H)
        present = np.bincount(hosts, minlength=H) > 0
        np.testing.assert_allclose(kept, np.where(present, scores, 0), atol=1e-12)


@pytest.mark.parametrize(
    ("hosts", "facts"),
    [
        ([0, 0], ("hosts", "(7,)", 2)),
        ([-1] * 7, ("hosts", -1)),
        ([0.5] * 7, ("hosts", "integer")),
    ],
)
def test_bad_hosts_are_refused(hosts, facts):
    for use in (fold_links, fold_weights, fold_pages, lambda *a: discount_internal(*a, 0.5)):
        with pytest.raises(RankingInputError, match=telling(*facts)):
            use(PAGES, hosts)


def test_other_bad_input_is_refused():
    for factor in (-0.1, 1.5, np.nan):
        with pytest.raises(RankingInputError, match=telling("factor", factor)):
            discount_internal(PAGES, OF_PAGE, factor)
    with pytest.raises(RankingInputError, match=telling("hosts", 2, "host_scores")):
        spread_back([0.5, 0.5], [0, 2])
    with pytest.raises(RankingInputError, match=telling("within", "shape")):
        spread_back([0.5, 0.5], [0, 1], [1])
    with pytest.raises(RankingInputError, match=telling("host_scores", "finite")):
        spread_back([np.nan, 0.5], [0, 1])
