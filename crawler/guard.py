"""A process that is to end with the one that started it, however that ends."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

# A pipe is at its end when nobody holds the other one: killed processes close theirs, too.
_WATCH = 'read -r dismissed || { kill -s "$1" "$2"; [ -z "$3" ] || { sleep 1; rm -rf "$3"; }; }'


class Guard:
    """Sends a signal to another process when this one is gone.

    `dismiss` it once the other has ended.
    """

    def __init__(self, pid: int, signal: int, folder: Path | None = None) -> None:
        """`folder`: removed a second later."""
        arguments = str(int(signal)), str(pid), str(folder or "")
        # In a session of its own: it must outlive what Ctrl-C and closed terminals end.
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "guard", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """Let the guard go; does nothing where it has gone."""
        if self._shell.returncode is None:
            with suppress(BrokenPipeError):
                self._shell.communicate(b"dismissed\n")
