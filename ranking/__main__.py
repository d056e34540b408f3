"""`python -m ranking`: see ranking/offline/command.py."""

import os
import sys

from ranking.offline.command import main
from ranking.offline.files import silence

if __name__ == "__main__":
    status = main()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        silence(sys.stdout)
    # No shutdown of the interpreter: a thread in which pyarrow has read from Python's file may
    # still release it, and would end the process by an abort (CPython before 3.14).
    os._exit(status)
