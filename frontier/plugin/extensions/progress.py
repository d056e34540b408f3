"""One line that shows live progress: in the log, or on the terminal where the log goes to a file.

In the log it comes soon at first, then every LOGSTATS_INTERVAL. With LOG_FILE it goes to standard
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

from frontier.plugin import compat
from frontier.plugin.extensions.basics import Extension
from frontier.states import State
from ranking.printing import cut, shown, shown_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from frontier.backend.figures import CrawlFigures

logger = logging.getLogger(__name__)

FIRST_SECONDS = 1.0
LIVE_SECONDS = 1.0
"""Between two lines of a terminal."""
LONGEST_SECONDS = 60.0
"""To the first line, and the longest pause where LOGSTATS_INTERVAL is 0; each is twice the last."""
_CLEAR = "\r\x1b[K"
RATE_SECONDS = 10.0
"""The rate shown is that of about the last ten seconds: a host's pause shows, one page does not."""


class ProgressLine:
    """Turns figures into a line of text; called again and again by `Progress`."""

    def __init__(
        self,
        figures: CrawlFigures,
        limit: int,
        clock: Callable[[], float] = time.monotonic,
        responses: Callable[[], int] = int,
    ) -> None:
        """`limit` responses of this run end the crawl; 0: none."""
        self._figures = figures
        self._limit = limit
        self._responses = responses
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque([(clock(), figures.pages)])
        self._rerank_since: float | None = None

    def text(self) -> str:
        """The line for this moment."""
        figures, now = self._figures, self._clock()
        limit = f" ({self._responses():,}/{self._limit:,} responses)" if self._limit else ""
        parts = [f"{figures.pages:,} pages{limit}", f"{self._rate(now):.1f}/s"]
        parts.append(f"frontier {figures.count(State.QUEUED):,}")
        if figures.harvest.pages:
            relevant, of = figures.harvest.last()
            parts.append(f"relevant {figures.harvest.relevant:,}, last {of}: {relevant} relevant")
        parts.append(self._rerank(now))
        return shown(" | ".join(filter(None, parts)))

    def _rate(self, now: float) -> float:
        """Pages a second, from the newest moment that is RATE_SECONDS ago, or the oldest seen."""
        self._seen.append((now, self._figures.pages))
        while len(self._seen) > 2 and self._seen[1][0] <= now - RATE_SECONDS:
            self._seen.popleft()
        since, pages = self._seen[0]
        return max(self._figures.pages - pages, 0) / (now - since) if now > since else 0.0

    def _rerank(self, now: float) -> str:
        epoch = self._figures.epoch
        if not self._figures.reranking:
            self._rerank_since = None
            return f"re-rank {epoch:,}" if epoch else ""
        if self._rerank_since is None:
            self._rerank_since = now
        return f"re-rank {epoch + 1:,} running for {now - self._rerank_since:.0f} s"


class Progress(Extension):
    """Scrapy extension: with FRONTIER_PROGRESS, shows how the crawl does."""

    switch = "FRONTIER_PROGRESS"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pause = FIRST_SECONDS
        self._longest = crawler.settings.getfloat("LOGSTATS_INTERVAL") or LONGEST_SECONDS
        self._beside_log = bool(crawler.settings.get("LOG_FILE"))
        self._redrawn = self._beside_log and sys.stderr.isatty()
        self._next: Any = None
        self._opened = False

    def spider_opened(self) -> None:
        """Start to tell."""
        limit = self._crawler.settings.getint("CLOSESPIDER_PAGECOUNT")
        session, stats = self.session, self._crawler.stats
        self._line = ProgressLine(
            session.figures,
            limit,
            responses=lambda: stats.get_value("response_received_count", 0),
        )
        self._next = compat.call_later(self._pause, self._tell)

    def _tell(self) -> None:
        line = self._line.text()
        self._open()
        if self._redrawn:
            _write(_CLEAR + cut(line, shutil.get_terminal_size().columns - 1, ""))
        elif self._beside_log:
            _write(f"{line}\n")
        else:
            logger.info("%s", line)
        self._pause = LIVE_SECONDS if self._redrawn else min(2 * self._pause, self._longest)
        self._next = compat.call_later(self._pause, self._tell)

    def _open(self) -> None:
        """Show what the log begins with, once it is known, where people see no log."""
        opening = self.session.frontier.opening
        if self._beside_log and opening and not self._opened:
            self._opened = True
            _write(f"{_CLEAR * self._redrawn}{shown_lines(opening)}\n")

    def spider_closed(self) -> None:
        """Stop, and leave the terminal to the summary."""
        self._open()
        if self._next is not None:
            self._next.cancel()
        if self._redrawn:
            _write(_CLEAR)


def _write(text: str) -> None:
    with suppress(OSError):  # a terminal that was closed is no reason to fail a crawl
        sys.stderr.write(text)
        sys.stderr.flush()
