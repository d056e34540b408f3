"""Child processes: started, limited in time, measured, and gone when the block ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
_LOG_TAIL = 3000
_TICK = 1 / os.sysconf("SC_CLK_TCK")


class BenchmarkError(Exception):
    """A child that failed; says what it printed last."""


class AbsentError(Exception):
    """What is not on this machine, without which something cannot be measured."""


@dataclass(frozen=True)
class Usage:
    """What a child took: seconds by the clock, CPU seconds, peak resident MiB."""

    seconds: float
    cpu: float
    peak: float


def run(command: Sequence[str], log: Path, timeout: float, **environment: str) -> Usage:
    """Run a child to its end; its output goes to `log`.

    Raises BenchmarkError if it fails or takes longer than `timeout` seconds.
    """
    began = time.monotonic()
    with log.open("wb") as output:
        child = subprocess.Popen(
            command,
            cwd=ROOT,
            # Modules are compiled once, as where the project is installed, not in each child.
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        timer = threading.Timer(timeout, child.kill)
        timer.start()
        try:
            # The wait that also tells what this one child used; Popen is told of the end below.
            _, status, used = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        finally:
            timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise BenchmarkError(
            f"{' '.join(command)} ended with {child.returncode} after "
            f"{time.monotonic() - began:.0f} s (limit {timeout:.0f} s):\n{_tail(log)}"
        )
    kibibytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Usage(time.monotonic() - began, used.ru_utime + used.ru_stime, kibibytes / 1024)


def run_module(
    module: str,
    arguments: Sequence[str],
    log: Path,
    timeout: float,
    python: str = sys.executable,
    **environment: str,
) -> dict[str, Any]:
    """Run a module of ours and return the JSON on the last line it prints, with its peak."""
    usage = run([python, "-m", module, *arguments], log, timeout, **environment)
    printed = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return {**json.loads(printed[-1]), "peak": usage.peak, "cpu": usage.cpu}


@contextmanager
def serving(module: str, arguments: Sequence[str]) -> Iterator[str]:
    """Run a module that prints its address once it serves; yields the line."""
    command = [sys.executable, "-m", module, *arguments]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        line = child.stdout.readline().strip()
        if not line:
            raise BenchmarkError(f"{' '.join(command)} ended before it served")
        yield line
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if child.stdout is not None:
            child.stdout.close()


def resident(pid: int) -> float:
    """Resident memory of a process in MiB; 0 when it has just ended."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) / 1024 if found else 0.0
    return 0.0


def cpu_of(pid: int) -> float:
    """Seconds of CPU of a process, its live children, and the children that it has waited for."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return sum(_times(pid)) + sum(sum(_times(int(child))[:2]) for child in children)


def _times(pid: int) -> list[float]:
    """User, system, and the two of children that are gone; zeros for a process that is."""
    with suppress(FileNotFoundError, ProcessLookupError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return [int(one) * _TICK for one in fields[11:15]]
    return [0.0] * 4


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:]
