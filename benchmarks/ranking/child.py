"""One piece of work in a process of its own: `python -m benchmarks.ranking.child JOB`.

With a tool in the job: seconds of CPU to build and to rank, the true error, the peak memory
meanwhile, and the setting that was used; or why the tool cannot do it. Without one: the job's graph
and exact scores are made and kept. Prints one line of JSON.

The exact scores come from plain power iteration on the full equation, far from what is measured:
no lumping, no extrapolation. HITS needs more than that, since power iteration crawls where two
communities are about equally strong: ARPACK to machine precision, then a few power steps.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from benchmarks.ranking import graphs
from benchmarks.ranking.problems import (
    CACHE,
    CNR,
    CNR_PAGES,
    DAMPING,
    WALKS,
    Job,
    Problem,
    asked,
    error_of,
    problem_of,
)
from benchmarks.ranking.tools.base import CannotError, Tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.ranking.problems import Array

SECONDS = 180
"""Of CPU; a child that takes longer is ended by the kernel."""
MIB = 20 * 1024
_SPARE = 1024  # MiB left to the machine
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
EXACT = 1e-12
_ROUNDING = 300  # sweeps: 0.85^300 = 7e-22, so what is left is rounding
_POLISH = 5
_clock = time.process_time
"""Of this process on its core; what others do on the machine does not lengthen it."""


def main() -> None:
    job, more = asked()
    os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
    if "tool" not in more:
        print(json.dumps(prepared(job)))
        return
    most = min(MIB, _status(Path("/proc/meminfo"), "MemAvailable") - _SPARE) * 2**20
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (int(most), int(most)))
    try:
        result = measure(_tool(more["tool"]), job, more["setting"])
    except CannotError as error:
        result = {"cannot": str(error)}
    except MemoryError:
        result = {"cannot": f"over {most / 2**30:.0f} GB"}
    print(json.dumps(result))


def _status(path: Path, name: str) -> float:
    """MiB that a file of the kernel has under a name."""
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise LookupError(f"{path} has no {name}: this benchmark needs Linux")


def measure(tool: Tool, job: Job, setting: Any) -> dict[str, Any]:
    """Build once; rank with the first setting that is exact enough, or with the one given."""
    problem = _given(tool, job)
    tool.prepare(problem)
    exact = np.load(job.reference)
    _CLEAR.write_text("5", encoding="ascii")  # forget the peak so far: of loading
    began = _clock()
    graph = tool.build(problem)
    build = _clock() - began
    settings = tool.settings(problem) if setting is None else [setting]
    found = _first_exact(tool, graph, problem, settings, exact)
    if tool.builds_late:
        build, found["rank"] = _apart(tool, graph, problem, build, found)
    return {"build": build, **found, "total": build + found["rank"]}


def _given(tool: Tool, job: Job) -> Problem:
    if job.task in tool.refuses:
        raise CannotError(tool.refuses[job.task])
    problem = problem_of(job)
    if tool.most_links is not None and len(problem.targets) > tool.most_links:
        raise CannotError(f"holds at most {tool.most_links:,} links in the memory allowed")
    if job.before is not None and tool.warm:
        problem.start = np.zeros(problem.n)
        earlier = np.load(job.earlier.reference)
        problem.start[: len(earlier)] = earlier
    return problem


def _first_exact(
    tool: Tool, graph: Any, problem: Problem, settings: Sequence[Any], exact: Any
) -> dict[str, Any]:
    errors = []
    for setting in settings:
        began = _clock()
        scores = tool.rank(graph, problem, setting)
        rank = _clock() - began
        peak = _status(_STATUS, "VmHWM")
        errors.append(error_of(scores, exact))
        if errors[-1] <= problem.tol:
            return {"rank": rank, "peak": peak, "error": errors[-1], "setting": setting}
    raise CannotError(
        f"its error is {min(errors):.1e} at best, in {len(errors)} settings to {settings[-1]}"
    )


def _apart(
    tool: Tool, graph: Any, problem: Problem, build: float, found: dict[str, Any]
) -> tuple[float, float]:
    """Seconds to build and to rank: what a second run on the same graph saves was building."""
    began = _clock()
    tool.rank(graph, problem, found["setting"])
    again = min(_clock() - began, found["rank"])
    return build + found["rank"] - again, again


def _tool(name: str) -> Tool:
    module, kind = name.split(":")
    tool: Tool = getattr(importlib.import_module(f"benchmarks.ranking.tools.{module}"), kind)()
    return tool


def make_graph(job: Job) -> None:
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


def prepared(job: Job) -> dict[str, Any]:
    """Make the job's graph and exact scores unless they are there; says how large it is."""
    make_graph(job)
    counts = graphs.Crawl.load(CACHE / job.graph)
    pages = len(counts.pages) if job.pages is None else job.pages
    sizes = {"n": int(counts.known[pages]), "pages": pages, "links": int(counts.indptr[pages])}
    return {**sizes, "exact": reference(job)}


if __name__ == "__main__":
    main()
