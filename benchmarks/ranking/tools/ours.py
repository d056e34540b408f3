"""This project, given what a crawl has (its log) or what the peers get (arrays of links)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.ranking.problems import restart_weights
from benchmarks.ranking.tools.base import DAMPING, WALKS, Problem, Tool
from ranking import GraphView, LinkGraph, Ranking, WalkRanking, hits, pagerank
from ranking.pagerank import pushes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.ranking.graphs import Crawl
    from benchmarks.ranking.tools.base import Array


def log_of(crawl: Crawl) -> LinkGraph:
    """The graph that the crawl wrote page by page."""
    return LinkGraph.from_log(GraphView(crawl.n, crawl.pages, crawl.indptr, crawl.targets))


def rows(crawl: Crawl, first: int) -> Iterator[tuple[int, Array]]:
    """Page and targets of each row from the `first` on."""
    ends = crawl.indptr.tolist()
    for row in range(first, len(crawl.pages)):
        yield int(crawl.pages[row]), crawl.targets[ends[row] : ends[row + 1]]


class OursFromEdges(Tool):
    """`LinkGraph.from_edges`, then the kernel."""

    name = "ours, from edges"
    builds_late = True

    def settings(self, problem: Problem) -> Sequence[float]:
        return [problem.tol]

    def build(self, problem: Problem) -> Any:
        return LinkGraph.from_edges(problem.sources, problem.targets, n=problem.n).snapshot()

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        if problem.task in WALKS:
            return self._kept(pagerank(graph, problem.restart, DAMPING, setting))
        return self._kept(hits(graph, problem.relevance, setting))

    def _kept(self, ranking: Ranking) -> Array:
        self.sweeps = ranking.iterations
        return ranking.scores


class OursFromLog(OursFromEdges):
    """A snapshot of the log, then the kernel."""

    name = "ours"

    def prepare(self, problem: Problem) -> None:
        self._graph = log_of(problem.crawl)
        problem.forget_links()

    def build(self, problem: Problem) -> Any:
        return self._graph.snapshot()


class OursWarm(OursFromLog):
    """The crawl ranked once, grew, and is ranked again from that ranking."""

    name = "ours, warm"
    builds_late = False

    def prepare(self, problem: Problem) -> None:
        self._graph, self._earlier = grown_after(problem)
        # As they are, not with sum 1: on one scale, what did not change did not change.
        self._restart = restart_weights(problem.crawl, problem.restart_kind)
        problem.forget_links()

    def build(self, problem: Problem) -> Any:
        return self._graph

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        return self._kept(pagerank(graph, self._restart, DAMPING, setting, self._earlier))


class OursLoose(OursWarm):
    """The same by the rule for the peers: the loosest setting whose true error is small enough."""

    name = "ours, as loose"

    def settings(self, problem: Problem) -> Sequence[float]:
        return [problem.tol * factor for factor in (10, 6, 4, 3, 2, 1)]


class OursPushes(OursWarm):
    """The same by residual pushes only, whatever they cost."""

    name = "ours, pushes only"

    def prepare(self, problem: Problem) -> None:
        super().prepare(problem)
        # What makes it give up and sweep.
        pushes.BUDGET = pushes.FORESIGHT = 1e6


class OursSweeps(OursWarm):
    """The same from the scores alone: always sweeps over the whole graph."""

    name = "ours, sweeps only"

    def rank(self, graph: Any, problem: Problem, setting: float) -> Array:
        start = np.zeros(problem.n)
        start[: len(self._earlier.scores)] = self._earlier.scores
        return self._kept(pagerank(graph, self._restart, DAMPING, setting, start))


def grown_after(problem: Problem) -> tuple[LinkGraph, WalkRanking]:
    """The graph as it is now, and its ranking when it had `before` rows."""
    assert problem.before is not None
    before = problem.crawl.first(problem.before)
    graph = log_of(before)
    restart = restart_weights(before, problem.restart_kind)
    earlier = pagerank(graph, restart, DAMPING, problem.tol)
    for page, targets in rows(problem.crawl, problem.before):
        graph.append(page, targets)
    return graph, earlier
