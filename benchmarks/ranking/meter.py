"""What a measuring child does to itself: one core, and its own peak memory."""

from __future__ import annotations

import os
import time
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def pin(cores: int = 1) -> None:
    """Stay on the last `cores` cores: the first one serves interrupts and the parent."""
    available = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, available[-cores:])


def seconds() -> float:
    """Of this process on its core; what others do on the machine does not lengthen them."""
    return time.process_time()


def reset_peak() -> None:
    """Forget the peak so far: it was of loading what the crawl or the caller has already."""
    _CLEAR.write_text("5", encoding="ascii")


def peak() -> float:
    """Largest resident MiB since `reset_peak`."""
    return _status("VmHWM")


def resident() -> float:
    """Resident MiB that are not files."""
    return _status("RssAnon")


def _status(name: str) -> float:
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise LookupError(f"{_STATUS} has no {name}: this benchmark needs Linux")
