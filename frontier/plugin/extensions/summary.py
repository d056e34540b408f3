"""What a crawl shows people: a line while it runs, and at its end what it came to.

The line goes to the log, soon at first, then every LOGSTATS_INTERVAL; with LOG_FILE to standard
error, where a terminal has it redrawn in its place each second.

The summary has LINES lines: what was found, how sure, what next. Scrapy closes the scheduler, and
with it the store, before it says that the spider is closed; and a crawl without JOBDIR is gone with
its store. So what the store knows is read while the session closes, and printed when the reason is
known. `scrapy frontier stats` shows the rest.
"""

from __future__ import annotations

import logging
import shlex
import shutil
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from scrapy.extensions.closespider import CloseSpider

from frontier.formatting import clean, number, pairs
from frontier.inspection.outcome import FINDINGS, CrawlOutcome, amounts, judged, outcome_of
from frontier.plugin import compat
from frontier.plugin.extensions.basics import STOPPED, Extension, nothing_fetched
from frontier.plugin.failures import how_to_resume
from frontier.plugin.settings import value
from frontier.refresh.policy import OFF
from frontier.states import State
from ranking.errors import LinkRankError
from ranking.printing import cut, hide_passwords, say, shown, shown_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from frontier.enough import Reached

logger = logging.getLogger(__name__)

LINES = 20
"""Fewer of the best pages are listed where these are not enough."""
PAGES = "pages"
"""Why `scrapy frontier serve` stopped that counts pages."""
REASONS = {
    "finished": "The crawl is finished: nothing is left to fetch.",
    "shutdown": "The crawl was interrupted.",
    "cancelled": "The crawl was stopped by its spider.",
    PAGES: "Stopped at the limit of {} pages.",
}
"""Scrapy's reason -> how to say it; other reasons are shown as they are."""
_LIMIT = "closespider_"
"""How Scrapy's reasons begin that are names of settings, but for capitals."""
LONGEST_SECONDS = 60.0
"""To the next line where LOGSTATS_INTERVAL is 0; each pause is twice the last."""
_RATE_LINES = 11
"""Over which the rate is taken: a host's pause shows, one page does not."""
_CLEAR = "\r\x1b[K"


class Progress(Extension):
    """Scrapy extension: with FRONTIER_PROGRESS, shows how the crawl does."""

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
        """Start to show lines."""
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
        """Show what the log begins with, once it is known, where people see no log."""
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
    """What this run found at known pages, by the ends of the stats; {} where it does not look."""
    if value(crawler.settings, "FRONTIER_REFRESH") == OFF or crawler.stats is None:
        return {}
    stats = crawler.stats
    names = "revisits", "not_modified", *FINDINGS
    return {name: int(stats.get_value(f"frontier/refresh/{name}", 0)) for name in names}


def _write(text: str) -> None:
    with suppress(OSError):  # a terminal that was closed is no reason to fail a crawl
        sys.stderr.write(text)
        sys.stderr.flush()


