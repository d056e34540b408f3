"""What a crawl came to, told when it ends: why, how much, what is best, where it is, what next.

Scrapy closes the scheduler, and with it the store, before it says that the spider is closed; and a
crawl without JOBDIR is gone with its store. So what the store knows is read while the session
closes, and printed when the reason is known.
"""

from __future__ import annotations

import logging
import shlex
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from frontier.formatting import clean, number, pairs, percent
from frontier.inspection.text.harvest_rate import harvest_rate_text
from frontier.plugin.extensions.extension import Extension
from frontier.plugin.resume_command import resume_command, this_scrapy
from frontier.states import State
from ranking.errors import LinkRankError
from ranking.printing import say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from frontier.backend.figures import Copies
    from frontier.estimates.remaining import Remaining
    from frontier.inspection.reports import CrawlStats, TopRow
    from frontier.plugin.crawl.session import CrawlSession
    from frontier.traps.cut_domains import Cut

logger = logging.getLogger(__name__)

BEST = 5
DOMAINS = 5
TRAP = "trap: "
ERRORS = 5
REASONS = {
    "finished": ("The crawl is finished: nothing is left to fetch.", ""),
    "shutdown": ("The crawl was interrupted.", ""),
    "cancelled": ("The crawl was stopped by its spider.", ""),
    "closespider_pagecount": (
        "Stopped at the limit of {} answers.",
        "CLOSESPIDER_PAGECOUNT",
    ),
    "closespider_itemcount": ("Stopped at the limit of {} items.", "CLOSESPIDER_ITEMCOUNT"),
    "closespider_errorcount": ("Stopped after {} errors.", "CLOSESPIDER_ERRORCOUNT"),
    "closespider_coverage": (
        "Stopped at a coverage of {}, the limit.",
        "CLOSESPIDER_COVERAGE",
    ),
    "closespider_timeout": ("Stopped after {} seconds, the limit.", "CLOSESPIDER_TIMEOUT"),
    "memusage_exceeded": ("Stopped at the memory limit of {} MB.", "MEMUSAGE_LIMIT_MB"),
}
"""Scrapy's reason -> how to say it, and the setting that fills the gap."""
NOISE = 1e-9
"""Relative to the best value; below it a hub or authority is rounding."""
_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True)
class Outcome:
    """What was known when the crawl ended; `read` counts the pages of this run."""

    stats: CrawlStats
    read: int
    copies: Copies
    coverage: float | None
    left: Remaining | None
    given_up: list[Cut]
    put_last: list[Cut]
    relevant: list[TopRow]
    authorities: list[TopRow]
    hubs: list[TopRow]


def outcome_of(session: CrawlSession) -> Outcome:
    """Read the outcome of a crawl that has nothing more to do but to close."""
    from frontier.inspection import CrawlView  # most crawls print no summary

    session.backend.commit()
    with CrawlView.beside(session.backend.directory, session.backend) as view:
        stats = view.stats(ERRORS)
        return Outcome(
            stats,
            session.figures.read,
            session.figures.copies,
            session.figures.coverage,
            session.figures.remaining,
            session.backend.traps.given_up.all(),
            session.backend.traps.put_last.all(),
            view.top(BEST, State.CRAWLED, "relevance") if stats.judged else [],
            view.top(BEST, State.CRAWLED, "authority"),
            view.top(BEST, State.CRAWLED, "hub"),
        )


