"""Many runs over several processes; each is written down as soon as it is over.

Runs of one case (web, variant, topic and draw) that differ by strategy only go to one process, one
after the other: they fetch many of the same pages, and what the topic model said of one is kept
for the next. An interrupt is noticed between two runs.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.errors import LabError
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.judges import Memory
from frontier.lab.replay.webfile import WebFile

if TYPE_CHECKING:
    from frontier.lab.replay.contestants import Setup
    from frontier.lab.replay.records import RunRecord, Task
    from frontier.lab.replay.run_folder import RunFolder
    from ranking.offline.extras import Progress

_work: Callable[[list[Task]], None]
"""What a process of the pool does with a case."""
_LOOK = 0.5
"""Seconds after which the parent looks how far the others are."""


def run_all(
    tasks: list[Task],
    web: WebFile,
    setup: Setup,
    folder: RunFolder,
    jobs: int,
    progress: Progress | None = None,
) -> list[RunRecord]:
    """Run the tasks that the folder has no record of, and return the records of all, in order.

    Raises TopicError or LabError where a task cannot be run; what was run by then is kept, as it
    is on KeyboardInterrupt.
    """
    with _quiet():
        missing = [task for task in tasks if folder.record(task) is None]
        before = len(tasks) - len(missing)
        for done in _finished(_cases(missing, jobs), web, setup, folder, jobs):
            if progress is not None:
                progress(before + done, len(tasks))
    return [record for task in tasks if (record := folder.record(task)) is not None]


def _cases(tasks: list[Task], jobs: int) -> list[list[Task]]:
    """Tasks that go to one process, cut smaller where there would be too few for all processes."""
    ordered = sorted(tasks, key=lambda task: task.key)
    cases = [list(group) for _, group in groupby(ordered, key=lambda task: task.key[:-1])]
    if jobs == 1 or len(cases) >= 2 * jobs:
        return cases
    return [[task] for task in tasks]


def _finished(
    cases: list[list[Task]], web: WebFile, setup: Setup, folder: RunFolder, jobs: int
) -> Iterator[int]:
    """Run the cases; yield how many runs are over, from time to time."""
    yield 0
    if jobs == 1 or len(cases) < 2:
        runs = (task for case in cases for task in _run(case, web, setup, folder))
        yield from (done for done, _ in enumerate(runs, start=1))
        return
    # Not forked: the parent may have threads. A started process opens the web on its own.
    context = multiprocessing.get_context("spawn")
    stop, count = context.Event(), context.Value("l", 0)
    given = web.path, web.name, setup, folder, stop, count
    with ProcessPoolExecutor(min(jobs, len(cases)), context, _start, given) as pool:
        try:
            pending = {pool.submit(_run_here, case) for case in cases}
            while pending:
                ready, pending = wait(pending, _LOOK, FIRST_COMPLETED)
                for one in ready:
                    one.result()
                yield count.value
        except BrokenProcessPool as error:
            raise LabError(
                "a process of the lab was killed, perhaps out of memory. Finished runs are kept: "
                "give the same command again, with --jobs 1 to use less memory"
            ) from error
        finally:
            stop.set()
            # Waits, also for processes that only just start: they need what is shared with them.
            pool.shutdown(cancel_futures=True)


def _run(
    case: Iterable[Task],
    web: WebFile,
    setup: Setup,
    folder: RunFolder,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Task]:
    """Run the tasks of one case, and yield each when its record is kept."""
    memory = Memory()
    for task in case:
        if stopped():
            return
        folder.keep(replay(task, web, setup, memory))
        yield task


@contextmanager
def _quiet() -> Iterator[None]:
    """Log what is wrong only: a re-rank that ends at its limit is no news among thousands."""
    logger = logging.getLogger("frontier.strategy.rerank")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _start(path: Path, name: str, setup: Setup, folder: RunFolder, stop: Any, count: Any) -> None:
    global _work
    # Ctrl-C reaches all processes of a terminal; the parent says when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    web = WebFile(path, name)
    parent = multiprocessing.parent_process()
    assert parent is not None, "runs in a process of the pool"

    def work(case: list[Task]) -> None:
        # A parent that was killed cannot say when to stop.
        stopped = lambda: stop.is_set() or not parent.is_alive()  # noqa: E731
        with _quiet():
            for _ in _run(case, web, setup, folder, stopped):
                with count.get_lock():
                    count.value += 1

    _work = work


def _run_here(case: list[Task]) -> None:
    _work(case)
