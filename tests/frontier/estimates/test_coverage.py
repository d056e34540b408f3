"""The bound of a crawl: true whatever is not fetched yet, and the same however it was reached."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.estimates.coverage import Coverage
from ranking.graph.link_graph import LinkGraph

N = 8
WEB = st.lists(st.lists(st.integers(0, N - 1), max_size=5), min_size=N, max_size=N)
SEEDS = st.lists(st.booleans(), min_size=N, max_size=N).filter(any)


def crawled(web: list[list[int]], pages: list[int]) -> LinkGraph:
    graph = LinkGraph(N)
    for page in pages:
        graph.append(page, sorted(set(web[page])))
    return graph


def truth(web: list[list[int]], seeds: list[bool]) -> np.ndarray:
    """Personalized PageRank of the whole web, by a dense solve."""
    restart = np.array(seeds, float) / sum(seeds)
    steps = np.zeros((N, N))
    for source, targets in enumerate(web):
        others = sorted(set(targets) - {source})
        steps[source, others] = 1 / max(len(others), 1)
        if not others:
            steps[source] = restart
    return np.linalg.solve(np.eye(N) - 0.85 * steps.T, 0.15 * restart)


def test_nothing_is_known_before_there_is_a_seed() -> None:
    coverage = Coverage(0.85)
    coverage.update(LinkGraph(3), np.zeros(3, bool))
    assert coverage.value is None


def test_a_seed_that_leads_to_one_page() -> None:
    # b₀ = 0.15 + 0.85 b₁, b₁ = 0.85 b₀ once 1, which has no link, is fetched; before: b₀ = 0.15.
    coverage, graph = Coverage(0.85), LinkGraph(2)
    seeds = np.array([True, False])
    coverage.update(graph, seeds)
    assert coverage.value == 0
    graph.append(0, [1])
    coverage.update(graph, seeds)
    assert coverage.value == pytest.approx(0.15, abs=1e-4)
    graph.append(1, [])
    coverage.update(graph, seeds)
    assert coverage.value == pytest.approx(1, abs=2e-4)


@given(WEB, SEEDS, st.permutations(range(N)), st.integers(0, N))
def test_the_bound_is_never_above_what_is_fetched_of_the_whole_web(web, seeds, order, count):
    coverage, fetched = Coverage(0.85), order[:count]
    coverage.update(crawled(web, fetched), np.array(seeds))
    assert coverage.value is not None
    assert coverage.value <= truth(web, seeds)[fetched].sum() + 1e-12


@given(WEB, SEEDS, st.permutations(range(N)))
def test_a_whole_web_is_covered_up_to_the_tolerance(web, seeds, order):
    coverage = Coverage(0.85)
    coverage.update(crawled(web, order), np.array(seeds))
    assert coverage.value == pytest.approx(1, abs=1e-4)


@given(WEB, SEEDS, st.permutations(range(N)), st.integers(1, N - 1))
def test_a_seed_added_later_starts_the_bound_anew(web, seeds, order, count):
    seeded, late = np.array(seeds), np.array(seeds)
    late[order[0]] = ~late[order[0]]
    if not late.any():
        late[order[0]] = True
    graph = crawled(web, order[:count])
    changed, fresh = Coverage(0.85), Coverage(0.85)
    changed.update(graph, seeded)
    changed.update(graph, late)
    fresh.update(graph, late)
    assert changed.value == fresh.value


def test_with_its_memory_given_back_it_says_the_same() -> None:
    rng = np.random.default_rng(3)
    kept, forgetful = Coverage(0.85), Coverage(0.85)
    graph, seeds = LinkGraph(200), np.arange(200) < 3
    for page in range(120):
        graph.append(page, rng.integers(0, 200, 4))
        kept.update(graph, seeds)
        forgetful.update(graph, seeds)
        forgetful.forget()
    assert kept.value == pytest.approx(forgetful.value, abs=1e-4)


def test_updates_become_rarer_as_the_crawl_grows() -> None:
    coverage, graph, updated = Coverage(0.85, growth=0.1), LinkGraph(1), []
    for page in range(36):
        graph.grow(page + 2)
        graph.append(page, [page + 1])
        if coverage.is_due(graph.n_pages):
            coverage.update(graph, np.arange(page + 2) == 0)
            updated.append(graph.n_pages)
    assert updated == [*range(1, 21), 22, 24, 26, 28, 30, 33, 36]
