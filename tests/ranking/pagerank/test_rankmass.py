from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.pagerank.pagerank import pagerank
from ranking.pagerank.rankmass import RankMass, rank_mass
from tests.ranking import reference
from tests.support.told import telling

N = 9
LINKS = st.lists(
    st.tuples(st.integers(0, N - 1), st.sampled_from([0.0, 0.5, 1.0, 3.0])), max_size=6
)
WEB = st.lists(LINKS, min_size=N, max_size=N)
RESTART = st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.5]), min_size=N, max_size=N).filter(any)
DAMPING = st.sampled_from([0.0, 0.5, 0.85, 0.95])


def crawled(web, pages) -> LinkGraph:
    graph = LinkGraph(N)
    for page in pages:
        graph.append(page, [t for t, _ in web[page]], [w for _, w in web[page]])
    return graph


def matrix(web) -> np.ndarray:
    return reference.dense([(s, t, w) for s in range(N) for t, w in web[s]], N)


def test_the_first_page_holds_what_the_surfer_jumps_to_it():
    mass = RankMass([0], damping=0.5, tol=1e-12)
    graph = LinkGraph(4)
    assert mass.update(graph) == 0
    graph.append(0, [1, 2])
    assert mass.update(graph) == 0.5
    assert mass.bounds.tolist() == [0.5, 0.125, 0.125, 0]
    graph.append(1, [0])
    # b₀ = 1/2 + b₁/2, b₁ = b₀/4
    assert mass.update(graph) == pytest.approx(4 / 7 + 1 / 7, abs=1e-12)
    assert mass.bounds == pytest.approx([4 / 7, 1 / 7, 1 / 7, 0], abs=1e-12)
    graph.append(2, [])
    # 2 has no link: the surfer jumps to 0 from it. b₀ = 1/2 + b₁/2 + b₂/2: all is known.
    assert mass.update(graph) == pytest.approx(1, abs=1e-11)


@given(WEB, RESTART, DAMPING, st.permutations(range(N)), st.integers(0, N))
def test_the_bounds_are_those_of_the_fetched_pages_alone(web, restart, damping, order, count):
    ranking = rank_mass(crawled(web, order[:count]), restart, damping, tol=1e-10)
    expected = reference.rank_mass(matrix(web), order[:count], restart, damping)
    assert ranking.converged
    assert (ranking.bounds <= expected + 1e-14).all()
    assert np.abs(ranking.bounds - expected).sum() <= 1e-10
    assert ranking.mass == pytest.approx(ranking.bounds[order[:count]].sum(), abs=1e-12)
    np.testing.assert_allclose(ranking.scores, ranking.bounds / ranking.bounds.sum(), atol=1e-15)


@given(WEB, RESTART, DAMPING, st.permutations(range(N)), st.sampled_from([0.3, 1e-3, 1e-9]))
def test_a_growing_crawl_has_a_bound_that_never_falls_nor_exceeds_the_truth(
    web, restart, damping, order, tol
):
    """Whatever web the crawl turns out to be a part of: `web` is unknown to the bound."""
    truth = reference.pagerank(matrix(web), restart, damping)
    trusted = np.flatnonzero(restart)
    mass = RankMass(trusted, np.array(restart)[trusted], damping, tol)
    before, graph = 0.0, LinkGraph(N)
    for i, page in enumerate(order):
        graph.append(page, [t for t, _ in web[page]], [w for _, w in web[page]])
        bound = mass.update(graph)
        fetched = order[: i + 1]
        assert bound >= before
        assert (mass.bounds <= truth + 1e-12).all()
        assert bound <= truth[fetched].sum() + 1e-12
        best = reference.rank_mass(matrix(web), fetched, restart, damping)[fetched].sum()
        assert best - bound <= mass.error + 1e-12
        assert mass.error <= tol * (1 + 1e-9)
        before = bound
    assert before >= 1 - tol - 1e-9


