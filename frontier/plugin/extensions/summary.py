"""The summary at the end of a crawl: what was found, how sure that is, what to do next.

It has LINES lines at most; `scrapy frontier stats` shows the rest. Scrapy closes the scheduler, and
with it the store, before it sends `spider_closed`, and a crawl without JOBDIR is gone with its
store. So the store is read while the session closes, and the summary printed when the reason is
known.
"""

from __future__ import annotations

import logging
import shlex
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from frontier.formatting import clean, number, pairs
from frontier.inspection.outcome import CrawlOutcome, amounts, judged, outcome_of
from frontier.plugin.extensions.base import Extension
from frontier.plugin.extensions.endings import STOPPED, nothing_fetched, why
from frontier.plugin.extensions.progress import revisits_of_run
from frontier.plugin.failures import how_to_resume
from ranking.errors import LinkRankError
from ranking.printing import hide_passwords, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

LINES = 20
"""Most lines of a summary; the list of best pages is shortened to fit."""


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
        """Start the clock; `read` is called before the store closes."""
        self._began = time.monotonic()
        self.session.hooks.closing.add(self.read)

    def read(self) -> None:
        """Read the store; an unreadable store must still be closed."""
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


def _results(settings: BaseSettings, spider: str) -> Iterator[tuple[str, str]]:
    # Only the feed itself knows the other placeholders of its URI.
    uris = (hide_passwords(str(uri)) for uri in settings.getdict("FEEDS"))
    files = [uri.replace("%(name)s", spider) for uri in uris]
    if settings.get("WARC_FILE"):
        files.append(str(settings["WARC_FILE"]))
    if files:
        yield "results", ", ".join(files)


def _label_command(settings: BaseSettings) -> str:
    """The command that asks for labels of this crawl; "" for a crawl without a directory."""
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
    """The command by which a shell in this directory starts this environment's scrapy."""
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
        # A pipe that was closed early must not fail the crawl.
        logger.info("The summary could not be printed")
