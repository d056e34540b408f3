"""What a tool is asked, and how it answers.

A tool builds its own graph from the arrays of links, then ranks. How far it may stop from the
truth differs from tool to tool, so each names its settings from loose to tight; the loosest one
whose true error is small enough counts, which favours the peers: ours always runs with the
tolerance it promises to keep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from benchmarks.ranking.graphs import Crawl

    Array = npt.NDArray[Any]

PAGERANK, PPR, HITS, TOPIC_HITS = "pagerank", "ppr", "hits", "topic-hits"
WALKS = (PAGERANK, PPR)
DAMPING = 0.85


class CannotError(Exception):
    """The tool cannot do this; says why."""


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


class Tool:
    """A library, or a few lines on top of one."""

    name: ClassVar[str]
    refuses: ClassVar[Mapping[str, str]] = {}
    """Task -> why the tool cannot do it."""
    most_links: ClassVar[int | None] = None
    """Beyond so many links the graph does not fit in the memory allowed."""
    warm: ClassVar[bool] = False
    """Whether it can start from earlier scores."""
    builds_late: ClassVar[bool] = False
    """Whether the first `rank` of a graph builds what later ones reuse."""

    sweeps: int | None = None
    """Iterations of the last `rank`, where it tells."""

    def settings(self, problem: Problem) -> Sequence[Any]:
        """Stopping rules from loose to tight; JSON values."""
        raise NotImplementedError

    def prepare(self, problem: Problem) -> None:
        """Whatever is there before the clock starts."""

    def build(self, problem: Problem) -> Any:
        """Make the tool's graph of the links."""
        raise NotImplementedError

    def rank(self, graph: Any, problem: Problem, setting: Any) -> Array:
        """Scores (n,): of a surfer, or the authorities; any scale."""
        raise NotImplementedError


def tolerances(loosest: float, steps: int = 12) -> list[float]:
    """Settings a factor of about 3 apart: 1e-5, 3e-6, 1e-6 ..."""
    return [loosest * 10 ** -(i // 2) * (0.3 if i % 2 else 1) for i in range(steps)]
