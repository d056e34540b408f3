"""Many runs in several processes.

Runs of a case (web, variant, topic and draw), which differ only by their strategy, go to one
process, one after the other: they fetch many of the same pages, and the topic model's judgement of
a page is kept for the next run.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.errors import LabError
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.own_orders import Memory
from frontier.lab.replay.webfile import WebFile

if TYPE_CHECKING:
    from frontier.lab.replay.contestants import Setup
    from frontier.lab.replay.records import RunKey, RunRecord, Task
    from ranking.offline.extras import Progress

_run_here: Callable[[list[Task]], list[RunRecord]]
"""Runs the tasks of a case in a process of the pool."""


def run_all(
    tasks: list[Task], web: WebFile, setup: Setup, jobs: int, progress: Progress | None = None
) -> list[RunRecord]:
    """Run tasks and return their records, in order.

    Raises TopicError or LabError if a task cannot be run.
    """
    cases = _cases(tasks, jobs)
    finished = _pooled if jobs > 1 and len(cases) > 1 else _in_turn
    records: dict[RunKey, RunRecord] = {}
    for runs in finished(cases, web, setup, jobs):
        records |= {record.key: record for record in runs}
        if progress is not None:
            progress(len(records), len(tasks))
    return [records[task.key] for task in tasks]


def _cases(tasks: list[Task], jobs: int) -> list[list[Task]]:
    """Tasks by process: those of a case, or single tasks if there are too few cases."""
    ordered = sorted(tasks, key=lambda task: task.key)
    cases = [list(group) for _, group in groupby(ordered, key=lambda task: task.key[:-1])]
    if jobs == 1 or len(cases) >= 2 * jobs:
        return cases
    return [[task] for task in tasks]


def _in_turn(
    cases: list[list[Task]], web: WebFile, setup: Setup, jobs: int
) -> Iterator[list[RunRecord]]:
    """Run the cases in this process."""
    _log_errors_only()
    for case in cases:
        memory = Memory()
        for task in case:
            yield [replay(task, web, setup, memory)]


def _pooled(
    cases: list[list[Task]], web: WebFile, setup: Setup, jobs: int
) -> Iterator[list[RunRecord]]:
    """Run the cases in other processes."""
    # Not forked, as the parent may have threads. A process opens the web by itself.
    context = multiprocessing.get_context("spawn")
    given = web.path, web.name, setup
    with ProcessPoolExecutor(min(jobs, len(cases)), context, _start, given) as pool:
        try:
            for future in as_completed([pool.submit(_run_case, case) for case in cases]):
                yield future.result()
        except BrokenProcessPool as error:
            raise LabError(
                "a process of the lab was killed, perhaps out of memory. Give the command again "
                "with --jobs 1 to use less memory"
            ) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _start(path: Path, name: str, setup: Setup) -> None:
    """Prepare a process of the pool."""
    global _run_here
    # Ctrl-C reaches all processes of a terminal; the parent ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _log_errors_only()
    web = WebFile(path, name)

    def run(case: list[Task]) -> list[RunRecord]:
        memory = Memory()
        return [replay(task, web, setup, memory) for task in case]

    _run_here = run


def _run_case(case: list[Task]) -> list[RunRecord]:
    return _run_here(case)


def _log_errors_only() -> None:
    """Silence the warnings of re-ranks that end at their limit: there would be thousands."""
    logging.getLogger("frontier.strategy.rerank").setLevel(logging.ERROR)
