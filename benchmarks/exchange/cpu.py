"""CPU that processes have taken so far, as Linux tells it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_TICK = 1 / os.sysconf("SC_CLK_TCK")


def cpu_of(pid: int) -> float:
    """Seconds of a process, its live children, and the children that it has waited for."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return sum(_fields(pid)) + sum(sum(_fields(int(child))[:2]) for child in children)


def _fields(pid: int) -> list[float]:
    """User, system, and the two of children that are gone; zeros for a process that is."""
    with suppress(FileNotFoundError, ProcessLookupError):
        said = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return [int(one) * _TICK for one in said[11:15]]
    return [0.0] * 4
