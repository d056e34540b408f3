"""A line that shows how a crawl does while it runs.

The line goes to the log, soon at first, then every LOGSTATS_INTERVAL; with LOG_FILE to standard
error, where a terminal has it redrawn in its place each second.
"""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.extensions.closespider import CloseSpider

from frontier.inspection.outcome import FINDINGS
from frontier.plugin import compat
from frontier.plugin.extensions.base import Extension
from frontier.plugin.settings import value
from frontier.refresh.policy import OFF
from frontier.states import State
from ranking.printing import cut, shown, shown_lines

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

LONGEST_SECONDS = 60.0
"""Longest pause between two lines if LOGSTATS_INTERVAL is 0; each pause is twice the last."""
_RATE_LINES = 11
"""Lines over which the rate is averaged: a host's pause shows, a single page does not."""
_CLEAR = "\r\x1b[K"


class Progress(Extension):
    """Scrapy extension: with FRONTIER_PROGRESS, shows the state of the crawl."""

    switch = "FRONTIER_PROGRESS"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._pause = 1.0
        self._longest = settings.getfloat("LOGSTATS_INTERVAL") or LONGEST_SECONDS
        self._limit = settings.getint("CLOSESPIDER_PAGECOUNT")
        self._beside_log = bool(settings.get("LOG_FILE"))
        self._redrawn = self._beside_log and sys.stderr.isatty()
        self._is_opened = not self._beside_log
        self._seen: deque[tuple[float, int]] = deque(maxlen=_RATE_LINES)
        self._next: Any = None

    def spider_opened(self) -> None:
        """Show the first line after a second."""
        self._seen.append((time.monotonic(), self.session.figures.pages))
        self._next = compat.call_later(self._pause, self._show)

    def _show(self) -> None:
        line = self.line()
        self._show_opening()
        if self._redrawn:
            _write(_CLEAR + cut(line, shutil.get_terminal_size().columns - 1, ""))
        elif self._beside_log:
            _write(f"{line}\n")
        else:
            logger.info("%s", line)
        self._pause = 1.0 if self._redrawn else min(2 * self._pause, self._longest)
        self._next = compat.call_later(self._pause, self._show)

    def line(self) -> str:
        """The line for this moment."""
        figures = self.session.figures
        closing = self._crawler.get_extension(CloseSpider)
        responses = closing.counter["pagecount"] if closing else 0
        limit = f" ({responses:,}/{self._limit:,} responses)" if self._limit else ""
        revisited = revisits_of_run(self._crawler)
        done = figures.pages + revisited.get("revisits", 0)
        since, before = self._seen[0]
        self._seen.append((now := time.monotonic(), done))
        rate = max(done - before, 0) / (now - since) if now > since else 0.0
        parts = [f"{figures.pages:,} pages{limit}", f"{rate:.1f}/s"]
        if revisited:
            again = f"revisited {revisited['revisits']:,} (changed {revisited['changed']:,})"
            parts.append(f"new {figures.pages_of_run:,}, {again}")
        parts.append(f"frontier {figures.count(State.QUEUED):,}")
        harvest = figures.harvest
        share = harvest.recent_share()
        if share is not None:
            last = f"last {harvest.last()[1]}: {100 * share:.0f} % relevant"
            parts.append(f"relevant {harvest.relevant:,}, {last}")
        if figures.reranking:
            parts.append(f"re-rank {figures.epoch + 1:,} running")
        elif figures.epoch:
            parts.append(f"re-rank {figures.epoch:,}")
        return shown(" | ".join(parts))

    def _show_opening(self) -> None:
        """Show the first line of the log, once it is known, to a terminal that shows no log."""
        opening = self.session.frontier.opening
        if opening and not self._is_opened:
            self._is_opened = True
            _write(f"{_CLEAR * self._redrawn}{shown_lines(opening)}\n")

    def spider_closed(self) -> None:
        """Stop, and leave the terminal to the summary."""
        self._show_opening()
        if self._next is not None:
            self._next.cancel()
        if self._redrawn:
            _write(_CLEAR)


def revisits_of_run(crawler: Crawler) -> dict[str, int]:
    """The revisit counts of this run, by the last part of their stats; {} without revisits."""
    if value(crawler.settings, "FRONTIER_REFRESH") == OFF or crawler.stats is None:
        return {}
    stats = crawler.stats
    names = "revisits", "not_modified", *FINDINGS
    return {name: int(stats.get_value(f"frontier/refresh/{name}", 0)) for name in names}


def _write(text: str) -> None:
    with suppress(OSError):  # a closed terminal must not fail the crawl
        sys.stderr.write(text)
        sys.stderr.flush()
