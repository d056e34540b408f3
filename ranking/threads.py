"""Two cores for one kernel: the same work in two halves, which release the GIL.

Work is split by size alone, never by the number of cores: results are the same to the last bit on
every machine, and on one core the halves simply follow each other.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

Result = TypeVar("Result")


def in_halves(work: Callable[[int], Result]) -> tuple[Result, Result]:
    """work(0) and work(1), at the same time where there are two cores for this process."""
    if available_cores() < 2:
        return work(0), work(1)
    other = _pool().submit(work, 1)
    try:
        first = work(0)
    finally:
        # Not before the other half has let go of the arrays.
        second = other.result()
    return first, second


def available_cores() -> int:
    """Number of cores this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="ranking")


if hasattr(os, "register_at_fork"):
    # A child has no such thread, and would wait for it for ever.
    os.register_at_fork(after_in_child=_pool.cache_clear)
