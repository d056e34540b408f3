"""Provisional scores after growth: `python -m benchmarks.ranking.provisional JOB`.

One residual push from each page fetched since the last ranking; timed as a whole, for all the
pages and new URLs together.
"""

from __future__ import annotations

import json

import numpy as np

from benchmarks.ranking import meter
from benchmarks.ranking.jobs import asked
from benchmarks.ranking.problems import error_of, problem_of, restart_weights
from benchmarks.ranking.tools.ours import grown_after
from ranking.pagerank import provisional


def main() -> None:
    job, more = asked()
    meter.pin(more["cores"])
    problem = problem_of(job)
    graph, earlier = grown_after(problem)
    restart = restart_weights(problem.crawl, problem.restart_kind)
    exact = np.load(job.reference)
    began = meter.seconds()
    scores = provisional(graph, earlier, restart).scores
    seconds = meter.seconds() - began
    stale = np.zeros(graph.n)
    stale[: len(earlier.scores)] = earlier.scores
    assert job.before is not None
    result = {
        "seconds": seconds,
        "pages": graph.n_pages - job.before,
        "urls": graph.n - len(earlier.scores),
        "error": error_of(scores, exact),
        "stale": error_of(stale, exact),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
