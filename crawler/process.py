"""A command of Scrapy beside others: its log in a file, its end in the hands of who started it."""

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
    """`scrapy ARGUMENTS`, which ends when the process that started it does.

    In a session of its own: Ctrl-C reaches it by `interrupt` alone, once.
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
        """prints: what it writes to standard output is for the terminal, not for the log."""
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
        """What its log says last of why it failed: a line, or none."""
        lines = self.log.read_text().splitlines()
        critical = [line.partition(" CRITICAL: ")[2] for line in lines if " CRITICAL: " in line]
        return critical[-1:] or lines[-1:]

    def interrupt(self) -> None:
        """Ask it to stop in order, as Ctrl-C does."""
        self._send(signal.SIGINT)

    def kill(self) -> None:
        """End it as a crash does, and wait until it is gone."""
        self._send(signal.SIGKILL)
        self._process.wait()
        self._guard.dismiss()

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(number)
