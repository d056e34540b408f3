"""`scrapy` with samples of what is at work: `python -m benchmarks.sampled crawl ...`.

Counts by part (`benchmarks.profile.PARTS`) are written as JSON to the file that SAMPLES names.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.cmdline import execute

from benchmarks.profile import PARTS

if TYPE_CHECKING:
    from types import FrameType

_EVERY = 0.001
*_NAMED, _REST = PARTS


def part_of(frame: FrameType | None) -> str:
    """The innermost part that a frame belongs to."""
    while frame is not None:
        name = frame.f_code.co_qualname if sys.version_info >= (3, 11) else _qualified(frame)
        for part in _NAMED:
            if name.startswith(PARTS[part]):
                return part
        frame = frame.f_back
    return _REST


def _qualified(frame: FrameType) -> str:
    """The name of a function with that of its class, as Python 3.10 lets one guess it."""
    owner = frame.f_locals.get("self")
    name = frame.f_code.co_name
    return name if owner is None else f"{type(owner).__name__}.{name}"


def main() -> None:
    counted: Counter[str] = Counter()
    signal.signal(signal.SIGPROF, lambda _, frame: counted.update([part_of(frame)]))
    signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)
    try:
        execute(["scrapy", *sys.argv[1:]])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        Path(os.environ["SAMPLES"]).write_text(json.dumps(counted), encoding="utf-8")


if __name__ == "__main__":
    main()
