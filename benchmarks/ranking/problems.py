"""From a job to the arrays it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.ranking.graphs import Crawl
from benchmarks.ranking.jobs import CACHE, SEEDS, TOPIC, UNIFORM, Job
from benchmarks.ranking.tools.base import TOPIC_HITS, WALKS, Problem

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

_TRUSTED = 100


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
