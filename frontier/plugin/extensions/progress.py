"""One line that says how the crawl does, while it does.

On a terminal it is redrawn every second in its place, and makes way for each line of the log;
elsewhere plain lines are written, soon at first and then once a minute. It goes to standard
error, so that results on standard output stay clean.
"""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any, TextIO

from scrapy import signals
from scrapy.exceptions import NotConfigured

from frontier.inspection.formatting import percent
from frontier.plugin import compat
from frontier.plugin.crawl.session import session_of
from frontier.states import State
from ranking.printing import cut, say, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from frontier.backend.figures import CrawlFigures

LIVE_SECONDS = 1.0
PLAIN_SECONDS = (1.0, 60.0)
"""To the first plain line, and the longest pause; each pause is twice the one before."""
RATE_SECONDS = 10.0
"""The rate shown is that of about the last ten seconds: a host's pause shows, one page does not."""
_CLEAR = "\r\x1b[K"
_NARROWEST = 20


class ProgressLine:
    """Turns figures into a line of text; called again and again by `Progress`."""

    def __init__(
        self,
        figures: CrawlFigures,
        limit: int,
        clock: Callable[[], float] = time.monotonic,
        coverage: float = 0.0,
        waiting: Callable[[], str] = str,
    ) -> None:
        """`limit` pages end the crawl, or so much `coverage`; 0: none.

        `waiting` tells what a crawl that stands still waits for, "" for nothing.
        """
        self._figures = figures
        self._limit = limit
        self._coverage = coverage
        self._waiting = waiting
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque([(clock(), figures.read)])
        self._rerank_since: float | None = None

    def text(self) -> str:
        """The line for this moment."""
        figures, now = self._figures, self._clock()
        pages = f"{figures.read:,}" + (f"/{self._limit:,}" if self._limit else "")
        parts = [f"{pages} pages", f"{self._rate(now):.1f}/s"]
        parts.append(f"frontier {figures.count(State.QUEUED):,}")
        if figures.harvest_rate is not None:
            parts.append(f"harvest {percent(figures.harvest_rate)}")
        if self._coverage and figures.coverage:
            parts.append(f"coverage {percent(figures.coverage)}/{percent(self._coverage)}")
        parts += [self._rerank(now), self._waiting()]
        return " | ".join(filter(None, parts))

    def _rate(self, now: float) -> float:
        """Pages a second, from the newest moment that is RATE_SECONDS ago, or the oldest seen."""
        self._seen.append((now, self._figures.read))
        while len(self._seen) > 2 and self._seen[1][0] <= now - RATE_SECONDS:
            self._seen.popleft()
        since, pages = self._seen[0]
        return (self._figures.read - pages) / (now - since) if now > since else 0.0

    def _rerank(self, now: float) -> str:
        epoch = self._figures.epoch
        if not self._figures.reranking:
            self._rerank_since = None
            return f"re-rank {epoch:,}" if epoch else ""
        if self._rerank_since is None:
            self._rerank_since = now
        return f"re-rank {epoch + 1:,} running for {now - self._rerank_since:.0f} s"


class LiveOutput:
    """A line on a terminal that is redrawn in its place and makes way for the log."""

    seconds = LIVE_SECONDS

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._guard = _LogGuard(self.clear, stream)
        # The first handler sees a record before the one that prints it.
        logging.root.handlers.insert(0, self._guard)
        self._drawn = False

    def show(self, line: str) -> None:
        """Draw the line instead of the last one, cut to the width of the terminal."""
        width = max(shutil.get_terminal_size().columns - 1, _NARROWEST)
        self._stream.write(_CLEAR + cut(shown(line), width, ""))
        self._stream.flush()
        self._drawn = True

    def clear(self) -> None:
        """Take the line away until it is drawn again."""
        if self._drawn:
            self._drawn = False
            self._stream.write(_CLEAR)
            self._stream.flush()

    def close(self) -> None:
        """Leave the terminal as it was."""
        self.clear()
        logging.root.removeHandler(self._guard)


class PlainOutput:
    """A line after the other, for files and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.seconds, self._longest = PLAIN_SECONDS

    def show(self, line: str) -> None:
        """Write the line."""
        self.seconds = min(2 * self.seconds, self._longest)
        say([line], self._stream)

    def close(self) -> None:
        """Nothing is left to tidy up."""


class _LogGuard(logging.Handler):
    """Clears the live line before a log record is printed over it."""

    def __init__(self, clear: Callable[[], None], stream: TextIO) -> None:
        super().__init__()
        self._clear = clear
        self._printing_to = stream

    def emit(self, record: logging.LogRecord) -> None:
        if any(self._prints(one, record) for one in logging.root.handlers):
            self._clear()

    def _prints(self, handler: logging.Handler, record: logging.LogRecord) -> bool:
        stream = getattr(handler, "stream", None)
        return stream is self._printing_to and record.levelno >= handler.level


class Progress:
    """Scrapy extension: with FRONTIER_PROGRESS, shows how the crawl does."""

    def __init__(self, crawler: Crawler, stream: TextIO) -> None:
        self._crawler = crawler
        self._output = (LiveOutput if stream.isatty() else PlainOutput)(stream)
        self._line: ProgressLine | None = None
        self._next: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.getbool("FRONTIER_PROGRESS"):
            # Without a message: Scrapy would log one as a warning in every crawl.
            raise NotConfigured
        extension = cls(crawler, sys.stderr)
        crawler.signals.connect(extension.open, signals.spider_opened)
        crawler.signals.connect(extension.close, signals.spider_closed)
        return extension

    def open(self, spider: Spider) -> None:
        """Start to show."""
        limit = self._crawler.settings.getint("CLOSESPIDER_PAGECOUNT")
        coverage = self._crawler.settings.getfloat("CLOSESPIDER_COVERAGE")
        session = session_of(self._crawler)
        self._line = ProgressLine(
            session.figures, limit, coverage=coverage, waiting=lambda: session.gate.standstill.text
        )
        self._next = compat.call_later(self._output.seconds, self._show)

    def _show(self) -> None:
        assert self._line is not None
        self._output.show(self._line.text())
        self._next = compat.call_later(self._output.seconds, self._show)

    def close(self, spider: Spider) -> None:
        """Stop, and leave the terminal to the summary."""
        if self._next is not None:
            self._next.cancel()
        self._output.close()
