"""The heap of a process that crawls: one, whatever threads there are.

The GNU C library gives each thread that allocates a heap of its own. Those of the re-ranks and of
name lookups are mostly holes, which nobody else may use: 5 MB after 10,000 pages. They gain nothing
by them, as they hardly ever allocate without Python's lock.
"""

from __future__ import annotations

import ctypes
import os
import sys

_M_ARENA_MAX = -8  # malloc.h
BY_HAND = "MALLOC_ARENA_MAX", "GLIBC_TUNABLES"
"""Environment variables by which it is told how many there may be."""


def share_heap() -> None:
    """Let threads that are started from now on use the main one's heap, where that can be told.

    Does nothing where whoever runs the process has said something about its heaps.
    """
    if sys.platform != "linux" or any(name in os.environ for name in BY_HAND):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # not in other C libraries
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
