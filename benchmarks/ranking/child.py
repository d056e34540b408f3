"""One tool, one problem, one process: `python -m benchmarks.ranking.child JOB`.

Prints one line of JSON: seconds to build and to rank, the true error, the peak memory meanwhile,
and the setting that was used; or why the tool cannot do it.
"""

from __future__ import annotations

import importlib
import json
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.ranking import meter
from benchmarks.ranking.jobs import Job, asked
from benchmarks.ranking.problems import error_of, problem_of
from benchmarks.ranking.tools.base import CannotError, Problem, Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Clock = Callable[[], float]


def main() -> None:
    job, more = asked()
    meter.pin(more["cores"])
    tool = _tool(more["tool"])
    clock = time.perf_counter if more["cores"] > 1 or more["wall"] else meter.seconds
    try:
        result = measure(tool, job, more["setting"], clock)
    except CannotError as error:
        result = {"cannot": str(error)}
    print(json.dumps(result))


def measure(tool: Tool, job: Job, setting: Any, clock: Clock) -> dict[str, Any]:
    """Build once; rank with the first setting that is exact enough, or with the one given."""
    problem = _given(tool, job)
    tool.prepare(problem)
    exact = np.load(job.reference)
    meter.reset_peak()
    began = clock()
    graph = tool.build(problem)
    build = clock() - began
    settings = tool.settings(problem) if setting is None else [setting]
    found = _first_exact(tool, graph, problem, settings, exact, clock)
    if tool.builds_late:
        build, found["rank"] = _apart(tool, graph, problem, build, found, clock)
    return {"build": build, **found, "n": problem.n}


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
    tool: Tool, graph: Any, problem: Problem, settings: Sequence[Any], exact: Any, clock: Clock
) -> dict[str, Any]:
    errors = []
    for setting in settings:
        began = clock()
        scores = tool.rank(graph, problem, setting)
        rank = clock() - began
        peak = meter.peak()
        errors.append(error_of(scores, exact))
        if errors[-1] <= problem.tol:
            return {
                "rank": rank,
                "peak": peak,
                "error": errors[-1],
                "setting": setting,
                "sweeps": tool.sweeps,
            }
    raise CannotError(
        f"its error is {min(errors):.1e} at best, in {len(errors)} settings to {settings[-1]}"
    )


def _apart(
    tool: Tool, graph: Any, problem: Problem, build: float, found: dict[str, Any], clock: Clock
) -> tuple[float, float]:
    """Seconds to build and to rank: what a second run on the same graph saves was building."""
    began = clock()
    tool.rank(graph, problem, found["setting"])
    again = min(clock() - began, found["rank"])
    return build + found["rank"] - again, again


def _tool(name: str) -> Tool:
    module, kind = name.split(":")
    tool: Tool = getattr(importlib.import_module(f"benchmarks.ranking.tools.{module}"), kind)()
    return tool


if __name__ == "__main__":
    main()
