"""A process of a Scrapy command, with its log in a file; it ends with its parent."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from crawler.demonstration import ROOT
from crawler.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class Process:
    """`scrapy ARGUMENTS`, which ends with its parent process.

    It has a session of its own, so that Ctrl-C reaches it only by `interrupt`, once.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        log: Path,
        environment: Mapping[str, str],
        *,
        prints: bool = False,
    ) -> None:
        """prints: its standard output goes to the terminal, not to the log."""
        self.name = name
        self.log = log
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "scrapy", *arguments],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=None if prints else file,
                stderr=file,
                start_new_session=True,
            )
        self._guard = Guard(self._process.pid, signal.SIGTERM)

    @property
    def running(self) -> bool:
        return self.code is None

    @property
    def code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        code = self._process.poll()
        if code is not None:
            self._guard.dismiss()
        return code

    def reason(self) -> list[str]:
        """The last line of its log about a failure, if there is any."""
        lines = self.log.read_text().splitlines()
        critical = [line.partition(" CRITICAL: ")[2] for line in lines if " CRITICAL: " in line]
        return critical[-1:] or lines[-1:]

    def interrupt(self) -> None:
        """Stop it in order, as Ctrl-C does."""
        self._send(signal.SIGINT)

    def kill(self) -> None:
        """End it as a crash does, and wait until it is gone."""
        self._send(signal.SIGKILL)
        self._process.wait()
        self._guard.dismiss()

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(number)
