"""What is measured: a job for a child, and the arrays that it is about."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.children import ROOT
from benchmarks.ranking.graphs import Crawl

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

CACHE = ROOT / "build" / "benchmarks"
CNR = ROOT.parent / "shared" / "graphs" / "cnr-2000.edges.xz"
CNR_PAGES = "cnr-2000"

TENTH, BIG = 100_000, 1_000_000
"""Fetched pages of the synthetic crawls; about ten times as many ids and 45 times as many links."""

UNIFORM, TOPIC, SEEDS = "uniform", "topic", "seeds"
PAGERANK, PPR, HITS, TOPIC_HITS = "pagerank", "ppr", "hits", "topic-hits"
WALKS = (PAGERANK, PPR)
DAMPING = 0.85
_TRUSTED = 100


@dataclass(frozen=True)
class Job:
    """One task on one graph.

    Attributes:
        graph: directory below CACHE.
        pages: how many of its rows count; None: all.
        task: PAGERANK, PPR, HITS or TOPIC_HITS.
        restart: UNIFORM, TOPIC (relevance of the fetched pages) or SEEDS (the first hundred ids).
        tol: true L1 error allowed.
        before: number of rows when the scores to start from were made; None: cold.

    """

    graph: str
    pages: int | None
    task: str
    restart: str
    tol: float
    before: int | None = None

    @property
    def reference(self) -> Path:
        """Where the exact scores are."""
        kind = self.task if "hits" in self.task else f"walk-{self.restart}"
        return CACHE / self.graph / f"exact-{kind}-{self.pages or 'all'}.npy"

    @property
    def earlier(self) -> Job:
        """The job that made the scores to start from."""
        return Job(self.graph, self.before, self.task, self.restart, self.tol)

    def text(self, **more: Any) -> str:
        """As an argument for a child."""
        return json.dumps({**asdict(self), **more})


def asked() -> tuple[Job, dict[str, Any]]:
    """The job on this child's command line, and what else stands there."""
    given = json.loads(sys.argv[1])
    job = Job(**{name: given.pop(name) for name in Job.__dataclass_fields__})
    return job, given


@dataclass
class Problem:
    """One graph and what to compute on it.

    Attributes:
        task: PAGERANK, PPR, HITS or TOPIC_HITS.
        crawl: the rows, for whoever has them as a crawl has.
        sources: (L,) int32 page of each link, in crawl order.
        targets: (L,) int32.
        n: number of ids.
        restart: (n,) restart vector with sum 1; None: uniform.
        relevance: (n,) weights of authorities; None: all 1.
        tol: the true L1 error allowed.
        before: number of rows when the earlier scores were made; None: cold.
        restart_kind: how the restart vector was made, to make the earlier one.
        start: (n,) earlier scores to start from, for tools that can.

    """

    task: str
    crawl: Crawl
    sources: Array
    targets: Array
    n: int
    restart: Array | None
    relevance: Array | None
    tol: float
    before: int | None
    restart_kind: str
    start: Array | None = None

    def forget_links(self) -> None:
        """For who has them in a log: the arrays are what the peers start from."""
        self.crawl = self.crawl.first(0)
        self.sources = self.targets = self.sources[:0].copy()


def crawl_of(job: Job) -> Crawl:
    """The rows the job is about."""
    stored = Crawl.load(CACHE / job.graph)
    return stored.first(len(stored.pages) if job.pages is None else job.pages)


def problem_of(job: Job) -> Problem:
    """The job's graph as arrays of links, and what is to be computed."""
    crawl = crawl_of(job)
    return Problem(
        task=job.task,
        crawl=crawl,
        sources=crawl.sources(),
        targets=crawl.targets,
        n=crawl.n,
        restart=restart_of(crawl, job.restart) if job.task in WALKS else None,
        relevance=crawl.relevance if job.task == TOPIC_HITS else None,
        tol=job.tol,
        before=job.before,
        restart_kind=job.restart,
    )


def restart_weights(crawl: Crawl, kind: str) -> Array | None:
    """Restart weights (n,) that stay what they are while the crawl grows; None: uniform."""
    if kind == UNIFORM:
        return None
    r = np.zeros(crawl.n)
    if kind == TOPIC:
        r[crawl.pages] = crawl.relevance[crawl.pages]
    else:
        assert kind == SEEDS, kind
        r[:_TRUSTED] = 1
    return r


def restart_of(crawl: Crawl, kind: str) -> Array | None:
    """The restart vector (n,) with sum 1; None: uniform."""
    r = restart_weights(crawl, kind)
    return None if r is None else r / r.sum()


def error_of(scores: Array, exact: Array) -> float:
    """L1 distance of what a tool found, brought to sum 1, to the exact scores."""
    return float(np.abs(scores / scores.sum() - exact).sum())
