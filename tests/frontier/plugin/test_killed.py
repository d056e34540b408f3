"""A crawl that is killed at any moment goes on as if nothing had happened."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from crawling import ROOT
from kept import Kept, Whole, anew, keeping, shim

SMALL, LARGE = 6, 60
RUNS = 200
AT_A_TIME = 2


def in_two(work: Callable[[int], None]) -> None:
    """Do work 0 and 1 at the same time."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(work, range(AT_A_TIME)))


def kill_at(kept: Kept, whole: Whole, kind: str, at: int) -> None:
    crawl = anew(kept, f"{kind}{at}")
    assert crawl.fault(kind, at) in (-signal.SIGKILL, 0), crawl.log
    crawl.finish()
    crawl.check(whole, interruptions=1)


def test_killed_at_some_writes_a_crawl_is_whole_after_the_next_run(tmp_path: Path) -> None:
    with keeping(tmp_path, SMALL, LD_PRELOAD=str(shim())) as kept:
        whole = kept.whole()
        assert len(whole.paths) == SMALL
        assert whole.writes > 50
        for share in (0.3, 0.6, 0.97):
            kill_at(kept, whole, "kill", round(share * whole.writes))
        kill_at(kept, whole, "tear", round(0.7 * whole.writes))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_at_any_write_a_crawl_is_whole_after_the_next_run(tmp_path: Path) -> None:
    """Before each write that a short crawl makes, and in the middle of every eighth."""

    def kill(worker: int) -> None:
        with keeping(tmp_path / str(worker), SMALL, LD_PRELOAD=str(shim())) as kept:
            whole = kept.whole()
            for at in range(1 + worker, whole.writes + 1, AT_A_TIME):
                kill_at(kept, whole, "kill", at)
                if at % 8 < AT_A_TIME:
                    kill_at(kept, whole, "tear", at)

    in_two(kill)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_200_kills_at_random_moments_lose_nothing(tmp_path: Path) -> None:
    def kill(worker: int) -> None:
        rng = random.Random(worker)
        runs = 0
        with keeping(tmp_path / str(worker), LARGE) as kept:
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
