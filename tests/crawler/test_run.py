"""`make crawl` lets its crawl stop in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.told import tells

ROOT = Path(__file__).resolve().parents[2]
BY_HAND = {
    name: value
    for name, value in os.environ.items()
    if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
}
"""The environment of a terminal, also where make has started the tests."""


def test_ctrl_c_ends_the_demonstration_in_order(tmp_path: Path) -> None:
    """The terminal sends it to all processes in front."""
    job = tmp_path / "job"
    command = [sys.executable, "-m", "crawler.run", "--dir", str(job), "--pages", "3000"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 60
        feed = job / "pages.jsonl"
        while not (feed.exists() and feed.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0, out
    assert "interrupted" in out
    assert f"for the directory {job}" in out.splitlines()[-2]
    assert out.splitlines()[-1] == f"To look at it, open {job / 'crawl.html'}"
    assert (job / "crawl.html").stat().st_size
    assert "Traceback" not in out
    assert not (job / "frontier.sqlite-wal").exists()


@pytest.mark.slow
def test_the_same_command_goes_on_and_the_ones_that_are_printed_look_into_the_crawl(
    tmp_path: Path,
) -> None:
    job = tmp_path / "a job"
    words = [sys.executable, "-m", "crawler.run", "--pages", "5", "--dir", str(job)]
    for earlier in ("", " with earlier runs"):
        done = subprocess.run(
            words,
            cwd=ROOT,
            env=BY_HAND,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        fetched = next(line for line in done.stdout.splitlines() if "pages fetched" in line)
        assert earlier in fetched
    revisit = next(line for line in done.stdout.splitlines() if " frontier stats " in line)
    assert (
        subprocess.run(revisit, shell=True, cwd=ROOT, capture_output=True, check=False).returncode
        == 0
    )


def run_in(folder: Path, module: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a module of the project from elsewhere, to its end."""
    return subprocess.run(
        [sys.executable, "-m", module, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_files_are_found_from_where_the_command_is_given(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://127.0.0.1:9/\n")
    options = ["--seeds", "seeds.txt", "--strategy", "bfs", "--dir", "job", "--pages", "1"]
    done = run_in(tmp_path, "crawler.run", *options)
    # The seed was read, and its address is none of the internet's: nothing is fetched.
    assert done.returncode == 1
    kept, watched, told = done.stderr.splitlines()
    assert kept == f"The crawl is kept in {tmp_path / 'job'}"
    assert watched.endswith(f" frontier watch {tmp_path / 'job'}")
    assert told.startswith("strategy bfs")
    assert "FRONTIER_ALLOW_NETWORKS" in done.stdout
    assert (tmp_path / "job" / "frontier.sqlite").exists()


@pytest.mark.parametrize(
    ("module", "option"),
    [
        ("crawler.run", "--pages=1e3"),
        ("crawler.shared", "--pages=-5"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2_before_anything_starts(
    tmp_path: Path, module: str, option: str
) -> None:
    done = run_in(tmp_path, module, option)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert option.partition("=")[2] in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_make_names_a_variable_that_it_does_not_know() -> None:
    command = ["make", "-n", "crawl", "SEED=seeds.txt"]
    done = subprocess.run(
        command, cwd=ROOT, env=BY_HAND, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert tells(done.stderr, "SEED", "SEEDS", "TOPIC")
