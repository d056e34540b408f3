"""What the memory of this machine allows: `python -m benchmarks.ranking.machine JOB`.

A sweep reads the index of every link between fetched pages (4 bytes) and gathers one score
(8 bytes); whatever else it does, it cannot be faster than the memory delivers that. Two rates
bound it: of bytes in order, and of scores gathered from random places of a vector as long as the
scores of all fetched pages (sweeps) or of all ids (the last product, for the frontier).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.ranking import meter
from benchmarks.ranking.jobs import asked
from benchmarks.ranking.problems import crawl_of

if TYPE_CHECKING:
    from collections.abc import Callable

_COPIED = 256 * 2**20
_GATHERED = 2**24
_TRIALS = 5


def main() -> None:
    job, more = asked()
    meter.pin(more["cores"])
    crawl = crawl_of(job)
    fetched = np.zeros(crawl.n, np.bool_)
    fetched[crawl.pages[np.diff(crawl.indptr) > 0]] = True
    result = {
        "inner": int(np.count_nonzero(fetched[crawl.targets])),
        "links": crawl.n_links,
        "copy": _copy_rate(),
        "gather_pages": _gather_rate(len(crawl.pages)),
        "gather_ids": _gather_rate(crawl.n),
    }
    print(json.dumps(result))


def _copy_rate() -> float:
    """Bytes a second, read and written ones."""
    source, target = np.ones(_COPIED // 8), np.zeros(_COPIED // 8)
    return 2 * _COPIED / _quickest(lambda: np.copyto(target, source))


def _gather_rate(length: int) -> float:
    """Scores a second from random places of a vector of this length."""
    values, result = np.ones(length), np.empty(_GATHERED)
    places = np.random.default_rng(1).integers(0, length, _GATHERED)
    # "clip" writes straight into `result`; NumPy checks nothing else then.
    return _GATHERED / _quickest(lambda: values.take(places, out=result, mode="clip"))


def _quickest(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(_TRIALS):
        began = meter.seconds()
        work()
        seconds.append(meter.seconds() - began)
    return min(seconds)


if __name__ == "__main__":
    main()
