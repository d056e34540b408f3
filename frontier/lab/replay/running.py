"""One task, replayed: from what is asked to what came of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from frontier.lab.replay.contestants import HIDE, frontier_of
from frontier.lab.replay.crawl import ReplayedCrawl
from frontier.lab.replay.judges import Memory
from frontier.lab.replay.parsing import ROBOTS
from frontier.lab.replay.records import RunRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.lab.replay.contestants import RobotsReader, Setup
    from frontier.lab.replay.records import Task
    from frontier.lab.replay.webfile import WebFile


def replay(task: Task, web: WebFile, setup: Setup, memory: Memory | None = None) -> RunRecord:
    """Crawl a recorded web as a task says.

    `memory` holds what other runs of the same case left behind, and takes what this one leaves.
    Raises TopicError where the topic gives nothing to learn from.
    """
    began = time.process_time()
    frontier = frontier_of(task, web, setup, Memory() if memory is None else memory)
    targets = {web.find(url) for url in task.targets} - {-1}
    allowed = _allowed(web, setup.robots)
    read = web.read_recorded if setup.unrecorded == HIDE else web.read
    crawl = ReplayedCrawl(web, frontier, targets, setup.politeness, setup.retries, read, allowed)
    try:
        frontier.seed([number for url in task.seeds if (number := web.find(url)) >= 0])
        crawl.run(task.budget)
        passed_over = frontier.passed_over
    finally:
        frontier.close()
    return RunRecord(
        key=task.key,
        digest=task.digest,
        budget=task.budget,
        n_targets=len(targets),
        outcomes="".join(crawl.outcomes),
        urls=tuple(crawl.urls),
        times=tuple(crawl.times),
        refused=crawl.refused,
        passed_over=passed_over,
        seconds=round(time.process_time() - began, 3),
        code=task.code,
    )


def _allowed(web: WebFile, reader: RobotsReader | None) -> Callable[[str], bool]:
    """What the recorded robots.txt files say; hosts without one allow everything."""
    if reader is None:
        return lambda _: True
    rules = {host: reader(body) for host, body in web.extra.get(ROBOTS, {}).items()}

    def allowed(url: str) -> bool:
        rule = rules.get(urlsplit(url).netloc)
        return rule is None or rule(url)

    return allowed
