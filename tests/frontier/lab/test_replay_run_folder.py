from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from frontier.errors import LabError
from frontier.lab.replay.records import RunRecord, Task
from frontier.lab.replay.run_folder import RunFolder, clear, code_digest
from tests.frontier.lab import replay_webs as webs

TASK = webs.task("bfs", targets=["x"])
COMMON = {"budget": 50, "web": "small", "fetching": {"delay": 0.0}}


def record_of(task: Task) -> RunRecord:
    return RunRecord(task.key, task.digest, task.budget, 1, "ph", (0, 1), (0.2, 0.4))


def test_a_record_that_was_kept_is_there_for_the_next_run(tmp_path: Path) -> None:
    first = RunFolder(tmp_path / "out", COMMON)
    assert first.record(TASK) is None
    first.keep(record_of(TASK))

    again = RunFolder(tmp_path / "out", COMMON)
    assert again.record(TASK) == record_of(TASK)
    assert again.record(replace(TASK, draw=1)) is None


def test_runs_of_other_arguments_are_not_mixed_in(tmp_path: Path) -> None:
    RunFolder(tmp_path, COMMON)

    with pytest.raises(LabError, match=r"budget was 50 and is now 60\. .*--fresh"):
        RunFolder(tmp_path, {**COMMON, "budget": 60})
    with pytest.raises(LabError, match="fetching was"):
        RunFolder(tmp_path, {**COMMON, "fetching": {"delay": 1.0}})
    with pytest.raises(LabError, match="code was null"):
        RunFolder(tmp_path, {**COMMON, "code": "new"})


def test_a_run_of_the_same_name_with_other_targets_is_refused(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, COMMON)
    folder.keep(record_of(TASK))

    with pytest.raises(LabError, match="other seeds, examples, targets or budget"):
        folder.record(replace(TASK, targets=frozenset()))


def test_a_record_that_cannot_be_read_is_run_again(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, COMMON)
    folder.keep(record_of(TASK))
    (file,) = (tmp_path / "runs").iterdir()
    file.write_bytes(file.read_bytes()[:40])

    assert folder.record(TASK) is None


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")

    with pytest.raises(LabError, match="holds other files"):
        RunFolder(tmp_path, COMMON)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")

    with pytest.raises(LabError, match="can be written"):
        RunFolder(tmp_path / "out", COMMON)


def test_begun_anew_the_old_runs_are_gone_and_other_files_stay(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "regret" / "ideal"):
        RunFolder(path, COMMON).keep(record_of(TASK))
    (tmp_path / "report.html").write_text("")
    clear(tmp_path)

    for path in (tmp_path, tmp_path / "regret" / "ideal"):
        assert RunFolder(path, {"budget": 1}).record(TASK) is None
    assert (tmp_path / "report.html").exists()


def test_the_code_has_a_digest_that_holds_still() -> None:
    assert code_digest() == code_digest()