class Summary(Extension):
    """Scrapy extension: with FRONTIER_SUMMARY, prints a summary when the spider closes.

    To standard output, or to standard error where items are written to standard output.
    """

    switch = "FRONTIER_SUMMARY"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._outcome: Outcome | None = None

    def spider_opened(self) -> None:
        """Start the clock and ask to be called before the store closes."""
        self._began = time.monotonic()
        self.session.before_close.append(self.read)

    def read(self) -> None:
        """Read what is to be told; a store that cannot be read must still be closed."""
        try:
            self._outcome = outcome_of(self.session)
        except LinkRankError as error:
            logger.error("No summary of the crawl: %s", error)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Print the summary."""
        if self._outcome is not None:
            seconds = time.monotonic() - self._began
            settings = self._crawler.settings
            lines = summary_lines(self._outcome, reason, seconds, settings, spider.name)
            _print(lines, _stream(settings))


def summary_lines(
    outcome: Outcome, reason: str, seconds: float, settings: BaseSettings, spider: str
) -> list[str]:
    """The whole summary; `seconds` is how long the crawl ran."""
    stats, label = outcome.stats, _label_command(settings)
    lines = ["", _why(reason, settings), *pairs(_amounts(outcome, seconds, label))]
    if stats.errors:
        lines += ["", "Most frequent errors"]
        lines += pairs((f"{error.count:,}", clean(error.reason)) for error in stats.errors)
    lines += _cut_back("Dropped as crawler traps", outcome.given_up)
    lines += _cut_back("Queued last as suspected crawler traps", outcome.put_last)
    lines += _best("Most relevant pages", outcome.relevant)
    lines += _best("Best authorities", outcome.authorities)
    lines += _best("Best hubs", outcome.hubs)
    places = list(_places(settings, spider))
    if places:
        lines += ["", "Results", *pairs(places)]
    return [*lines, *_next_steps(reason, outcome, settings)]


def _why(reason: str, settings: BaseSettings) -> str:
    if reason not in REASONS:
        return f"The crawl stopped: {clean(reason)}."
    told, setting = REASONS[reason]
    return told.format(settings.get(setting))


def _amounts(outcome: Outcome, seconds: float, label: str) -> list[tuple[str, str]]:
    stats, read = outcome.stats, outcome.read
    pages = stats.pages + outcome.copies.merged
    rate = f" ({read / seconds:.1f} pages a second)" if seconds > 0 else ""
    earlier = f", {pages:,} with earlier runs" if pages > read else ""
    waiting = stats.states["queued"] + stats.states["leased"]
    return [
        ("pages fetched", f"{read:,}{earlier}"),
        *_copies(outcome.copies),
        *_counted("redirects", stats.states["redirected"] - outcome.copies.merged),
        *_counted("errors", stats.states["error"]),
        ("time", duration(seconds) + rate),
        *_judged(outcome, label),
        ("queued", f"{waiting:,} ({stats.known:,} URLs discovered)"),
        *_refused(stats),
        *_counted("links", stats.links),
        *_counted("hosts", stats.hosts),
        *_counted("re-ranks", stats.epoch),
    ]


def _counted(name: str, count: int) -> list[tuple[str, str]]:
    return [(name, number(count))] if count else []


def _copies(copies: Copies) -> list[tuple[str, str]]:
    kinds = [
        (copies.exact, "exact"),
        (copies.near, "near"),
        (copies.merged, "by canonical URL"),
    ]
    told = ", ".join(f"{count:,} {words}" for count, words in kinds if count)
    return [("duplicates", f"{sum(copies):,} ({told})")] if told else []


def _judged(outcome: Outcome, label: str) -> list[tuple[str, str]]:
    """What is known of relevance and coverage, but for what would round to nothing."""
    stats, left, covered = outcome.stats, outcome.left, outcome.coverage
    amounts = []
    if stats.judged:
        of = f"{stats.relevant:,} of {stats.judged:,}"
        amounts.append(("judged relevant", f"{of} (relevance {stats.relevant_from:g} or more)"))
    if left is not None and round(left.high):
        amounts.append(("est. relevant unfetched", _estimated(left)))
    if stats.judged:
        amounts.append(("harvest rate", harvest_rate_text(stats.harvest_rate, label)))
    if covered is not None and round(covered, 3):
        amounts.append(("coverage", f"at least {percent(covered)} of PageRank from the seeds"))
    return amounts


def _refused(stats: CrawlStats) -> list[tuple[str, str]]:
    links, urls = sum(one.links for one in stats.refused), stats.states["trap"]
    told = f"{links:,} links, {urls:,} URLs dropped as crawler traps; see `scrapy frontier stats`"
    return [("refused", told)] if links or urls else []


def _cut_back(title: str, cuts: list[Cut]) -> list[str]:
    """Domains of which URLs were cut back, those with the most of them."""
    entries = [
        (f"{cut.urls:,}", clean(f"{cut.domain}: {cut.reason.removeprefix(TRAP)}"))
        for cut in cuts[:DOMAINS]
    ]
    if len(cuts) > DOMAINS:
        rest = sum(cut.urls for cut in cuts[DOMAINS:])
        entries.append((f"{rest:,}", "elsewhere, see the log"))
    return ["", title, *pairs(entries)] if entries else []


def _estimated(left: Remaining) -> str:
    return f"~{left.estimate:,.0f} (80 % interval {left.low:,.0f} to {left.high:,.0f})"


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{seconds:.1f} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def _best(title: str, rows: list[TopRow]) -> list[str]:
    """A list of pages with their values; those worth nothing are left out."""
    noise = NOISE * (rows[0].value or 0.0) if rows else 0.0
    entries = [
        (number(row.value), row.url + (f"  {clean(row.title, 60)}" if row.title else ""))
        for row in rows
        if row.value is not None and row.value > noise
    ]
    return ["", title, *pairs(entries)] if entries else []


def _places(settings: BaseSettings, spider: str) -> Iterable[tuple[str, str]]:
    for uri in settings.getdict("FEEDS"):
        # What else its URI asks for only the feed knows.
        yield "items", str(uri).replace("%(name)s", spider)
    if settings.get("JOBDIR"):
        yield "crawl", str(settings["JOBDIR"])
    if settings.get("WARC_FILE"):
        yield "recording", str(settings["WARC_FILE"])


def _label_command(settings: BaseSettings) -> str:
    """The command that asks about pages of this crawl; "" where nobody knows where it lies."""
    directory = settings.get("JOBDIR")
    if not directory:
        return ""
    return f"{this_scrapy()} frontier label {shlex.quote(str(directory))} --at-random"


def _next_steps(reason: str, outcome: Outcome, settings: BaseSettings) -> list[str]:
    directory = settings.get("JOBDIR")
    if not directory:
        return [
            "",
            "The crawl was not stored: set JOBDIR (-s JOBDIR=DIR) to resume or inspect it.",
        ]
    look, quoted = f"  {this_scrapy()} frontier", shlex.quote(str(directory))
    lines = ["", "Inspect", f"{look} stats {quoted}"]
    lines += [f"{look} top {quoted} --state crawled --by authority", f"{look} url {quoted} URL"]
    if reason != "finished":
        lines += ["", "To resume, run", f"  {resume_command(settings)}"]
    return lines


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
