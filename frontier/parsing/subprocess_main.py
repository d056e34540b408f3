"""``python -m frontier.parsing.subprocess_main SECONDS MEMORY``: reads the pages it is given.

Started by `frontier.parsing.subprocess_reader` and by nobody else. It ends when its input does, and
when a page takes much too long: also one whose crawl was killed.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

from frontier.parsing import subprocess_protocol
from frontier.parsing.dispatch import read_markup

_LONGER = 2.0
"""Times what a page may take: by then the crawl has ended this process, or is gone."""


def main(seconds: float, memory: int) -> None:
    """Answer questions about pages until there are no more."""
    _limit_memory(memory)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sink.write(subprocess_protocol.answer(None))
    sink.flush()
    while (asked := subprocess_protocol.read_question(source)) is not None:
        # No handler: the system ends the process, whatever it is in the middle of.
        signal.setitimer(signal.ITIMER_REAL, _LONGER * seconds + 1)
        sink.write(subprocess_protocol.answer(read_markup(*asked)))
        sink.flush()
        signal.setitimer(signal.ITIMER_REAL, 0)


def _limit_memory(most: int) -> None:
    with suppress(ImportError, OSError, ValueError):  # where the system knows no such limit
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