class Summary(Extension):
    """Scrapy extension: with FRONTIER_SUMMARY, prints a summary when the spider closes.

    To standard output, or to standard error where items are written to standard output.
    """

    switch = "FRONTIER_SUMMARY"
    of_whole_crawls = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._outcome: CrawlOutcome | None = None

    def spider_opened(self) -> None:
        """Start the clock and ask to be called before the store closes."""
        self._began = time.monotonic()
        self.session.before_close.append(self.read)

    def read(self) -> None:
        """Read what is to be told; a store that cannot be read must still be closed."""
        try:
            self._outcome = outcome_of(self.whole, self.whole.figures)
        except LinkRankError as error:
            logger.error("No summary of the crawl: %s", error)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Print the summary."""
        if self._outcome is not None:
            seconds = time.monotonic() - self._began
            settings = self._crawler.settings
            outcome = replace(self._outcome, revisited=revisits_of_run(self._crawler))
            lines = summary_lines(outcome, reason, seconds, settings, spider.name)
            _print(lines, _stream(settings))


def summary_lines(
    outcome: CrawlOutcome, reason: str, seconds: float, settings: BaseSettings, spider: str
) -> list[str]:
    """The whole summary, at most LINES lines; `seconds` is how long the crawl ran."""
    stats = outcome.stats
    lines = ["", why(reason, settings, outcome.enough)]
    if not stats.pages and reason != STOPPED:
        errors = [(error.reason, error.count) for error in stats.errors]
        return [*lines, *nothing_fetched(errors)]
    rows = [*amounts(outcome, seconds), *judged(outcome, _label_command(settings))]
    lines += pairs([*rows, *_results(settings, spider)])
    after = _next_steps(reason, outcome, settings)
    best = outcome.best[: LINES - len(lines) - len(after) - 2]
    if best:
        title = "Most relevant pages" if outcome.by == "relevance" else "Pages with the best score"
        listed = ((number(row.value), f"{row.url}  {clean(row.title or '', 60)}") for row in best)
        lines += ["", title, *(line.rstrip() for line in pairs(listed))]
    return [*lines, *after]


def why(reason: str, settings: BaseSettings, enough: Reached | None) -> str:
    """Say in words why a crawl ends that gives Scrapy's `finish_reason`."""
    if enough is not None and enough.reason == reason:
        return enough.text
    if reason in REASONS:
        return REASONS[reason].format(settings.get("CLOSESPIDER_PAGECOUNT"))
    if not reason.startswith(_LIMIT):
        return f"The crawl stopped: {clean(reason)}."
    return f"Stopped at the limit {reason.upper()} = {settings.get(reason.upper())}."


def _results(settings: BaseSettings, spider: str) -> Iterator[tuple[str, str]]:
    # What else its URI asks for only the feed knows.
    uris = (hide_passwords(str(uri)) for uri in settings.getdict("FEEDS"))
    files = [uri.replace("%(name)s", spider) for uri in uris]
    if settings.get("WARC_FILE"):
        files.append(str(settings["WARC_FILE"]))
    if files:
        yield "results", ", ".join(files)


def _label_command(settings: BaseSettings) -> str:
    """The command that asks about pages of this crawl; "" where nobody knows where it lies."""
    directory = settings.get("JOBDIR")
    if not directory:
        return ""
    return f"{this_scrapy()} frontier label {shlex.quote(str(directory))} --at-random"


def _next_steps(reason: str, outcome: CrawlOutcome, settings: BaseSettings) -> list[str]:
    directory = settings.get("JOBDIR")
    if not directory:
        return ["", how_to_resume(settings)]
    quoted, frontier = shlex.quote(str(directory)), f"  {this_scrapy()} frontier"
    lines = ["", "To see more, run"]
    if outcome.best:
        by = "--by relevance" if outcome.by == "relevance" else "--state crawled --by score"
        lines.append(f"{frontier} top {quoted} {by}")
    lines.append(f"{frontier} stats {quoted}")
    if outcome.revisited:
        lines.append(f"{frontier} changes {quoted}")
    if reason != "finished":
        lines.append(how_to_resume(settings))
    return lines


def this_scrapy() -> str:
    """How a shell in this directory starts the scrapy of this environment."""
    script = Path(sys.executable).with_name("scrapy")
    if shutil.which("scrapy") == str(script):
        return "scrapy"
    here = Path.cwd()
    return shlex.quote(str(script.relative_to(here) if script.is_relative_to(here) else script))


def _stream(settings: BaseSettings) -> TextIO:
    to_stdout = any(
        str(uri) == "-" or str(uri).startswith("stdout:") for uri in settings.getdict("FEEDS")
    )
    return sys.stderr if to_stdout else sys.stdout


def _print(lines: list[str], stream: TextIO) -> None:
    try:
        say(lines, stream)
    except OSError:
        # A pipe that was closed early is no reason to fail a crawl that went well.
        logger.info("The summary could not be printed")
