"""How much is measured, and the preparation of every job."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from benchmarks.ranking import runs
from benchmarks.ranking.jobs import BIG, TENTH, Job
from benchmarks.ranking.runs import NETWORKX, Turns


@dataclass(frozen=True)
class Plan:
    """The synthetic graph, and how often the tools run.

    Attributes:
        pages: fetched pages of the graph.
        turns: of the tools.

    """

    pages: int
    turns: Turns

    @property
    def graph(self) -> str:
        """Its directory."""
        return f"synthetic-{self.pages}"

    def prepare(self, job: Job) -> str:
        """Make the job's graph and exact scores unless they are there; says how large it is."""
        if job.before is not None:
            self.prepare(job.earlier)
        if job not in _sizes:
            _sizes[job] = _prepared(job)
        return _sizes[job]


_sizes: dict[Job, str] = {}


def _prepared(job: Job) -> str:
    print(f"Preparing {job.graph} {job.pages or ''} {job.task} ...", file=sys.stderr, flush=True)
    size = runs.run_module("benchmarks.ranking.prepare", job)
    return (
        f"{size['n']:,} nodes, {size['pages']:,} of them fetched, {size['links']:,} links; "
        f"exact to {size['exact']:.0e}"
    )


QUICK = Plan(TENTH, Turns(2, patience=0.5, left_out=frozenset({NETWORKX})))
FULL = Plan(BIG, Turns(3, patience=15.0))
