"""How a crawl that stops before its end goes on: one line, whatever stopped it.

A closed terminal (SIGHUP) is taken as a request to stop, like Ctrl-C and SIGTERM, instead of
killing the process; where somebody chose to ignore it (nohup), it stays ignored.
"""

from __future__ import annotations

import atexit
import logging
import shlex
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from frontier.plugin import compat

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_HANGUP = getattr(signal, "SIGHUP", None)


def how_to_go_on(settings: BaseSettings) -> str:
    """Return how to resume this crawl, in words and as a command."""
    if not settings.get("JOBDIR"):
        return "it cannot go on, for it had no JOBDIR: give -s JOBDIR=DIR the next time"
    return f"to go on, run again: {resume_command(settings)}"


def resume_command(settings: BaseSettings) -> str:
    """The command that goes on with a crawl that has a JOBDIR, for a shell in this directory."""
    # Scrapy takes its command's name out of sys.argv.
    return str(settings.get("FRONTIER_RESUME_COMMAND") or "") or command_line(sys.orig_argv)


def command_line(arguments: Sequence[str]) -> str:
    """Return what was typed, of the arguments that the interpreter was started with."""
    if Path(arguments[1]).stem == "scrapy":
        # A script is started by its path, also where its name alone was typed.
        return shlex.join([_typed(arguments[1]), *arguments[2:]])
    return shlex.join(arguments)


def this_scrapy() -> str:
    """How a shell in this directory starts the scrapy of this environment."""
    script = Path(sys.executable).with_name("scrapy")
    if not script.exists():
        return shlex.join([sys.executable, "-m", "scrapy"])
    return shlex.quote(_typed(str(script)))


def _typed(path: str) -> str:
    """What stands for a program: its name where that finds it, else a path, short if it can be."""
    if shutil.which(Path(path).name) == path:
        return Path(path).name
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


class Resuming:
    """Scrapy extension: says how to go on, and stops in order when the terminal is closed."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._closed = True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.getbool("FRONTIER_RESUME_HINT"):
            raise NotConfigured
        extension = cls(crawler)
        crawler.signals.connect(extension.open, signals.spider_opened)
        crawler.signals.connect(extension.start, signals.engine_started)
        crawler.signals.connect(extension.close, signals.spider_closed)
        return extension

    def open(self) -> None:
        """Be told when the process ends without having closed the spider: by a second Ctrl-C."""
        self._closed = False
        atexit.register(self._stopped)

    def start(self) -> None:
        """Take over SIGHUP as soon as Scrapy has taken over SIGTERM, which is a moment later."""
        compat.call_later(0, _stop_on_hangup)

    def close(self, spider: Spider, reason: str) -> None:
        """Say how to go on, unless nothing is left to do."""
        self._closed = True
        atexit.unregister(self._stopped)
        if reason != "finished":
            logger.info(
                "The crawl is not finished (%s); %s", reason, how_to_go_on(self._crawler.settings)
            )

    def _stopped(self) -> None:
        if not self._closed:
            logger.info(
                "The crawl was stopped at once, what was in flight is fetched again; %s",
                how_to_go_on(self._crawler.settings),
            )


def _stop_on_hangup() -> None:
    handled = signal.getsignal(signal.SIGTERM)
    if _HANGUP is None or not callable(handled):
        return  # whoever runs the crawl takes care of signals
    if signal.getsignal(_HANGUP) == signal.SIG_DFL:
        try:
            signal.signal(_HANGUP, _as_termination)
        except ValueError:
            logger.debug("Not the main thread: a closed terminal ends the crawl at once")


def _as_termination(_: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    if callable(handler):
        handler(signal.SIGTERM, frame)