@given(WEB, WEB, RESTART, st.permutations(range(N)), st.integers(0, N))
def test_the_bound_holds_in_every_web_that_has_the_fetched_pages(first, other, restart, order, k):
    known = set(order[:k])
    larger = [first[page] if page in known else other[page] for page in range(N)]
    # And ids that the crawl has never heard of.
    edges = [(s, t, w) for s in range(N) for t, w in larger[s]]
    edges += [(s, N + s % 3, 1.0) for s in range(N) if s not in known]
    edges += [(N, 0, 1.0), (N + 1, N + 2, 1.0), (N + 2, N + 1, 1.0)]
    A = reference.dense(edges, N + 3)
    truth = reference.pagerank(A, [*restart, 0, 0, 0])
    ranking = rank_mass(crawled(first, order[:k]), restart)
    assert (ranking.bounds <= truth[:N] + 1e-12).all()
    assert ranking.mass <= truth[order[:k]].sum() + 1e-12


def large(pages: int, seed: int = 5) -> tuple[LinkGraph, list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    links = [(4 * pages * rng.random(rng.integers(0, 20)) ** 2).astype(int) for _ in range(pages)]
    return LinkGraph(4 * pages), links


def test_updates_by_any_number_of_pages_end_at_the_same_bounds():
    graph, links = large(600)
    one, many = RankMass([0, 7], tol=1e-6), RankMass([0, 7], tol=1e-6)
    for page, targets in enumerate(links):
        graph.append(page, targets)
        one.update(graph)
        if page % 150 == 0:
            many.update(graph)
    many.update(graph)
    whole = rank_mass(graph, np.isin(np.arange(graph.n), [0, 7]), tol=1e-6)
    for bounds in (one.bounds, many.bounds):
        assert np.abs(bounds - whole.bounds).sum() <= 2e-6
    exact = pagerank(graph, np.isin(np.arange(graph.n), [0, 7]), tol=1e-9)
    assert (whole.bounds <= exact.scores + 1e-9).all()
    assert 0 < whole.mass < 1


def test_a_page_read_again_starts_the_bounds_anew():
    graph = LinkGraph(3)
    graph.append(0, [1])
    mass = RankMass([0], damping=0.5, tol=1e-12)
    mass.update(graph)
    graph.append(0, [2])
    mass.update(graph)
    assert mass.bounds.tolist() == [0.5, 0, 0.25]
    # Another graph altogether is no growth of the first either.
    mass.update(LinkGraph.from_edges([1], [2]))
    assert mass.bounds.tolist() == [0.5, 0, 0]


def test_weights_that_come_late_are_seen():
    graph = LinkGraph(4)
    mass = RankMass([0], damping=0.5, tol=1e-12)
    graph.append(0, [1])
    mass.update(graph)
    graph.append(1, [2, 3], [1, 0])
    mass.update(graph)
    assert mass.bounds.tolist() == [0.5, 0.25, 0.125, 0]


def test_no_convergence_is_reported_and_the_bound_is_valid_all_the_same():
    ring = LinkGraph.from_edges(np.arange(50), np.roll(np.arange(50), -1))
    ranking = rank_mass(ring, np.eye(50)[0], damping=0.99, tol=1e-9, max_iterations=1)
    assert not ranking.converged
    assert ranking.residual > 0
    exact = pagerank(ring, np.eye(50)[0], damping=0.99, tol=1e-12).scores
    assert (ranking.bounds <= exact + 1e-12).all()
    mass = RankMass([0], damping=0.99, tol=1e-9)
    mass.update(ring, max_iterations=1)
    assert mass.error > 1e-9
    assert mass.update(ring) == pytest.approx(1, abs=1e-9)
    assert mass.error <= 1e-9


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        ({"trusted": []}, ("trusted", "one")),
        ({"trusted": [0, 0]}, ("trusted", "different")),
        ({"trusted": [-1]}, ("trusted", -1)),
        ({"weights": [0]}, ("weights", "positive")),
        ({"weights": [1, 2]}, ("weights", "shape")),
        ({"weights": [np.inf]}, ("weights", "finite")),
        ({"damping": 1}, ("damping", 1)),
        ({"tol": 0}, ("tol", "positive")),
    ],
)
def test_bad_arguments_are_refused(arguments, facts):
    with pytest.raises(RankingInputError, match=telling(*facts)):
        RankMass(**{"trusted": [0], **arguments})


def test_trusted_ids_must_be_known():
    with pytest.raises(RankingInputError, match=telling("trusted", "n=1", 3)):
        RankMass([3]).update(LinkGraph(1))
