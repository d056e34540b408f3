"""The tools that need no peer installed, on a crawl small enough for a dense reference."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.ranking.graphs import synthetic
from benchmarks.ranking.problems import error_of, restart_of
from benchmarks.ranking.tools.base import DAMPING, HITS, PAGERANK, PPR, TOPIC_HITS, Problem
from benchmarks.ranking.tools.ours import (
    OursFromEdges,
    OursFromLog,
    OursLoose,
    OursPushes,
    OursSweeps,
    OursWarm,
)
from benchmarks.ranking.tools.power import Power, Svds
from ranking.pagerank import pushes

BEFORE, PAGES = 60, 66


def problem(task: str, restart: str = "uniform", tol: float = 1e-6) -> Problem:
    crawl = synthetic(BEFORE).first(PAGES)
    return Problem(
        task=task,
        crawl=crawl,
        sources=crawl.sources(),
        targets=crawl.targets,
        n=crawl.n,
        restart=restart_of(crawl, restart),
        relevance=crawl.relevance if task == TOPIC_HITS else None,
        tol=tol,
        before=BEFORE,
        restart_kind=restart,
    )


def exact(given: Problem) -> np.ndarray:
    links = np.zeros((given.n, given.n))
    links[given.sources, given.targets] = 1
    if given.task in (HITS, TOPIC_HITS):
        r = np.ones(given.n) if given.relevance is None else given.relevance
        links = links[given.crawl.pages]
        hubs = np.abs(np.linalg.eigh(links * r @ links.T)[1][:, -1])
        return links.T @ hubs / (links.T @ hubs).sum()
    r = np.full(given.n, 1 / given.n) if given.restart is None else given.restart
    degree = links.sum(axis=1, keepdims=True)
    steps = np.where(degree > 0, links / np.maximum(degree, 1), r)
    return np.linalg.solve(np.eye(given.n) - DAMPING * steps.T, (1 - DAMPING) * r)


@pytest.mark.parametrize("kind", [OursFromLog, OursFromEdges, Power])
@pytest.mark.parametrize(
    ("task", "restart"), [(PAGERANK, "uniform"), (PPR, "topic"), (PPR, "seeds")]
)
def test_walks_are_exact_with_the_tightest_setting(kind, task, restart):
    given, tool = problem(task, restart), kind()
    reference = exact(given)
    tool.prepare(given)
    scores = tool.rank(tool.build(given), given, tool.settings(given)[-1])
    assert error_of(scores, reference) <= 1e-6


@pytest.mark.parametrize("kind", [OursFromLog, OursFromEdges, Power, Svds])
@pytest.mark.parametrize("task", [HITS, TOPIC_HITS])
def test_authorities_are_exact_with_the_tightest_setting(kind, task):
    given, tool = problem(task), kind()
    reference = exact(given)
    tool.prepare(given)
    scores = tool.rank(tool.build(given), given, tool.settings(given)[-1])
    assert error_of(scores, reference) <= 1e-6


@pytest.mark.parametrize("kind", [OursWarm, OursLoose, OursPushes, OursSweeps])
@pytest.mark.parametrize("restart", ["uniform", "topic", "seeds"])
def test_a_grown_graph_is_ranked_exactly_from_the_ranking_before(kind, restart, monkeypatch):
    # `OursPushes` changes them for its own process.
    monkeypatch.setattr(pushes, "BUDGET", pushes.BUDGET)
    monkeypatch.setattr(pushes, "FORESIGHT", pushes.FORESIGHT)
    given, tool = problem(PPR, restart, tol=1e-4), kind()
    reference = exact(given)
    tool.prepare(given)
    scores = tool.rank(tool.build(given), given, 1e-4)
    assert len(scores) == given.n
    assert error_of(scores, reference) <= 1e-4
