"""What every ranking does alike: shape, sign, mass, determinism, what counts as a link."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from tests.ranking.rankers import RANKERS, WALKS, rank

N = 8
EDGES = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    max_size=24,
)
VALUES = st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=N, max_size=N).map(np.array)
EVERY = pytest.mark.parametrize("name", RANKERS)


def graph(edges, n: int = N) -> LinkGraph:
    return LinkGraph.from_edges(
        np.array([s for s, _, _ in edges], int),
        np.array([t for _, t, _ in edges], int),
        [w for _, _, w in edges],
        n,
    )


def web(n: int = 400, seed: int = 3) -> LinkGraph:
    """A crawl: the first tenth is fetched, and a few ids get most links."""
    rng = np.random.default_rng(seed)
    sources = rng.integers(0, n // 10, 6 * n // 10)
    targets = (n * rng.random(len(sources)) ** 2).astype(int)
    return LinkGraph.from_edges(sources, targets, rng.choice([0, 1, 1, 2], len(sources)), n)


def distance(one, other) -> float:
    return float(np.abs(one.scores - other.scores).sum())


@given(EDGES, VALUES)
def test_scores_are_one_positive_number_an_id_and_sum_to_one(edges, values):
    # To draw a graph costs more than to rank it.
    for name in RANKERS:
        ranking = rank(name, graph(edges), values)
        for array in (ranking.scores, *([ranking.hubs] if hasattr(ranking, "hubs") else [])):
            assert array.shape == (N,), name
            assert array.dtype == np.float64, name
            assert array.min() >= 0, name
            assert array.sum() == pytest.approx(1, abs=1e-12), name
        assert ranking.converged is True, name
        assert isinstance(ranking.iterations, int), name
        assert isinstance(ranking.residual, float), name
        assert 0 <= ranking.residual <= 1e-9, name


@EVERY
def test_the_same_input_gives_the_same_bits(name):
    values = np.random.default_rng(1).random(400)
    first, again = rank(name, web(), values), rank(name, web(), values)
    assert first.scores.tolist() == again.scores.tolist()
    assert (first.iterations, first.residual) == (again.iterations, again.residual)


@EVERY
def test_graph_and_arguments_are_left_alone(name):
    links, values = web(), np.random.default_rng(1).random(400)
    view, before = links.snapshot(), values.copy()
    arrays = [array.copy() for array in (view.pages, view.indptr, view.targets, view.weights)]
    from_view, from_graph = rank(name, view, values), rank(name, links, values)
    assert from_view.scores.tolist() == from_graph.scores.tolist()
    np.testing.assert_array_equal(values, before)
    for array, now in zip(
        arrays, (view.pages, view.indptr, view.targets, view.weights), strict=True
    ):
        np.testing.assert_array_equal(array, now)


@given(EDGES, VALUES, st.permutations(range(N)))
def test_numbering_does_not_matter(edges, values, order):
    renamed = [(order[s], order[t], w) for s, t, w in edges]
    moved = np.empty(N)
    moved[list(order)] = values
    for name, ranker in RANKERS.items():
        before, after = rank(name, graph(edges), values), rank(name, graph(renamed), moved)
        np.testing.assert_allclose(
            after.scores[list(order)], before.scores, atol=2 * ranker.loose, err_msg=name
        )


def assert_ranked_alike(one: LinkGraph, other: LinkGraph, values, names=RANKERS):
    for name in names:
        apart = distance(rank(name, one, values), rank(name, other, values))
        assert apart <= 2 * RANKERS[name].loose, name


@given(EDGES, VALUES)
def test_the_order_of_the_edge_list_does_not_matter(edges, values):
    assert_ranked_alike(graph(edges), graph(edges[::-1]), values)


@given(EDGES, VALUES)
def test_links_of_weight_zero_carry_nothing(edges, values):
    followed = [edge for edge in edges if edge[2] > 0]
    assert_ranked_alike(graph(edges), graph(followed), values)


@given(EDGES, VALUES)
def test_self_loops_do_not_matter(edges, values):
    links = graph(edges)
    for page in range(N):
        targets, weights = links.links(page)
        links.append(page, [*targets, page], None if weights is None else [*weights, 1])
    fetched = graph(edges)
    for page in set(range(N)) - {s for s, _, _ in edges}:
        fetched.append(page, [])
    assert_ranked_alike(links, fetched, values)


@given(EDGES, VALUES)
def test_repeated_links_count_once(edges, values):
    assert_ranked_alike(graph(edges), graph(edges * 3), values)


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("tol", [1e-4, 1e-8])
def test_a_warm_start_ends_where_a_cold_one_does(name, tol):
    values, links = np.random.default_rng(1).random(420), web(420)
    before = rank(name, links, values, tol).scores
    for page in range(60, 80):
        links.append(page, [page + 1, 2 * page, 419 - page])
    cold = rank(name, links, values, tol)
    warm = rank(name, links, values, tol, start=before)
    assert cold.converged
    assert warm.converged
    assert distance(warm, cold) <= 2 * tol + 1e-12


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
def test_the_l1_error_is_within_the_tolerance(name, tol):
    values, links = np.random.default_rng(1).random(400), web()
    assert distance(rank(name, links, values, tol), rank(name, links, values, 1e-12)) <= tol


@pytest.mark.parametrize("name", RANKERS)
def test_what_stops_too_early_says_so(name):
    rng = np.random.default_rng(1)
    links = LinkGraph.from_edges(rng.integers(0, 300, 900), rng.integers(0, 300, 900), n=300)
    ranking = rank(name, links, rng.random(300), 1e-14, max_iterations=1)
    assert ranking.converged is False
    assert ranking.residual > 1e-14
    assert ranking.scores.sum() == pytest.approx(1)
    assert ranking.scores.min() >= 0


def by_hand(**changed) -> GraphView:
    ids = np.array([1, 2, 0], np.int32)
    arrays = {"n": 4, "pages": ids[:2], "indptr": np.array([0, 2, 3]), "targets": ids}
    return GraphView(**{**arrays, **changed})


@EVERY
@pytest.mark.parametrize(
    "changed",
    [
        {"targets": np.array([1, 2, 2_000_000_000], np.int32)},
        {"targets": np.array([1, 2, -2_000_000_000], np.int32)},
        {"pages": np.array([0, 2_000_000_000], np.int32)},
        {"indptr": np.array([0, 2, 10**9])},
        {"indptr": np.array([0, 10**9, 3])},
        {"indptr": np.array([0, 3])},
        {"weights": np.ones(1, np.float32)},
        {"weights": np.full(3, np.nan, np.float32)},
        {"n": 2},
    ],
)
def test_views_built_by_hand_are_checked_before_a_kernel_trusts_them(name, changed):
    view = by_hand(**changed)
    with pytest.raises(RankingInputError):
        rank(name, view, np.ones(view.n))


@EVERY
def test_views_built_by_hand_are_cleaned(name):
    """Page 1 was read twice; page 0 links to itself, and to 2 twice."""
    view = by_hand(
        pages=[1, 0, 1], indptr=[0, 1, 4, 5], targets=[3, 0, 2, 2, 0], weights=[1, 9, 1, 2, 1]
    )
    clean = LinkGraph(4)
    clean.append(0, [2], [2])
    clean.append(1, [0])
    values = np.ones(4)
    assert distance(rank(name, view, values), rank(name, clean, values)) == 0
