"""A re-rank beside a crawl: `python -m benchmarks.ranking.beside JOB`.

One thread of Python runs as fast as it can, as a crawl does, alone and while another ranks. A
kernel that releases the lock leaves a second core to it.
"""

from __future__ import annotations

import json
import threading
import time
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.ranking import meter
from benchmarks.ranking.jobs import asked
from benchmarks.ranking.problems import crawl_of, restart_weights
from benchmarks.ranking.tools.base import DAMPING
from benchmarks.ranking.tools.ours import log_of
from ranking import pagerank

if TYPE_CHECKING:
    from collections.abc import Callable

_ALONE = 1.0
_RANKINGS = 5


def main() -> None:
    job, more = asked()
    meter.pin(more["cores"])
    crawl = crawl_of(job)
    graph, restart = log_of(crawl), restart_weights(crawl, job.restart)
    ends = time.perf_counter() + _ALONE
    alone, _ = _pace(lambda: time.perf_counter() < ends)
    shares, seconds = [], []
    for _ in range(_RANKINGS):
        ranker = threading.Thread(target=pagerank, args=(graph, restart, DAMPING, job.tol))
        ranker.start()
        beside, took = _pace(ranker.is_alive)
        shares.append(beside / alone)
        seconds.append(took)
    print(json.dumps({"share": median(shares), "beside": median(seconds)}))


def _pace(goes_on: Callable[[], bool]) -> tuple[float, float]:
    """Steps a second of a busy Python thread while it goes on, and the seconds."""
    steps, began = 0, time.perf_counter()
    while goes_on():
        for _ in range(100):
            steps += 1
    seconds = time.perf_counter() - began
    return steps / seconds, seconds


if __name__ == "__main__":
    main()
