"""Large arrays lie apart while a process crawls, and what its threads allocate in the heap."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from frontier.plugin.extensions.heap import BY_HAND

ALLOCATES = """
import re, threading
import numpy as np
from frontier.plugin.extensions.heap import OneHeap

if {tended}:
    OneHeap()
np.empty(2**22, np.uint8)  # taken and given back
made = [np.empty(2**20, np.uint8)]
thread = threading.Thread(target=lambda: made.append(np.empty(60_000, np.uint8)))
thread.start()
thread.join()
heap = re.search(r"^(\\w+)-(\\w+) .*\\[heap\\]$", open("/proc/self/maps").read(), re.M)
print(*(int(heap[1], 16) <= one.ctypes.data < int(heap[2], 16) for one in made))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only there each has its own")
@pytest.mark.parametrize(
    ("tended", "told", "expected"),
    [
        (True, {}, "False True"),
        (True, {"MALLOC_ARENA_MAX": "2"}, "True False"),
        (False, {}, "True False"),
    ],
)
def test_large_arrays_lie_apart_and_those_of_a_thread_in_the_heap(
    tended: bool, told: dict[str, str], expected: str
) -> None:
    said = {name: text for name, text in os.environ.items() if not name.startswith(BY_HAND)}
    command = [sys.executable, "-c", ALLOCATES.format(tended=tended)]
    done = subprocess.run(command, env=said | told, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
