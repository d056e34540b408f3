"""Room for arrays that grow: address space that takes no memory before it is used.

To grow an array is to copy it, and to copy 100 MB stalls a crawl for a tenth of a second. Linux
gives a process much more address space than there is memory and counts the pages that were
written to, so an array may have room for many times its values, and then it hardly ever moves.
Large rooms ask for huge pages: 2 MB are faster to get at once than as 512 pages of 4 kB.

Where address space itself is limited (ulimit -v) or counted as if it were used (overcommit mode
2), and on other systems, there is no such room.
"""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

HUGE = 2**31  # bytes of room; of the last huge page, 2 MB, half is not used: little of 32 MB
OVERCOMMIT = Path("/proc/sys/vm/overcommit_memory")
NEVER_OVERCOMMIT = "2"

if sys.platform == "linux":
    import resource

    MAP_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)  # Python names it from 3.13 on

    def reserve(size: int) -> mmap.mmap | None:
        """`size` bytes of zeros, released with the last array over them; None: not to be had."""
        if _is_counted():
            return None
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        try:
            room = mmap.mmap(-1, size, flags=flags)
        except OSError:
            return None
        if size >= HUGE:
            _advise_huge_pages(room)
        return room

    def _is_counted() -> bool:
        if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
            return True
        try:
            return OVERCOMMIT.read_text().strip() == NEVER_OVERCOMMIT
        except OSError:  # a sandbox that hides it
            return False

    def _advise_huge_pages(room: mmap.mmap) -> None:
        try:
            room.madvise(mmap.MADV_HUGEPAGE)
        except OSError:  # a kernel without them
            return

else:

    def reserve(size: int) -> None:
        """None: no other system is known to give room that is not counted."""
