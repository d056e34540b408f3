"""`python -m ranking`: see ranking/offline/command.py."""

import sys

from ranking.offline.command import main

if __name__ == "__main__":
    sys.exit(main())
