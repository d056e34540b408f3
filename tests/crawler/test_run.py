"""`make crawl` lets its crawl stop in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_ctrl_c_ends_the_demonstration_in_order(tmp_path: Path, number: int) -> None:
    """The terminal sends Ctrl-C to all processes in front, SIGTERM goes to the one named."""
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
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0, out
    assert "The crawl was interrupted." in out
    assert f"JOBDIR={job}" in out.splitlines()[-1]
    assert "Traceback" not in out
    assert not (job / "frontier.sqlite-wal").exists()
