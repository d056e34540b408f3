"""When the scores are recomputed, beside the crawl.

A re-rank is due after `pages` fetched pages or after the crawl grew by `growth`, whichever comes
first, but never sooner than `min_pages` after the last. It runs in one thread beside the crawl; its
result is installed half an interval of pages after it began. By this fixed distance a crawl
repeats: only a re-rank that takes longer is installed late, and late ones are counted.
"""

from __future__ import annotations

import logging
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ranking.result import WalkRanking

if TYPE_CHECKING:
    from collections.abc import Callable

    from ranking import Ranking

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RerankSchedule:
    """How many fetched pages lie between two re-ranks."""

    pages: int = 5000
    growth: float = 0.02
    """Share of the fetched pages: scores that are 2 % old order the top as fresh ones do, and the
    cost a page stays constant."""
    min_pages: int = 10

    def interval(self, fetched: int) -> int:
        """Pages from a re-rank at `fetched` pages to the next one."""
        return max(1, min(self.pages, max(self.min_pages, int(self.growth * fetched))))


@dataclass
class RerankFigures:
    """Figures of the re-ranks of this run."""

    done: int = 0
    failed: int = 0
    late: int = 0
    seconds: float = 0.0
    iterations: int = 0
    pushed: int = 0
    residual: float = 0.0


class Reranker:
    """Starts re-ranks and gives their results; never two at once.

    Invariant: `_job` is set exactly while a result is awaited or not yet taken.
    """

    def __init__(self, schedule: RerankSchedule, executor: Executor | None = None) -> None:
        self.schedule = schedule
        self.figures = RerankFigures()
        self._executor = executor or ThreadPoolExecutor(1, thread_name_prefix="re-rank")
        self._job: Future[tuple[dict[str, Ranking], float]] | None = None
        self._due_at = schedule.interval(0)
        self._install_at = 0
        self._late = False

    @property
    def running(self) -> bool:
        """Whether a re-rank is under way or waits to be installed."""
        return self._job is not None

    def resume(self, fetched: int) -> None:
        """Go on from a stored crawl whose scores are as old as its last page."""
        self._due_at = fetched + self.schedule.interval(fetched)

    def is_due(self, fetched: int) -> bool:
        """Whether to start one now, with `fetched` pages."""
        return self._job is None and fetched >= self._due_at

    def start(self, fetched: int, rank: Callable[[], dict[str, Ranking]]) -> None:
        """Compute `rank()` beside the crawl."""
        interval = self.schedule.interval(fetched)
        self._due_at = fetched + interval
        self._install_at = fetched + max(1, interval // 2)
        self._job = self._executor.submit(_timed, rank)

    def is_overdue(self, fetched: int) -> bool:
        """Whether a result is due, with `fetched` pages, and not ready."""
        return self._job is not None and fetched >= self._install_at and not self._job.done()

    def take(self, fetched: int) -> dict[str, Ranking] | None:
        """Return the result of a re-rank once it may be installed, else None.

        A re-rank that raised is logged and forgotten: the crawl goes on with the old scores.
        """
        job = self._job
        if job is None or fetched < self._install_at:
            return None
        if not job.done():
            self._install_at = fetched + 1
            self._late = True
            return None
        self._job = None
        return self._result(job)

    def stop(self) -> None:
        """Start no more re-ranks."""
        self._due_at = sys.maxsize

    def close(self) -> None:
        """Wait for the re-rank under way and stop the thread."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._job = None

    def _result(self, job: Future[tuple[dict[str, Ranking], float]]) -> dict[str, Ranking] | None:
        figures = self.figures
        figures.late += self._late
        self._late = False
        try:
            rankings, seconds = job.result()
        except Exception:
            figures.failed += 1
            logger.exception("A re-rank failed; the crawl continues with the previous scores")
            return None
        figures.done += 1
        figures.seconds += seconds
        for name, ranking in rankings.items():
            figures.iterations = ranking.iterations
            figures.residual = ranking.residual
            figures.pushed = ranking.pushed if isinstance(ranking, WalkRanking) else 0
            if not ranking.converged:
                logger.warning(
                    "Re-rank %d: %s did not converge in %d iterations, residual %.2g",
                    figures.done,
                    name,
                    ranking.iterations,
                    ranking.residual,
                )
        return rankings


def _timed(
    rank: Callable[[], dict[str, Ranking]],
) -> tuple[dict[str, Ranking], float]:
    began = time.perf_counter()
    return rank(), time.perf_counter() - began
