"""The graph while the crawl writes it: `python -m benchmarks.ranking.growing JOB`.

Appends the whole crawl page by page, as the strategy does, and measures blocks of 10,000 links,
the memory that the graph then holds, and snapshots. Memory twice: what Python's allocator counts
(with `traced`, which is slow, so times of such a run mean nothing) and what the process holds.
"""

from __future__ import annotations

import json
import tracemalloc
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.ranking import meter
from benchmarks.ranking.graphs import Crawl
from benchmarks.ranking.jobs import CACHE, Job, asked
from ranking import LinkGraph

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK_LINKS = 10_000
_SNAPSHOTS = 100
_NOFOLLOW = 0.05


def main() -> None:
    job, more = asked()
    meter.pin(more["cores"])
    crawl = Crawl.load(CACHE / job.graph)
    # Imports and first use of everything, outside of what is counted.
    LinkGraph().append(0, np.array([1, 2], np.int32))
    print(json.dumps(measure(crawl, job, **more["options"])))


def measure(crawl: Crawl, job: Job, *, traced: bool, weighted: bool) -> dict[str, Any]:
    """Append the job's pages; seconds, MiB, and what a snapshot takes."""
    if traced:
        tracemalloc.start()
    before = meter.resident()
    graph = LinkGraph()
    assert job.pages is not None
    blocks = [_append(graph, block) for block in _blocks(crawl, job.pages, weighted=weighted)]
    held, most = (size / 2**20 for size in tracemalloc.get_traced_memory())
    process = meter.resident() - before
    seconds, copied = _snapshots(graph)
    return {
        "n": graph.n,
        "links": graph.n_links,
        "append": median(blocks),
        "append_worst": max(blocks),
        "append_total": sum(blocks),
        "held": held,
        "most": most,
        "process": process,
        "snapshot": seconds,
        "copied": copied,
        "one_page": _wide_page(graph),
    }


def _blocks(crawl: Crawl, pages: int, *, weighted: bool) -> Iterator[list[tuple[int, Any, Any]]]:
    """Rows of about 10,000 links, read ahead."""
    chance = np.random.default_rng(3)
    ends = np.searchsorted(crawl.indptr[: pages + 1], np.arange(0, crawl.indptr[pages], 10_000))
    for first, last in zip(ends, [*ends[1:], pages], strict=True):
        rows = []
        for row in range(first, last):
            targets = np.array(crawl.targets[crawl.indptr[row] : crawl.indptr[row + 1]])
            weights = (chance.random(len(targets)) > _NOFOLLOW) if weighted else None
            rows.append((int(crawl.pages[row]), targets, weights))
        yield rows


def _append(graph: LinkGraph, rows: list[tuple[int, Any, Any]]) -> float:
    began = meter.seconds()
    for page, targets, weights in rows:
        graph.append(page, targets, weights)
    return meter.seconds() - began


def _wide_page(graph: LinkGraph) -> float:
    """Seconds for one page with 10,000 links to known ids."""
    targets = np.random.default_rng(5).permutation(graph.n)[:_BLOCK_LINKS].astype(np.int32)
    return _append(graph, [(graph.n, targets, None)])


def _snapshots(graph: LinkGraph) -> tuple[float, float]:
    """Seconds of the median snapshot, and MiB that a hundred of them together hold."""
    seconds, kept = [], []
    before = meter.resident()
    for _ in range(_SNAPSHOTS):
        began = meter.seconds()
        kept.append(graph.snapshot())
        seconds.append(meter.seconds() - began)
    return median(seconds), meter.resident() - before


if __name__ == "__main__":
    main()
