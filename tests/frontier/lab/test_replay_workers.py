from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.config import CrawlConfig
from frontier.lab.replay import workers
from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.records import RunRecord, Task
from frontier.lab.replay.webfile import WebFile
from ranking.errors import TopicError
from tests.frontier.lab import replay_webs as webs

PAGES = {
    "": webs.page("1", "2", text="comet"),
    "1": webs.page("3", text="comet"),
    "2": webs.page("4"),
    "3": webs.page(),
    "4": webs.page(),
}
TASKS = [
    webs.task(row, targets=["3"], draw=draw)
    for draw in range(2)
    for row in ("bfs", "fc-mean", "best-first", "greedy-oracle")
]


@pytest.fixture
def web(tmp_path: Path) -> Iterator[WebFile]:
    with webs.made(tmp_path, PAGES) as made:
        yield made


def ran(
    web: WebFile, tasks: list[Task], jobs: int = 1
) -> tuple[list[RunRecord], list[tuple[int, int | None]]]:
    shown: list[tuple[int, int | None]] = []
    records = workers.run_all(
        tasks,
        web,
        Setup(CrawlConfig(vectors="off")),
        jobs,
        lambda done, total: shown.append((done, total)),
    )
    return records, shown


def test_many_processes_come_to_the_same_as_one(web: WebFile) -> None:
    one, _ = ran(web, TASKS)
    many, shown = ran(web, TASKS, jobs=2)

    assert many == one
    assert shown[-1] == (8, 8)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_wrong_with_a_task_is_told(web: WebFile, jobs: int) -> None:
    tasks = [webs.task("fc-mean", words="", draw=draw) for draw in range(4)]

    with pytest.raises(TopicError, match="telling word"):
        ran(web, tasks, jobs)
