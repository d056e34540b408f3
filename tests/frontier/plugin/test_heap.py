"""What a thread allocates while a process crawls lies where everything else does."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

ALLOCATES = """
import re, threading
import numpy as np
from frontier.plugin.heap import share_heap

if {shared}:
    share_heap()
made = []
thread = threading.Thread(target=lambda: made.append(np.empty(60_000, np.uint8)))
thread.start()
thread.join()
place = made[0].ctypes.data
heap = re.search(r"^(\\w+)-(\\w+) .*\\[heap\\]$", open("/proc/self/maps").read(), re.M)
print(int(heap[1], 16) <= place < int(heap[2], 16))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only there each has its own")
@pytest.mark.parametrize(
    ("shared", "told", "expected"),
    [(True, {}, "True"), (True, {"MALLOC_ARENA_MAX": "2"}, "False"), (False, {}, "False")],
)
def test_a_thread_has_no_heap_of_its_own(shared: bool, told: dict[str, str], expected: str) -> None:
    said = {
        name: value for name, value in os.environ.items() if name[:6] not in ("MALLOC", "GLIBC_")
    }
    command = [sys.executable, "-c", ALLOCATES.format(shared=shared)]
    done = subprocess.run(command, env=said | told, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
