from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from frontier.lab.replay.records import RunRecord, Task
from frontier.lab.replay.run_folder import RunFolder
from tests.frontier.lab import replay_webs as webs

TASK = webs.task("bfs", targets=["x"])
COMMON = {"budget": 50, "web": "small", "fetching": {"delay": 0.0}}


def record_of(task: Task) -> RunRecord:
    return RunRecord(task.key, task.digest, task.budget, 1, "ph", (0, 1))


def test_a_record_that_was_kept_is_there_for_the_next_run(tmp_path: Path) -> None:
    first = RunFolder(tmp_path / "out", COMMON)
    assert first.record(TASK) is None
    first.keep(record_of(TASK))

    again = RunFolder(tmp_path / "out", COMMON)
    assert again.record(TASK) == record_of(TASK)
    assert again.record(replace(TASK, draw=1)) is None


def test_runs_of_other_arguments_are_not_mixed_in_and_are_there_again(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, COMMON)
    folder.keep(record_of(TASK))

    assert RunFolder(tmp_path, {**COMMON, "budget": 60}).record(TASK) is None
    assert RunFolder(tmp_path, {**COMMON, "code": "new"}).record(TASK) is None
    assert RunFolder(tmp_path, COMMON).record(TASK) == record_of(TASK)


def test_a_run_of_the_same_name_with_other_targets_is_run_again(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, COMMON)
    folder.keep(record_of(TASK))

    assert folder.record(replace(TASK, targets=frozenset())) is None
    assert folder.record(replace(TASK, code="changed")) is None


def test_a_record_that_cannot_be_read_is_run_again(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, COMMON)
    folder.keep(record_of(TASK))
    (file,) = tmp_path.glob(f"runs/*/{TASK.key.name}.json")
    file.write_bytes(file.read_bytes()[:40])

    assert folder.record(TASK) is None
