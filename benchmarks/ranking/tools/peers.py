"""The peers: scipy as anyone writes it first, and libraries, each imported when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from benchmarks.ranking.problems import DAMPING, HITS, PAGERANK, PPR, TOPIC_HITS, WALKS, Problem
from benchmarks.ranking.tools.base import CannotError, Tool, tolerances

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.ranking.problems import Array

    Product = Callable[[Array], Array]

MAX_SWEEPS = 2000
_NOT_A_WALK = "finds singular vectors only"


class Power(Tool):
    """Textbook power iteration: transposed CSR, L1 stop, dangling mass to the restart vector."""

    warm = True

    def settings(self, problem: Problem) -> Sequence[float]:
        return tolerances(problem.tol * 10)

    def build(self, problem: Problem) -> Any:
        shape = problem.n, problem.n
        if problem.task in WALKS:
            degree = np.bincount(problem.sources, minlength=problem.n)
            shares = 1 / degree[problem.sources]
            return csr_matrix((shares, (problem.targets, problem.sources)), shape)
        ones = np.ones(len(problem.targets))
        return csr_matrix((ones, (problem.sources, problem.targets)), shape)

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        if problem.task in WALKS:
            return surf(lambda x: graph @ x * DAMPING, problem, setting)
        turned = graph.T
        return mutual(lambda a: graph @ a, lambda h: turned @ h, problem, setting)


class Svds(Power):
    """The dominant singular vectors by ARPACK, as a library user would ask scipy for them."""

    warm = False
    refuses: ClassVar = {PAGERANK: _NOT_A_WALK, PPR: _NOT_A_WALK}

    def settings(self, problem: Problem) -> Sequence[float]:
        return [1e-2, 1e-3, 1e-4, 1e-6, 0.0]

    def build(self, problem: Problem) -> Any:
        return weighted(problem)

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        hubs = svds(graph, 1, tol=setting, v0=np.ones(problem.n))[0]
        return authorities(problem, np.abs(hubs[:, 0]))


def weighted(problem: Problem) -> Any:
    """A diag(√r): its left singular vector is the hubs of topic HITS, the right one is not a."""
    shape = problem.n, problem.n
    return csr_matrix((link_weights(problem), (problem.sources, problem.targets)), shape)


def link_weights(problem: Problem) -> Array:
    """(L,) the weight √r of each link's target; all 1 without relevance."""
    if problem.relevance is None:
        return np.ones(len(problem.targets))
    weights: Array = np.sqrt(problem.relevance)[problem.targets]
    return weights


def authorities(problem: Problem, hubs: Array) -> Array:
    """Aᵀ h, from hubs that a tool found in the weighted graph."""
    return np.bincount(problem.targets, hubs[problem.sources], problem.n)


def surf(product: Product, problem: Problem, tol: float) -> Array:
    """Power iteration; `product` is that with the surfer's steps, damping included."""
    r = np.full(problem.n, 1 / problem.n) if problem.restart is None else problem.restart
    x = r if problem.start is None else problem.start / problem.start.sum()
    for _ in range(MAX_SWEEPS):
        following = product(x)
        # What neither link nor damping carried: jumps and the dangling pages' mass at once.
        following += (1 - following.sum()) * r
        change = np.abs(following - x).sum()
        x = following
        if change <= tol:
            break
    return x


def mutual(forward: Product, backward: Product, problem: Problem, tol: float) -> Array:
    """Kleinberg's iteration; the products are those with the links and with them turned round."""
    r = 1.0 if problem.relevance is None else problem.relevance
    a = backward(np.ones(problem.n))
    a /= a.sum()
    for _ in range(MAX_SWEEPS):
        following = backward(forward(r * a))
        following /= following.sum()
        change = np.abs(following - a).sum()
        a = following
        if change <= tol:
            break
    return a


class Igraph(Tool):
    """PRPACK and ARPACK: solves to machine precision, whatever was asked, and from nothing."""

    def settings(self, problem: Problem) -> Sequence[str]:
        return ["prpack" if problem.task in WALKS else "arpack"]

    def build(self, problem: Problem) -> Any:
        import igraph

        edges = np.column_stack([problem.sources, problem.targets])
        return igraph.Graph(n=problem.n, edges=edges, directed=True)

    def rank(self, graph: Any, problem: Problem, setting: str) -> Array:
        if problem.task in WALKS:
            reset = None if problem.restart is None else problem.restart.tolist()
            scores = graph.personalized_pagerank(
                damping=DAMPING, reset=reset, implementation=setting
            )
            return np.array(scores)
        weights = None if problem.relevance is None else link_weights(problem).tolist()
        return authorities(problem, np.array(graph.hub_score(weights=weights)))


