from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.config import CrawlConfig
from frontier.lab.replay import workers
from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.records import RunRecord, Task
from frontier.lab.replay.run_folder import RunFolder
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
    web: WebFile, out: Path, tasks: list[Task], jobs: int = 1
) -> tuple[list[RunRecord], list[tuple[int, int | None]]]:
    shown: list[tuple[int, int | None]] = []
    records = workers.run_all(
        tasks,
        web,
        Setup(CrawlConfig(vectors="off")),
        RunFolder(out, {}),
        jobs,
        lambda done, total: shown.append((done, total)),
    )
    return records, shown


def test_many_processes_come_to_the_same_as_one(web: WebFile, tmp_path: Path) -> None:
    one, _ = ran(web, tmp_path / "one", TASKS)
    many, shown = ran(web, tmp_path / "many", TASKS, jobs=2)

    assert many == one
    assert shown[-1] == (8, 8)


def test_what_is_there_is_not_run_again(
    web: WebFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, _ = ran(web, tmp_path / "all", TASKS)
    ran(web, tmp_path / "out", TASKS[:5])
    asked = []
    replay = workers.replay

    def counted(task: Task, *rest: object) -> RunRecord:
        asked.append(task)
        return replay(task, *rest)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(workers, "replay", counted)
    records, shown = ran(web, tmp_path / "out", TASKS)

    assert sorted(one.key for one in asked) == sorted(one.key for one in TASKS[5:])
    assert records == expected
    assert shown[0] == (5, 8)


def test_an_interrupt_keeps_what_is_done(
    web: WebFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = workers.replay
    asked: list[Task] = []

    def interrupted(task: Task, *rest: object) -> RunRecord:
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(task)
        return replay(task, *rest)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(workers, "replay", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ran(web, tmp_path / "out", TASKS)
    folder = RunFolder(tmp_path / "out", {})

    assert [task for task in asked if folder.record(task) is not None] == asked


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_wrong_with_a_task_is_told(web: WebFile, tmp_path: Path, jobs: int) -> None:
    tasks = [webs.task("fc-mean", words="", draw=draw) for draw in range(4)]

    with pytest.raises(TopicError, match="telling word"):
        ran(web, tmp_path / "out", tasks, jobs)
