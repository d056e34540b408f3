"""The heap of a process that crawls: one, and without the holes that large arrays leave.

The GNU C library gives each thread that allocates a heap of its own. Those of the re-ranks and of
name lookups are mostly holes, which nobody else may use, and they gain nothing by them: they hardly
ever allocate without Python's lock. And whenever it gives a large block back, it puts blocks up to
that size among the small ones from then on, where their place is kept. Both together are 15 MB
after 20,000 pages. It is for a process that does nothing but crawl: others may have threads that
allocate at the same time.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h
_APART = 2**18  # bytes: most pages and their texts are shorter, the arrays of a re-rank longer
_SPARE = 2**20  # bytes that are not given back, lest each page asks for them again
BY_HAND = "MALLOC_", "GLIBC_TUNABLES"
"""How environment variables begin by which the process is told about its heaps."""


class OneHeap:
    """Lets threads that are started from now on use the main one's heap, where that can be told.

    Does nothing where whoever runs the process has said something about its heaps.
    """

    def __init__(self) -> None:
        _tend()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension."""
        return cls()


def _tend() -> None:
    if sys.platform != "linux" or any(name.startswith(BY_HAND) for name in os.environ):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # not in other C libraries
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_MMAP_THRESHOLD, _APART)
        mallopt(_M_TRIM_THRESHOLD, _SPARE)
