"""This project, given what a crawl has (its log) or what the peers get (arrays of links)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.ranking.problems import DAMPING, WALKS, Problem, restart_weights
from benchmarks.ranking.tools.base import Tool
from ranking import GraphView, LinkGraph, WalkRanking, hits, pagerank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.ranking.graphs import Crawl
    from benchmarks.ranking.problems import Array


def log_of(crawl: Crawl) -> LinkGraph:
    """The graph that the crawl wrote page by page."""
    return LinkGraph.from_log(GraphView(crawl.n, crawl.pages, crawl.indptr, crawl.targets))


class OursFromEdges(Tool):
    """`LinkGraph.from_edges`, then the kernel."""

    builds_late = True

    def settings(self, problem: Problem) -> Sequence[float]:
        return [problem.tol]

    def build(self, problem: Problem) -> Any:
        return LinkGraph.from_edges(problem.sources, problem.targets, n=problem.n).snapshot()

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        if problem.task in WALKS:
            return pagerank(graph, problem.restart, DAMPING, setting).scores
        return hits(graph, problem.relevance, setting).scores


class OursFromLog(OursFromEdges):
    """A snapshot of the log, then the kernel."""

    def prepare(self, problem: Problem) -> None:
        self._graph = log_of(problem.crawl)
        problem.forget_links()

    def build(self, problem: Problem) -> Any:
        return self._graph.snapshot()


class OursWarm(OursFromLog):
    """The crawl ranked once, grew, and is ranked again from that ranking."""

    builds_late = False

    def prepare(self, problem: Problem) -> None:
        self._graph, self._earlier = grown_after(problem)
        # As they are, not with sum 1: on one scale, what did not change did not change.
        self._restart = restart_weights(problem.crawl, problem.restart_kind)
        problem.forget_links()

    def build(self, problem: Problem) -> Any:
        return self._graph

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        return pagerank(graph, self._restart, DAMPING, setting, self._earlier).scores


class OursLoose(OursWarm):
    """The same by the rule for the peers: the loosest setting whose true error is small enough."""

    def settings(self, problem: Problem) -> Sequence[float]:
        return [problem.tol * factor for factor in (10, 6, 4, 3, 2, 1)]


def grown_after(problem: Problem) -> tuple[LinkGraph, WalkRanking]:
    """The graph as it is now, and its ranking when it had `before` rows."""
    assert problem.before is not None
    before = problem.crawl.first(problem.before)
    graph = log_of(before)
    restart = restart_weights(before, problem.restart_kind)
    earlier = pagerank(graph, restart, DAMPING, problem.tol)
    crawl, ends = problem.crawl, problem.crawl.indptr
    for row in range(problem.before, len(crawl.pages)):
        graph.append(int(crawl.pages[row]), crawl.targets[ends[row] : ends[row + 1]])
    return graph, earlier
