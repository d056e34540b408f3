"""Many runs over several processes; each is written down as soon as it is over.

Runs of one case (web, variant, topic and draw) that differ by strategy only go to one process, one
after the other: they fetch many of the same pages, and what the topic model said of one is said
once. A process keeps the header of each web and the judgements of one case, no more. Whatever
happens, nobody waits for more than the runs that are under way: an interrupt is noticed between two
runs.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.errors import LabError
from frontier.lab.replay.judges import Memory
from frontier.lab.replay.running import replay
from frontier.lab.replay.webfile import WebFile

if TYPE_CHECKING:
    from frontier.lab.replay.contestants import Setup
    from frontier.lab.replay.records import RunRecord, Task
    from frontier.lab.replay.run_folder import RunFolder
    from ranking.offline.lines import Progress


@dataclass
class _Worker:
    """What a process keeps between cases."""

    webs: Mapping[str, WebFile]
    setup: Setup
    folder: RunFolder
    stopped: Callable[[], bool]

    def run(self, case: Iterable[Task]) -> Iterator[Task]:
        """Run the tasks of one case, and yield each when its record is kept."""
        memory = Memory()
        for task in case:
            if self.stopped():
                return
            self.folder.keep(replay(task, self.webs[task.web], self.setup, memory))
            yield task


_worker: _Worker
_count: Any
"""Runs that all processes have finished."""
_LOOK = 0.5
"""Seconds after which the parent looks how far they are."""


def usable_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_all(
    tasks: list[Task],
    webs: Mapping[str, WebFile],
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
        done = len(tasks) - len(missing)
        if progress is not None:
            progress(done, len(tasks))
        for finished in _finished(_cases(missing, jobs), webs, setup, folder, jobs):
            done += finished
            if progress is not None:
                progress(done, len(tasks))
    records = [folder.record(task) for task in tasks]
    assert None not in records, "every task was run"
    return [record for record in records if record is not None]


def _cases(tasks: list[Task], jobs: int) -> list[list[Task]]:
    """Tasks that go to one process, cut smaller where there would be too few for all processes."""
    ordered = sorted(tasks, key=lambda task: task.key)
    cases = [list(group) for _, group in groupby(ordered, key=lambda task: task.key[:-1])]
    if jobs == 1 or len(cases) >= 2 * jobs:
        return cases
    return [[task] for task in tasks]


def _finished(
    cases: list[list[Task]],
    webs: Mapping[str, WebFile],
    setup: Setup,
    folder: RunFolder,
    jobs: int,
) -> Iterator[int]:
    """Yield how many runs were finished, from time to time."""
    if jobs == 1 or len(cases) < 2:
        worker = _Worker(webs, setup, folder, lambda: False)
        for case in cases:
            for _ in worker.run(case):
                yield 1
        return
    # Not forked: the parent may have threads. A started process opens the webs on its own.
    context = multiprocessing.get_context("spawn")
    stop, count = context.Event(), context.Value("l", 0)
    paths = {name: web.path for name, web in webs.items()}
    given = paths, setup, folder, stop, count
    with ProcessPoolExecutor(min(jobs, len(cases)), context, _start, given) as pool:
        try:
            seen = 0
            for done in _dealt(cases, pool, jobs, count):
                yield done - seen
                seen = done
        except BrokenProcessPool as error:
            raise LabError(
                "a process of the lab was killed, perhaps for want of memory. What was finished "
                "is kept: give the same command again, with --jobs 1 to use less memory"
            ) from error
        finally:
            stop.set()


def _dealt(
    cases: list[list[Task]], pool: ProcessPoolExecutor, jobs: int, count: Any
) -> Iterator[int]:
    """Deal the cases out, no more than are worked on; yield how many runs are over."""
    left = iter(cases)
    pending = {pool.submit(_run, case) for case in islice(left, jobs)}
    while pending:
        ready, pending = wait(pending, _LOOK, FIRST_COMPLETED)
        for one in ready:
            one.result()
        pending |= {pool.submit(_run, case) for case in islice(left, len(ready))}
        yield count.value


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


def _start(
    paths: Mapping[str, Path], setup: Setup, folder: RunFolder, stop: Any, count: Any
) -> None:
    global _worker, _count
    # Ctrl-C reaches all processes of a terminal; the parent says when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    webs = {name: WebFile(path, name) for name, path in paths.items()}
    parent = multiprocessing.parent_process()
    assert parent is not None, "runs in a process of the pool"
    # A parent that was killed cannot say when to stop.
    _worker = _Worker(webs, setup, folder, lambda: stop.is_set() or not parent.is_alive())
    _count = count


def _run(case: list[Task]) -> None:
    with _quiet():
        for _ in _worker.run(case):
            with _count.get_lock():
                _count.value += 1
