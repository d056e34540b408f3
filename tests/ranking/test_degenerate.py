"""Every ranking on input at the edge of what a graph and its arguments can be."""

from __future__ import annotations

import numpy as np
import pytest

from ranking import LinkGraph, RankingInputError
from ranking.arrays import MAX_ID
from tests.ranking.rankers import RANKERS, WALKS, rank
from tests.support.told import telling

EVERY = pytest.mark.parametrize("name", RANKERS)
VECTOR = pytest.mark.parametrize("name", [name for name, one in RANKERS.items() if one.vector])
WITH_IDS = {"trustrank"}
"""Rankings that are given ids; of an empty graph there are none to give."""
AUTHORITIES = {"hits", "topic-hits"}
"""Rankings by links alone, uniform without any."""


def fetched(n: int, *pages: int) -> LinkGraph:
    graph = LinkGraph(n)
    for page in pages:
        graph.append(page, [])
    return graph


NOTHING = {
    "no links": LinkGraph(4),
    "no edges": LinkGraph.from_edges([], [], n=4),
    "all fetched, all dangling": fetched(4, 3, 0, 2, 1),
    "only self-loops": LinkGraph.from_edges([0, 1, 2, 3, 0], [0, 1, 2, 3, 0]),
    "only nofollow": LinkGraph.from_edges([0, 1, 2], [1, 2, 3], [0, 0, 0]),
}


@EVERY
def test_an_empty_graph(name):
    if name in WITH_IDS:
        with pytest.raises(RankingInputError, match="at least one"):
            rank(name, LinkGraph(), np.empty(0))
        return
    ranking = rank(name, LinkGraph(), np.empty(0))
    assert ranking.scores.shape == (0,)
    assert ranking.scores.dtype == np.float64
    assert ranking.converged


@EVERY
@pytest.mark.parametrize("kind", NOTHING)
def test_without_links_that_count_scores_are_what_jumps_give(name, kind):
    values = np.array([1.0, 1.0, 2.0, 4.0])
    ranking = rank(name, NOTHING[kind], values)
    vector = {
        "ppr": values / 8,
        "trustrank": [0, 0, 0, 1],
    }.get(name, [0.25] * 4)
    assert ranking.scores == pytest.approx(vector, abs=1e-15)
    assert ranking.converged


@EVERY
@pytest.mark.parametrize("graph", [LinkGraph(1), fetched(1, 0), LinkGraph.from_edges([0], [0])])
def test_one_node(name, graph):
    assert rank(name, graph, np.ones(1)).scores.tolist() == [1]


@EVERY
def test_one_page_with_a_million_links(name):
    n = 1_000_001
    graph = LinkGraph(n)
    graph.append(0, np.arange(1, n))
    values = np.zeros(n)
    values[0] = 1
    values = np.ones(n) if RANKERS[name].vector == "relevance" else values
    scores = rank(name, graph, values, tol=1e-6).scores
    assert scores.shape == (n,)
    assert scores.sum() == pytest.approx(1, abs=1e-9)
    assert np.ptp(scores[1:]) <= 1e-15
    if name in AUTHORITIES:
        assert scores[0] == 0


@EVERY
def test_a_million_pages_with_one_link(name):
    n = 1_000_001
    graph = LinkGraph.from_edges(np.arange(1, n), np.zeros(n - 1, int))
    values = np.ones(n)
    scores = rank(name, graph, values, tol=1e-6).scores
    assert scores.sum() == pytest.approx(1, abs=1e-9)
    assert np.argmax(scores) == 0
    # The same, exactly, is said of pages that differ in nothing.
    assert np.ptp(scores[1:]) <= 1e-15


def test_ids_beyond_what_is_stored_are_refused():
    for huge in (MAX_ID, 2**31, 2**63 - 1, 2**64 - 1):
        with pytest.raises(RankingInputError, match=telling("ids", 0, MAX_ID - 1)):
            LinkGraph.from_edges(np.array([huge]), [0])
        with pytest.raises(RankingInputError):
            LinkGraph().append(0, np.array([huge]))


BAD = {
    "negative": ([1, -1, 1], ("negative",)),
    "NaN": ([1, np.nan, 1], ("finite", "nan")),
    "infinite": ([1, np.inf, 1], ("finite", "inf")),
    "minus infinite": ([1, -np.inf, 1], ("finite", "-inf")),
    "too short": ([1, 1], ("(3,)", "(2,)")),
    "too long": ([1, 1, 1, 1], ("(3,)", "(4,)")),
    "two-dimensional": ([[1, 1, 1]], ("(3,)", "(1, 3)")),
    "a number": (1.0, ("(3,)", "()")),
    "text": (["a", "b", "c"], ("numbers", "dtype")),
    "digits": (["1", "2", "3"], ("numbers", "dtype")),
    "complex": ([1j, 1, 1], ("numbers", "complex128")),
    "objects": ([None, 1, 1], ("numbers", "object")),
}


@VECTOR
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_vector_is_refused(name, kind):
    values, facts = BAD[kind]
    with pytest.raises(RankingInputError, match=telling(RANKERS[name].vector, *facts)):
        rank(name, LinkGraph.from_edges([0, 1], [1, 2]), values)


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_start_is_refused(name, kind):
    values, facts = BAD[kind]
    with pytest.raises(RankingInputError, match=telling("start", *facts)):
        rank(name, LinkGraph.from_edges([0, 1], [1, 2]), np.ones(3), start=values)


@VECTOR
def test_a_vector_of_zeros_is_refused_or_tells_nothing_apart(name):
    graph = LinkGraph.from_edges([0, 1], [1, 2])
    if RANKERS[name].vector == "restart":
        with pytest.raises(RankingInputError, match=telling("restart", "positive", "zeros")):
            rank(name, graph, np.zeros(3))
        return
    ranking = rank(name, graph, np.zeros(3))
    assert ranking.scores == pytest.approx([1 / 3] * 3, abs=1e-15)
    assert ranking.converged


@pytest.mark.parametrize("name", WALKS)
def test_a_start_of_zeros_is_a_cold_start(name):
    graph = LinkGraph.from_edges([0, 1], [1, 2])
    cold = rank(name, graph, np.ones(3)).scores
    assert rank(name, graph, np.ones(3), start=np.zeros(3)).scores == pytest.approx(cold, abs=1e-9)


@VECTOR
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, bool])
def test_a_vector_of_any_number_type_will_do(name, dtype):
    graph = LinkGraph.from_edges([0, 1, 2], [1, 2, 0])
    exact = rank(name, graph, np.array([1.0, 0, 1])).scores
    assert rank(name, graph, np.array([1, 0, 1], dtype)).scores == pytest.approx(exact, abs=1e-9)


@VECTOR
@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e300])
def test_the_scale_of_a_vector_does_not_matter(name, scale):
    graph = LinkGraph.from_edges([0, 1, 2, 0], [1, 2, 0, 2])
    values = np.array([1.0, 0.5, 0.25])
    found = rank(name, graph, values * scale).scores
    assert found == pytest.approx(rank(name, graph, values).scores, abs=1e-9)


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("tol", [0, -1e-6, np.nan, np.inf])
def test_a_bad_tolerance_is_refused(name, tol):
    with pytest.raises(RankingInputError, match=telling("tol")):
        rank(name, LinkGraph.from_edges([0], [1]), np.ones(2), tol)


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("count", [0, -1])
def test_a_bad_number_of_iterations_is_refused(name, count):
    with pytest.raises(RankingInputError, match="max_iterations"):
        rank(name, LinkGraph.from_edges([0], [1]), np.ones(2), max_iterations=count)
