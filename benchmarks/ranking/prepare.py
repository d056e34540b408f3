"""Graphs and exact scores, computed once and kept: `python -m benchmarks.ranking.prepare`.

The exact scores come from plain power iteration on the full equation, far from what is measured:
no lumping, no extrapolation. HITS needs more than that, since power iteration crawls where two
communities are about equally strong: ARPACK to machine precision, then a few power steps.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from benchmarks.ranking import graphs
from benchmarks.ranking.jobs import CACHE, CNR, CNR_PAGES, Job, asked
from benchmarks.ranking.problems import problem_of
from benchmarks.ranking.tools.base import DAMPING, WALKS, Problem

if TYPE_CHECKING:
    from benchmarks.ranking.tools.base import Array

EXACT = 1e-12
_ROUNDING = 300  # sweeps: 0.85^300 = 7e-22, so what is left is rounding
_POLISH = 5


def graph(job: Job) -> None:
    """Make the job's graph unless it is there."""
    directory = CACHE / job.graph
    if graphs.is_saved(directory):
        return
    if job.graph == CNR_PAGES:
        crawl = graphs.read_edges(CNR)
    else:
        crawl = graphs.synthetic(int(job.graph.rpartition("-")[2]))
    crawl.save(directory)
    for stale in directory.glob("exact-*"):
        stale.unlink()


def reference(job: Job) -> float:
    """Compute the job's exact scores unless they are there; returns a bound on their error."""
    bound = job.reference.with_suffix(".json")
    if not bound.is_file():
        problem = problem_of(job)
        scores, error = (_walk if job.task in WALKS else _hits)(problem)
        np.save(job.reference, scores)
        bound.write_text(json.dumps(error), encoding="utf-8")
    error = json.loads(bound.read_text(encoding="utf-8"))
    return float(error)


def _walk(problem: Problem) -> tuple[Array, float]:
    degree = np.bincount(problem.sources, minlength=problem.n)
    shape = problem.n, problem.n
    shares = DAMPING / degree[problem.sources]
    matrix = csr_matrix((shares, (problem.targets, problem.sources)), shape)
    r = np.full(problem.n, 1 / problem.n) if problem.restart is None else problem.restart
    x, bound = r, np.inf
    for _ in range(_ROUNDING):
        following = matrix @ x
        following += (1 - following.sum()) * r
        # ‖x' − x*‖ ≤ c / (1 − c) ‖x' − x‖: the map contracts by c.
        bound = DAMPING / (1 - DAMPING) * float(np.abs(following - x).sum())
        x = following
        if bound <= EXACT:
            break
    return x / x.sum(), bound


def _hits(problem: Problem) -> tuple[Array, float]:
    r = np.ones(problem.n) if problem.relevance is None else problem.relevance
    pages, rows = np.unique(problem.sources, return_inverse=True)
    shape = len(pages), problem.n
    ones = np.ones(len(rows))
    links = csr_matrix((ones, (rows, problem.targets)), shape)
    rooted = csr_matrix((np.sqrt(r)[problem.targets], (rows, problem.targets)), shape)
    left, values, _ = svds(rooted, 2, v0=np.ones(len(pages)), tol=0)
    second, first = np.sort(values**2)
    a = _unit(links.T @ np.abs(left[:, np.argmax(values)]))
    change = np.inf
    for _ in range(_POLISH):
        following = _unit(links.T @ (links @ (r * a)))
        change, a = float(np.abs(following - a).sum()), following
    return a, change * max(1.0, second / (first - second))


def _unit(values: Any) -> Array:
    scaled: Array = values / values.sum()
    return scaled


def main() -> None:
    job, _ = asked()
    graph(job)
    counts = graphs.Crawl.load(CACHE / job.graph)
    pages = len(counts.pages) if job.pages is None else job.pages
    sizes = {"n": int(counts.known[pages]), "pages": pages, "links": int(counts.indptr[pages])}
    exact = reference(job) if job.task else None
    print(json.dumps({**sizes, "exact": exact}))


if __name__ == "__main__":
    main()
