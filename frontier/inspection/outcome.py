"""The outcome of a crawl, read at its end, and the rows of the summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frontier.estimates import DOUBT
from frontier.formatting import clean, duration
from frontier.inspection.rendering import harvest_rate_text, remaining_text
from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from frontier.backend.backend import LinkRankBackend
    from frontier.backend.progress.figures import Copies, CrawlFigures
    from frontier.enough import Reached
    from frontier.estimates import Remaining
    from frontier.inspection.reports import CrawlStats, TopRow

BEST = 5
"""Pages listed."""
ERRORS = 3
FINDINGS = ("changed", "unchanged", "gone", "moved", "failed", "notice", "forbidden")
"""Of revisits, by the ends of their stats."""


@dataclass(frozen=True)
class CrawlOutcome:
    """The figures of a crawl when it ended; `added` counts the pages of this run.

    `best` are the pages that are the best `by` relevance or, without a topic, by link score;
    `revisited` counts revisits of this run at known pages, and their FINDINGS.
    """

    stats: CrawlStats
    added: int
    copies: Copies
    left: Remaining | None
    by: str
    best: list[TopRow]
    enough: Reached | None = None
    revisited: dict[str, int] = field(default_factory=dict)
    rendered: Mapping[str, float] = field(default_factory=dict)
    """See `CrawlFigures.rendered`."""
    unknown: str = ""
    """Why the number of pages left is not known."""


def outcome_of(backend: LinkRankBackend, figures: CrawlFigures) -> CrawlOutcome:
    """Return the outcome of a crawl that is about to close."""
    from frontier.inspection import CrawlView  # most crawls print no summary

    backend.commit()
    with CrawlView.beside(backend.directory, backend) as view:
        stats = view.stats(ERRORS + 1)
        by = "relevance" if stats.judged else "score"
        best = [row for row in view.top(BEST, State.CRAWLED, by) if row.value]
        counts = figures.pages_of_run, figures.copies, figures.outlook.remaining
        unknown = figures.outlook.unknown
        shown = figures.rendered
        return CrawlOutcome(
            stats, *counts, by, best, figures.enough, rendered=shown, unknown=unknown
        )


def amounts(outcome: CrawlOutcome, seconds: float) -> Iterator[tuple[str, str]]:
    """Yield the numbers of URLs: answers and queued URLs add up to the discovered ones."""
    stats, states, added = outcome.stats, outcome.stats.states, outcome.added
    rate = f" ({added / seconds:.1f} a second)" if added and seconds > 0 else ""
    earlier = f"; {stats.pages:,} with earlier runs" if stats.pages > added else ""
    copies = outcome.copies.exact + outcome.copies.near
    among = f", {copies:,} duplicates among them" if copies else ""
    yield "pages fetched", f"{added:,} in {duration(seconds)}{rate}{earlier}{among}"
    if outcome.rendered:
        shown = outcome.rendered
        pages = f"{shown['pages']:,} in {duration(shown['seconds'])}"
        more = f"{shown['links']:,} links and {shown['words']:,} words more"
        yield "shown in a browser", f"{pages}: {more} than their documents have"
    if outcome.revisited:
        yield "revisited", _revisited(outcome.revisited)
    merged = outcome.copies.merged
    redirects = states["redirected"] - merged
    answers = (
        (stats.pages, "page" if stats.pages == 1 else "pages"),
        (merged, "merged with the canonical URL"),
        (redirects, "redirect" if redirects == 1 else "redirects"),
        (states["error"], "error" if states["error"] == 1 else "errors"),
        (states["robots"], "forbidden by robots.txt"),
        (states["filtered"], "filtered by the project"),
        (states["trap"], "dropped as crawler trap" + ("" if states["trap"] == 1 else "s")),
    )
    kinds = ", ".join(f"{n:,} {kind}" for n, kind in answers if n)
    waiting = states["queued"] + states["leased"]
    yield "answers", f"{stats.known - waiting:,}" + (f": {kinds}" if kinds else "")
    if stats.errors:
        reasons = [f"{error.count:,} {clean(error.reason, 60)}" for error in stats.errors[:ERRORS]]
        if len(stats.errors) > ERRORS:
            reasons.append("...")
        yield "not fetched", ", ".join(reasons)
    yield "queued", f"{waiting:,} of {stats.known:,} URLs discovered"
    links = sum(refused.links for refused in stats.refused)
    if links:
        yield "refused", f"{links:,} links; `scrapy frontier stats` says why"


def _revisited(revisited: dict[str, int]) -> str:
    """Return the results of revisits."""
    same = f" ({revisited['not_modified']:,} by HTTP 304)" if revisited["not_modified"] else ""
    kinds = [
        f"{revisited[name]:,} {name}{same if name == 'unchanged' else ''}"
        for name in FINDINGS
        if revisited[name]
    ]
    missed = revisited["revisits"] - sum(revisited[name] for name in FINDINGS)
    if missed > 0:
        kinds.append(f"{missed:,} missed once")
    return f"{revisited['revisits']:,}" + (f": {', '.join(kinds)}" if kinds else "")


def judged(outcome: CrawlOutcome, label: str) -> Iterator[tuple[str, str]]:
    """Yield what is known of relevance."""
    stats = outcome.stats
    queued = stats.states["queued"] + stats.states["leased"]
    left = remaining_text(outcome.left, queued, outcome.unknown)
    if stats.judged:
        of = f"{stats.relevant:,} of {stats.judged:,}"
        yield "judged relevant", f"{of} (relevance {stats.relevant_from:g} or more)"
    if stats.in_doubt > stats.relevant:
        more = f"{stats.in_doubt:,} more (relevance {DOUBT * stats.relevant_from:.2g} or more)"
        yield "in doubt", f"{more}: more words, examples or labels tell"
    if left:
        yield "est. relevant unfetched", left
    if stats.judged:
        yield "harvest rate", harvest_rate_text(stats.harvest_rate, label)