class Networkit(Tool):
    """PageRank by the L1 norm of the change, with the dangling mass handed on."""

    refuses: ClassVar = {
        PPR: "its PageRank has no restart vector",
        HITS: "no HITS",
        TOPIC_HITS: "no HITS",
    }

    def settings(self, problem: Problem) -> Sequence[float]:
        return tolerances(problem.tol, 6)

    def build(self, problem: Problem) -> Any:
        import networkit

        edges = problem.sources.astype(np.uint64), problem.targets.astype(np.uint64)
        return networkit.GraphFromCoo(edges, n=problem.n, directed=True)

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        import networkit

        sinks = networkit.centrality.SinkHandling.DistributeSinks
        kernel = networkit.centrality.PageRank(graph, DAMPING, setting, distributeSinks=sinks)
        kernel.norm = networkit.centrality.Norm.L1_NORM
        return np.array(kernel.run().scores())


class Networkx(Tool):
    """Dictionaries of dictionaries. Its stop is n * tol, so the tolerance is divided by n."""

    most_links = 10_000_000
    warm = True

    def settings(self, problem: Problem) -> Sequence[float]:
        if problem.task in WALKS:
            return tolerances(problem.tol * 10)
        return [1e-2, 1e-3, 1e-4, 1e-6, 0.0]

    def build(self, problem: Problem) -> Any:
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(range(problem.n))
        edges = problem.sources.tolist(), problem.targets.tolist()
        if problem.task in WALKS or problem.relevance is None:
            graph.add_edges_from(zip(*edges, strict=True))
        else:
            graph.add_weighted_edges_from(zip(*edges, link_weights(problem), strict=True))
        return graph

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        import networkx as nx

        if problem.task not in WALKS:
            hubs = nx.hits(graph, max_iter=1000, tol=setting)[0]
            return authorities(problem, _values(hubs, problem.n))
        try:
            scores = nx.pagerank(
                graph,
                DAMPING,
                personalization=_dict(problem.restart),
                nstart=_dict(problem.start),
                max_iter=1000,
                tol=setting / problem.n,
            )
        except nx.PowerIterationFailedConvergence as error:
            raise CannotError(str(error)) from error
        return _values(scores, problem.n)


def _dict(values: Array | None) -> dict[int, float] | None:
    return None if values is None else dict(enumerate(values.tolist()))


def _values(scores: dict[int, float], n: int) -> Array:
    return np.fromiter((scores[i] for i in range(n)), np.float64, n)


class Sknetwork(Tool):
    """Its solver RH counts terms of a series and treats dangling pages as we do.

    The default, ten steps of `piteration`, stops early, and its `bicgstab` gives dangling pages
    with a restart share another equation.
    """

    def settings(self, problem: Problem) -> Sequence[int | str]:
        if problem.task not in WALKS:
            return ["lanczos"]
        return list(range(20, 125, 5))

    def build(self, problem: Problem) -> Any:
        if problem.task not in WALKS:
            return weighted(problem)
        ones = np.ones(len(problem.targets))
        shape = problem.n, problem.n
        return csr_matrix((ones, (problem.sources, problem.targets)), shape)

    def rank(self, graph: Any, problem: Problem, setting: int | str) -> Array:
        from sknetwork import ranking

        if problem.task in WALKS:
            kernel = ranking.PageRank(DAMPING, solver="RH", n_iter=setting)
            return np.asarray(kernel.fit_predict(graph, weights=problem.restart))
        return authorities(problem, np.asarray(ranking.HITS().fit_predict(graph)))


class Graphblas(Tool):
    """The textbook iterations on SuiteSparse's matrices, for it has no ranking itself.

    Aᵀ for walks, A for HITS, all entries 1 (iso-valued: no value is stored a link).
    """

    warm = True

    def settings(self, problem: Problem) -> Sequence[float]:
        return tolerances(problem.tol * 10)

    def build(self, problem: Problem) -> Any:
        import graphblas as gb

        gb.ss.config["nthreads"] = 1
        rows, columns = problem.sources, problem.targets
        if problem.task in WALKS:
            rows, columns = columns, rows
        return gb.Matrix.from_coo(rows, columns, 1.0, nrows=problem.n, ncols=problem.n)

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        if problem.task in WALKS:
            degree = np.bincount(problem.sources, minlength=problem.n)
            share = DAMPING / np.maximum(degree, 1)
            return surf(lambda x: _product(graph, share * x), problem, setting)
        turned = graph.T
        return mutual(lambda a: _product(graph, a), lambda h: _product(turned, h), problem, setting)


def _product(matrix: Any, values: Array) -> Array:
    import graphblas as gb

    # A dense result whatever the matrix holds: rows without entries stay 0.
    result = gb.Vector.from_dense(np.zeros(matrix.nrows))
    result(gb.binary.plus) << gb.semiring.plus_second(matrix @ gb.Vector.from_dense(values))
    dense: Array = result.to_dense()
    return dense
