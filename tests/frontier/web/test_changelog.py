"""Change logs that are read, made of git histories, or made up."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from frontier.errors import RecordingError
from frontier.web.changelog import DAY, git_changes, made_up, read_change_log

URL = "http://h.example/"


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "log.tsv"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_a_window_of_a_log_has_the_pages_that_were_there_and_their_changes(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        *(f"5\tA\t{URL}old", f"8\tD\t{URL}old"),
        *(f"5\tA\t{URL}a", f"12\tM\t{URL}a", f"19\tM\t{URL}a", f"25\tM\t{URL}a"),
        *(f"15\tA\t{URL}b", f"18\tD\t{URL}b"),
        f"21\tA\t{URL}late",
    )
    log = read_change_log(path, begin=10, seconds=10)
    assert log.urls == (f"{URL}a", f"{URL}b")
    assert log.born.tolist() == [0, 5]
    assert log.gone.tolist() == [np.inf, 8]
    assert (log.times.tolist(), log.pages.tolist()) == ([2, 9], [0, 0])


@pytest.mark.parametrize("line", ["x\tA\turl", "1\tX\turl", "1\tA", "nan\tA\turl"])
def test_a_line_that_is_no_change_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(RecordingError, match="line 2: expected seconds"):
        read_change_log(written(tmp_path, f"1\tA\t{URL}", line), 0, 10)


def test_a_window_without_pages_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="expected pages from 100 to 110"):
        read_change_log(written(tmp_path, f"500\tA\t{URL}"), 100, 10)


def test_without_a_window_a_log_is_from_its_first_change_to_its_last(tmp_path: Path) -> None:
    path = written(tmp_path, f"10\tA\t{URL}a", f"40\tM\t{URL}a", f"20\tA\t{URL}b")
    whole, end = read_change_log(path), read_change_log(path, seconds=15)
    assert (whole.seconds, whole.born.tolist(), whole.times.tolist()) == (30, [0, 10], [30])
    assert (end.seconds, end.born.tolist(), end.times.tolist()) == (15, [0, 0], [15])


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"absent\.tsv cannot be read"):
        read_change_log(tmp_path / "absent.tsv")


@pytest.mark.parametrize("bursty", [False, True])
def test_what_is_made_up_is_the_same_for_ever_and_all_of_it_changes(*, bursty: bool) -> None:
    log, again = (made_up([f"{URL}{n}" for n in range(50)], 900, 7, bursty=bursty) for _ in "ab")
    assert log.times.tolist() == again.times.tolist() == sorted(log.times)
    assert 0 < log.times[0] < log.times[-1] < log.seconds == 900 * DAY
    assert len(set(log.pages.tolist())) > 30


def git(repository: Path, *words: str, at: int = 0) -> None:
    named = ("-c", "user.name=A", "-c", "user.email=a@a.example")
    date = {"GIT_COMMITTER_DATE": f"@{at} +0000", "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(repository), *named, *words]
    subprocess.run(command, check=True, capture_output=True, env=date | {"PATH": "/usr/bin:/bin"})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three commits: two pages and a picture, one page changed, and it moved."""
    git(tmp_path, "init", "-q")
    (tmp_path / "docs" / "a").mkdir(parents=True)
    for name in ("a/index.md", "b c.md", "picture.png"):
        (tmp_path / "docs" / name).write_text(name)
    (tmp_path / "README.md").write_text("outside")
    for at, change in ((100, ""), (200, "changed"), (300, "moved")):
        if change == "changed":
            (tmp_path / "docs" / "b c.md").write_text("more")
        if change == "moved":
            (tmp_path / "docs" / "b c.md").rename(tmp_path / "docs" / "123")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "x", at=at)
    return tmp_path


def test_of_a_git_history_each_file_is_a_page_and_each_commit_a_change(repository: Path) -> None:
    lines = list(git_changes(repository, "docs", "https://x.example/"))
    assert lines == [
        "100\tA\thttps://x.example/a/index.md",
        "100\tA\thttps://x.example/b%20c.md",
        "100\tA\thttps://x.example/picture.png",
        "200\tM\thttps://x.example/b%20c.md",
        "300\tA\thttps://x.example/123",
        "300\tD\thttps://x.example/b%20c.md",
    ]


def test_endings_say_which_files_are_pages_and_are_left_out(repository: Path) -> None:
    lines = list(git_changes(repository, "/docs/", "http://x.example", ".md"))
    assert [line.rpartition("/")[2] for line in lines] == ["", "b%20c", "b%20c", "b%20c"]
    assert lines[0] == "100\tA\thttp://x.example/a/"


def test_what_is_no_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="expected a git repository"):
        list(git_changes(tmp_path, "", "http://x.example"))
