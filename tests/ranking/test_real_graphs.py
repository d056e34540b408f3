"""The kernels against networkx, dense algebra and a plain loop, on graphs that people made."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from ranking.graph.link_graph import LinkGraph
from ranking.hits import hits
from ranking.pagerank.pagerank import pagerank
from tests.ranking import reference

GRAPHS = {"polblogs": reference.polblogs, "hollins": reference.hollins}


@pytest.fixture(scope="module", params=GRAPHS)
def web(request, shared) -> nx.DiGraph:
    graph = GRAPHS[request.param](shared)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


def link_graph(web: nx.DiGraph) -> LinkGraph:
    return LinkGraph.from_edges(*np.array(web.edges).T, n=len(web))


def by_id(values: dict[int, float]) -> np.ndarray:
    return np.array([values[i] for i in range(len(values))])


def networkx_pagerank(web: nx.DiGraph, restart: np.ndarray, damping: float) -> np.ndarray:
    jumps = dict(enumerate(restart / restart.sum()))
    # Its tolerance is for each node.
    tol = 1e-12 / len(web)
    return by_id(nx.pagerank(web, damping, jumps, dangling=jumps, tol=tol, max_iter=2000))


@pytest.mark.parametrize("damping", [0.5, 0.85])
@pytest.mark.parametrize("kind", ["uniform", "some pages", "random"])
def test_pagerank_agrees_with_networkx(web, kind, damping):
    rng = np.random.default_rng(3)
    restart = {
        "uniform": np.ones(len(web)),
        "some pages": np.bincount(rng.integers(0, len(web), 10), minlength=len(web)),
        "random": rng.random(len(web)),
    }[kind]
    graph, expected = link_graph(web), networkx_pagerank(web, restart, damping)
    for tol in (1e-4, 1e-9):
        ranking = pagerank(graph, restart, damping, tol)
        assert np.abs(ranking.scores - expected).sum() <= tol
        assert ranking.converged
        assert ranking.residual <= tol * (1 - damping)


def test_hits_agrees_with_networkx(web):
    hubs, authorities = (by_id(values) for values in nx.hits(web, tol=1e-12, max_iter=2000))
    ranking = hits(link_graph(web), tol=1e-10)
    assert ranking.converged
    assert np.abs(ranking.scores - authorities).sum() <= 1e-8
    assert np.abs(ranking.hubs - hubs).sum() <= 1e-8


def test_topical_hits_agrees_with_dense_algebra(shared):
    web = reference.polblogs(shared)
    relevance = np.random.default_rng(4).random(len(web))
    A = reference.dense([(s, t, 1.0) for s, t in web.edges], len(web))
    authorities, hubs = reference.hits(A, relevance)
    ranking = hits(link_graph(web), relevance, tol=1e-10)
    assert np.abs(ranking.scores - authorities).sum() <= 1e-8
    assert np.abs(ranking.hubs - hubs).sum() <= 1e-8


@pytest.mark.slow
def test_a_third_of_a_million_pages(shared):
    edges = reference.cnr(shared)
    graph = LinkGraph.from_edges(edges[:, 0], edges[:, 1])
    ranking = pagerank(graph, tol=1e-8)
    assert ranking.converged
    kept = np.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
    degree = np.bincount(kept[:, 0], minlength=graph.n)
    scores = np.full(graph.n, 1 / graph.n)
    for _ in range(150):
        share = np.divide(scores, degree, out=np.zeros(graph.n), where=degree > 0)
        followed = 0.85 * np.bincount(kept[:, 1], share[kept[:, 0]], minlength=graph.n)
        scores = followed + (1 - followed.sum()) / graph.n
    assert np.abs(ranking.scores - scores).sum() <= 1e-8 + 1e-9
    authorities = hits(graph, tol=1e-8)
    assert authorities.converged
    assert authorities.scores.sum() == pytest.approx(1)
