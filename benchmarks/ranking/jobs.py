"""What a child is asked to measure. Imports nothing large: the parent needs it too."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.children import ROOT

CACHE = ROOT / "build" / "benchmarks"
CNR = ROOT.parent / "shared" / "graphs" / "cnr-2000.edges.xz"
CNR_PAGES = "cnr-2000"

TENTH, BIG = 100_000, 1_000_000
"""Fetched pages of the synthetic crawls; about ten times as many ids and 45 times as many links."""
GROWTH = (0.001, 0.003, 0.01, 0.03, 0.1)

UNIFORM, TOPIC, SEEDS = "uniform", "topic", "seeds"


def grown(pages: int, share: float) -> int:
    """Number of pages after a crawl of so many grew by a share."""
    return pages + round(pages * share)


@dataclass(frozen=True)
class Job:
    """One task on one graph.

    Attributes:
        graph: directory below CACHE.
        pages: how many of its rows count; None: all.
        task: as in `tools.base`.
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
