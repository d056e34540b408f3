"""Provisional scores after growth: `python -m benchmarks.ranking.provisional JOB`.

One residual push from each page fetched since the last ranking. Two ways are timed, each as a
whole: live scores, as a crawl keeps them, and a ranking of all ids at once.
"""

from __future__ import annotations

import json

import numpy as np

from benchmarks.ranking import meter
from benchmarks.ranking.jobs import asked
from benchmarks.ranking.problems import error_of, problem_of, restart_weights
from benchmarks.ranking.tools.ours import grown_after
from ranking.pagerank.live import LiveScores
from ranking.pagerank.pagerank import provisional


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
    live = LiveScores()
    live.take(earlier, 0.0)
    view = graph.snapshot()
    assert job.before is not None
    began = meter.seconds()
    live.grow(view.n, 0.0)
    new = view.pages[job.before :]
    live.gain(new, 1.0 if restart is None else restart[new])
    live.catch_up(view, job.before)
    lived = meter.seconds() - began
    stale = np.zeros(graph.n)
    stale[: len(earlier.scores)] = earlier.scores
    result = {
        "seconds": seconds,
        "live": lived,
        "live error": error_of(live.scores, exact),
        "pages": graph.n_pages - job.before,
        "urls": graph.n - len(earlier.scores),
        "error": error_of(scores, exact),
        "stale": error_of(stale, exact),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
