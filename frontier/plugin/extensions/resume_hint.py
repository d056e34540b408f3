"""How a crawl that stops before its end goes on: one line, whatever stopped it.

A closed terminal (SIGHUP) is taken as a request to stop, like Ctrl-C and SIGTERM, instead of
killing the process; where somebody chose to ignore it (nohup), it stays ignored.
"""

from __future__ import annotations

import atexit
import logging
import signal
from typing import TYPE_CHECKING

from frontier.plugin import compat
from frontier.plugin.extensions.extension import Extension
from frontier.plugin.resume_command import how_to_go_on

if TYPE_CHECKING:
    from types import FrameType

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_HANGUP = getattr(signal, "SIGHUP", None)


class ResumeHint(Extension):
    """Scrapy extension: says how to go on, and stops in order when the terminal is closed."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._closed = True

    def spider_opened(self) -> None:
        """Be told when the process ends without having closed the spider: by a second Ctrl-C."""
        self._closed = False
        atexit.register(self._stopped)

    def engine_started(self) -> None:
        """Take over SIGHUP as soon as Scrapy has taken over SIGTERM, which is a moment later."""
        compat.call_later(0, _stop_on_hangup)

    def spider_closed(self, reason: str) -> None:
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
