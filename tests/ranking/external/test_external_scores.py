"""Rankings over lists on disk give the scores of those in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ranking.errors import RankingInputError
from ranking.external import bipartite, lists, walk
from ranking.external.checkpoint import Checkpoint
from ranking.hits.hits import hits
from ranking.hits.salsa import salsa
from ranking.pagerank.pagerank import pagerank
from tests.ranking.external.made_lists import made_graph

EXACT = 1e-12


@pytest.fixture(autouse=True)
def _short_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "SEGMENT", 100)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("restarting", [False, True])
@pytest.mark.parametrize(
    ("damping", "window"), [(0.0, 8), (0.85, 0), (0.85, 3), (0.85, 8), (0.99, 8)]
)
def test_pagerank(
    damping: float, window: int, restarting: bool, weighted: bool, tmp_path: Path
) -> None:
    graph, found = made_graph(7, tmp_path, weighted=weighted)
    restart = np.random.default_rng(2).random(found.n) ** 4 if restarting else None
    expected = pagerank(graph, restart, damping, EXACT)
    ranking = walk.pagerank(found, restart, damping, EXACT, window=window)
    assert np.abs(ranking.scores - expected.scores).sum() < 1e-9
    assert ranking.jump == pytest.approx(expected.jump)
    assert ranking.converged
    assert ranking.residual < EXACT


def test_a_walk_that_is_stopped_says_how_far_off_it_is(tmp_path: Path) -> None:
    graph, found = made_graph(8, tmp_path, weighted=False)
    expected, ranking = pagerank(graph, tol=EXACT), walk.pagerank(found, max_iterations=3)
    off = np.abs(ranking.scores - expected.scores).sum()
    assert not ranking.converged
    assert 0 < off <= 2 * ranking.residual / (1 - 0.85)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("topical", [False, True])
@pytest.mark.parametrize("basis", [bipartite.FEWEST, 12])
def test_hits(basis: int, topical: bool, weighted: bool, tmp_path: Path) -> None:
    graph, found = made_graph(9, tmp_path, weighted=weighted)
    relevance = np.random.default_rng(4).random(found.n) if topical else None
    expected = hits(graph, relevance, EXACT)
    ranking = bipartite.hits(found, relevance, EXACT, basis=basis)
    assert np.abs(ranking.scores - expected.scores).sum() < 1e-9
    assert np.abs(ranking.hubs - expected.hubs).sum() < 1e-9
    assert ranking.hub_norm == pytest.approx(expected.hub_norm)


@pytest.mark.parametrize("weighted", [False, True])
def test_salsa_of_many_components(weighted: bool, tmp_path: Path) -> None:
    graph, found = made_graph(10, tmp_path, weighted=weighted, n=3000, links=1500)
    relevance = np.random.default_rng(4).integers(0, 3, found.n)
    expected = salsa(graph, relevance)
    ranking = bipartite.salsa(found, relevance)
    assert np.abs(ranking.scores - expected.scores).sum() < 1e-12
    assert np.abs(ranking.hubs - expected.hubs).sum() < 1e-12


def test_a_graph_without_followed_links_is_even(tmp_path: Path) -> None:
    _, found = made_graph(11, tmp_path, weighted=False, links=1, n=2)
    assert walk.pagerank(found).scores.sum() == pytest.approx(1)
    assert bipartite.hits(found).scores.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("damping", [-0.1, 1.0])
def test_a_damping_out_of_range_is_refused(damping: float, tmp_path: Path) -> None:
    _, found = made_graph(12, tmp_path, weighted=False)
    with pytest.raises(RankingInputError, match="damping"):
        walk.pagerank(found, damping=damping)


def test_an_iteration_goes_on_from_its_checkpoint_to_the_same_scores(tmp_path: Path) -> None:
    _, found = made_graph(13, tmp_path, weighted=True)
    told = list[int]()

    def kept(name: str, every: float) -> Checkpoint:
        return Checkpoint(tmp_path / f"{name}.npz", lambda made, _: told.append(made), every)

    whole = walk.pagerank(found, tol=EXACT)
    walk.pagerank(found, tol=EXACT, max_iterations=10, checkpoint=kept("walk", 0))
    rest = walk.pagerank(found, tol=EXACT, checkpoint=kept("walk", 0))
    assert told[:12] == [*range(1, 11), 9, 10]  # the eighth was kept
    assert whole.iterations <= rest.iterations < whole.iterations + 8
    assert np.abs(rest.scores - whole.scores).sum() < 1e-9
    hubs = bipartite.hits(found, tol=EXACT)
    bipartite.hits(found, tol=EXACT, max_iterations=1, basis=3, checkpoint=kept("hubs", 0))
    later = bipartite.hits(found, tol=EXACT, basis=3, checkpoint=kept("hubs", 0))
    assert np.abs(later.scores - hubs.scores).sum() < 1e-9


def test_a_broken_checkpoint_counts_as_none(tmp_path: Path) -> None:
    path = tmp_path / "walk.npz"
    path.write_bytes(b"PK\x03\x04 and no more")
    assert Checkpoint(path, lambda *_: None).load() == (0, None)
