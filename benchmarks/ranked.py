"""A ranking on disk or in memory, measured: `python -m benchmarks.ranked disk|memory|compare ...`.

What `python -m ranking rank` does, step by step, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from ranking.arrays import FloatArray
from ranking.offline import ScoreTable, columns_of, read_edges, run_method, write_scores
from ranking.offline.methods import DAMPING
from ranking.offline.names import Names
from ranking.offline.on_disk import question, run_on_disk, sorted_links
from ranking.offline.workdir import Input, WorkDirectory
from ranking.result import Ranking

METHOD = "pagerank"


def main() -> None:
    """Print what was measured as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ranked", description=__doc__)
    add = parser.add_argument
    add("what", choices=["disk", "memory", "compare"])
    add("edges", type=Path, help="a directory of Parquet; of `compare`, scores")
    add("scores", type=Path, help=".parquet, to be written; of `compare`, the others")
    add("--mebibytes", type=int, help="of memory (disk)")
    add("--tol", type=float)
    given = parser.parse_args()
    if given.what == "compare":
        print(json.dumps({"difference": difference(given.edges, given.scores)}))
        return
    steps = _Steps()
    if given.what == "disk":
        names, ranking = _on_disk(given, steps)
    else:
        names, ranking = _in_memory(given, steps)
    steps.end("rank")
    write_scores(given.scores, ScoreTable(names, columns_of(ranking)))
    steps.end("write")
    print(json.dumps({**steps.seconds, "iterations": ranking.iterations}))


class _Steps:
    """Seconds of each step, by the clock and of the CPU."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._began = time.monotonic(), time.process_time()

    def end(self, step: str) -> None:
        now = time.monotonic(), time.process_time()
        self.seconds[step] = now[0] - self._began[0]
        self.seconds[f"{step}_cpu"] = now[1] - self._began[1]
        self._began = now


def _on_disk(given: argparse.Namespace, steps: _Steps) -> tuple[Names, Ranking]:
    work = WorkDirectory(work_directory(given.scores))
    read = Input.of(str(given.edges), None, weighted=True, named=False)
    following = iter(("read", "sort"))
    links = sorted_links(
        *(read, work, given.mebibytes << 20),
        progress=None,
        said=lambda _: steps.end(next(following)),
    )
    ranking = run_on_disk(
        *(links.lists, METHOD, None),
        memory=given.mebibytes << 20,
        damping=DAMPING,
        tol=given.tol,
        checkpoint=work.checkpoint(question(METHOD, None, DAMPING), lambda *_: None),
    )
    return links.names, ranking


def _in_memory(given: argparse.Namespace, steps: _Steps) -> tuple[Names, Ranking]:
    edges = read_edges(given.edges)
    steps.end("read")
    names, graph = edges.names, edges.graph()
    del edges
    steps.end("sort")
    return names, run_method(graph, METHOD, damping=DAMPING, tol=given.tol)


def work_directory(scores: Path) -> Path:
    """Where links lie while they are ranked."""
    return scores.with_suffix(".work")


def difference(one: Path, other: Path) -> float:
    """L1 distance of two tables of scores, which hold the same names."""
    first, second = map(_by_name, (one, other))
    return float(np.abs(first - second).sum())


def _by_name(scores: Path) -> FloatArray:
    table = pq.read_table(scores)
    values: FloatArray = table["score"].to_numpy()[np.argsort(table["name"].to_numpy())]
    return values


if __name__ == "__main__":
    main()
