"""A guard ends a process when its parent has ended in any way."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

# A pipe ends when no process holds its other end; a killed process closes its own.
_WATCH = 'read -r dismissed || { kill -s "$1" "$2"; [ -z "$3" ] || { sleep 1; rm -rf "$3"; }; }'


class Guard:
    """Sends a signal to another process when this one is gone.

    Call `dismiss` when the other process has ended.
    """

    def __init__(self, pid: int, signal: int, folder: Path | None = None) -> None:
        """`folder` is removed a second after the signal."""
        arguments = str(int(signal)), str(pid), str(folder or "")
        # In a session of its own, to outlive Ctrl-C and closed terminals.
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "guard", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """End the guard; does nothing if it has ended."""
        if self._shell.returncode is None:
            with suppress(BrokenPipeError):
                self._shell.communicate(b"dismissed\n")
