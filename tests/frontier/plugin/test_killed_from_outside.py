"""A crawl that is killed from outside, at any moment, goes on as if nothing had happened."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.kept import AT_A_TIME, TURNS, anew, in_turns_of, in_two, keeping
from tests.support.scrapy_forks import ROOT

SMALL, LARGE = 6, 60
RUNS = 70


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("turn", TURNS)
def test_70_kills_at_random_moments_lose_nothing(tmp_path: Path, turn: int) -> None:
    def kill(worker: int) -> None:
        rng = random.Random(worker)
        runs = 0
        with keeping(tmp_path / str(worker), LARGE, *in_turns_of(turn)) as kept:
            whole = kept.whole()
            while runs < RUNS // AT_A_TIME:
                crawl = anew(kept, f"killed{runs}")
                ended = None
                while ended != 0 and runs < RUNS:
                    process = crawl.start()
                    time.sleep(rng.uniform(0.05, 0.9))
                    process.send(signal.SIGKILL)
                    ended = process.wait()
                    assert ended in (0, -signal.SIGKILL), crawl.log
                    runs += 1
                crawl.finish()
                crawl.check(whole, interruptions=crawl.runs)

    in_two(kill)


@pytest.mark.slow
def test_killed_by_strace_at_system_calls_a_crawl_is_whole_after_the_next_run(
    tmp_path: Path,
) -> None:
    """As the kernel sees the calls, with nothing of ours in the process."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("there is no strace on this machine")
    calls = "pwrite64,fdatasync,fsync,ftruncate,unlink,rename"
    with keeping(tmp_path, SMALL) as kept:
        whole = kept.whole()
        for at in (1, 9, 20, 27, 35, 60, 90, 120):
            crawl = anew(kept, f"strace{at}")
            inject = f"inject={calls}:signal=KILL:when={at}"
            traced = [strace, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", inject]
            command = [*traced, sys.executable, "-m", "scrapy", *crawl.arguments()]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if "ptrace" in done.stderr or "not permitted" in done.stderr:
                pytest.skip(f"strace may not trace here: {done.stderr[-200:]}")
            crawl.finish()
            crawl.check(whole, interruptions=1)
