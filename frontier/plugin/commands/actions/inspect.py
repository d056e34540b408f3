"""Actions that inspect a crawl (stats, top, url, explain), or check it."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.inspection.reports import ORDERINGS
from frontier.plugin.commands.base import (
    JOBDIR,
    Output,
    action,
    argument,
    positive,
    since,
)
from frontier.states import STATES

if TYPE_CHECKING:
    import argparse

    from frontier.inspection.reports import Report
    from frontier.recovery import CheckReport, Salvaged

OF_PAGES = ("relevance",)
NEVER_REFRESHED = (
    "This crawl has never revisited a page. To do so, run it with -s FRONTIER_REFRESH=auto."
)
_URL = argument("url", metavar="URL", help="one URL; http:// may be left out")
_LISTED = argument("-n", type=positive, metavar="N", default=5, help="how many URLs in a list")


@action(
    "stats",
    JOBDIR,
    argument("--prometheus", action="store_true", help="in the text format of Prometheus"),
)
def stats(opts: argparse.Namespace) -> Output:
    """Count URLs, pages, errors and hosts."""
    from frontier.inspection import CrawlView

    with CrawlView.open(opts.directory) as view:
        report = view.stats()
    if not opts.prometheus:
        return _shown(report, unlabelled=opts.directory)
    from frontier.inspection.prometheus import as_text
    from frontier.inspection.stats import stored_stat_values

    return Output(report.as_dict(), lambda: as_text(stored_stat_values(report)))


@action(
    "top",
    JOBDIR,
    argument("-n", type=positive, metavar="N", default=20, help="how many URLs"),
    argument(
        "--state",
        choices=STATES,
        help="URLs in this state (default: queued; crawled with --by relevance, which only pages "
        "have)",
    ),
    argument("--by", choices=ORDERINGS, default="priority", help="what they are ordered by"),
)
def top(opts: argparse.Namespace) -> Output:
    """List the best URLs in a state.

    The priority of a URL that is not queued is that of its last lease.
    """
    from frontier.inspection import CrawlView
    from frontier.inspection.rendering import listed
    from frontier.states import State

    state = opts.state or ("crawled" if opts.by in OF_PAGES else "queued")
    with CrawlView.open(opts.directory) as view:
        rows = view.top(opts.n, State[state.upper()], opts.by)
    document = {"by": opts.by, "state": state, "urls": [row.as_dict() for row in rows]}
    return Output(document, lambda: listed(rows, opts.n) if rows else ["No such URL."])


@action("url", JOBDIR, _URL)
def url(opts: argparse.Namespace) -> Output:
    """Show all that is known of one URL."""
    from frontier.inspection import CrawlView

    with CrawlView.open(opts.directory) as view:
        return _shown(view.url(opts.url), rows=5)


@action(
    "changes",
    JOBDIR,
    argument(
        "--since",
        metavar="T",
        type=since,
        help="a date, a date and time (UTC unless it says otherwise), Unix seconds, or an age such "
        "as 2h or 3d (default: all that is known)",
    ),
    argument("-n", type=positive, metavar="N", default=20, help="how many changes"),
)
def changes(opts: argparse.Namespace) -> Output:
    """List which pages changed, newest first.

    Of the pages that are revisited: new, changed, gone, moved, or forbidden by robots.txt or a rule
    of the project; with the time of the change, the share of the text that changed, and the time of
    the visit before.
    """
    from frontier.inspection import CrawlView
    from frontier.inspection.rendering import rendered

    with CrawlView.open(opts.directory) as view:
        report = view.changes(opts.since)
    lines = rendered(report, opts.n)
    if not report.pages:
        lines += ["", NEVER_REFRESHED]
    elif not report.changes:
        lines += ["", "Nothing changed."]
    return Output(report.as_dict(), lambda: lines)


@action("explain", JOBDIR, _URL, _LISTED)
def explain(opts: argparse.Namespace) -> Output:
    """Show why a URL has its place in the queue.

    The parts of its priority, its most important links, and the words that count.

    Exit code 1 for a URL that the crawl has never met.
    """
    from frontier.inspection import CrawlView

    with CrawlView.open(opts.directory) as view:
        return _shown(view.explain(opts.url, opts.n), rows=max(opts.n, 12))


def _shown(report: Report, rows: int = 20, unlabelled: Path | None = None) -> Output:
    """A report as JSON and text; `unlabelled`: the crawl whose harvest rate may be unknown."""
    from frontier.inspection.rendering import harvest_rate_text, rendered

    lines = rendered(report, rows)
    if unlabelled is not None and getattr(report, "judged", None):
        label = f"scrapy frontier label {shlex.quote(str(unlabelled))} --at-random"
        rate = harvest_rate_text(getattr(report, "harvest_rate", None), label)
        lines += ["", f"harvest rate  {rate}"]
    return Output(report.as_dict(), lambda: lines)


@action(
    "check",
    JOBDIR,
    argument(
        "--salvage",
        metavar="NEWDIR",
        type=Path,
        help="recover readable rows into a new job directory",
    ),
)
def check(opts: argparse.Namespace) -> Output:
    """Check whether a crawl is intact, and recover it.

    Exit code 1 if something is damaged, unless the readable rows were recovered.
    """
    from frontier import recovery

    report = recovery.check(opts.directory)
    document: dict[str, Any] = report.as_dict()
    saved = None
    if opts.salvage is not None:
        saved = recovery.salvage(opts.directory, opts.salvage)
        document["salvaged"] = asdict(saved)
    damaged = not report.intact and saved is None
    return Output(document, lambda: _checked(report, opts.directory, saved), int(damaged))


def _checked(report: CheckReport, directory: Path, saved: Salvaged | None) -> list[str]:
    from frontier.recovery import how_to_go_on

    width = max(len(finding.what) for finding in report.findings)
    lines = [report.path, ""]
    lines += [
        f"  {'ok' if finding.intact else 'DAMAGED':<7}  {finding.what:<{width}}  {finding.details}"
        for finding in report.findings
    ]
    if saved is None:
        return [*lines, "", how_to_go_on(report, directory)]
    return [
        *lines,
        "",
        f"Written to {saved.directory}: {saved.urls:,} URLs (at least {saved.lost_urls:,} lost), "
        f"{saved.pages:,} answers (at least {saved.lost_pages:,} lost, their URLs are fetched "
        f"again). To go on, start the crawl with JOBDIR={saved.directory}.",
    ]
