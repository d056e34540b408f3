"""Actions that look into a crawl: stats, top, url, explain, weights, compare."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.plugin.commands.actions import JOBDIR, Output
from frontier.plugin.commands.base import action, argument, positive

if TYPE_CHECKING:
    import argparse

    from frontier.inspection.reports import Report

STATES = ("queued", "leased", "crawled", "error", "robots", "filtered", "trap", "redirected")
ORDERINGS = ("priority", "score", "authority", "hub", "relevance")
OF_PAGES = ("relevance", "hub")
_URL = argument("url", metavar="URL", help="one URL; http:// may be left out")
_LISTED = argument("-n", type=positive, metavar="N", default=5, help="how many URLs in a list")


@action("stats", JOBDIR)
def stats(opts: argparse.Namespace) -> Output:
    """Count URLs, pages, errors and hosts."""
    from frontier.inspection import CrawlView

    with CrawlView.open(opts.directory) as view:
        return _shown(view.stats(), unlabelled=opts.directory)


@action(
    "top",
    JOBDIR,
    argument("-n", type=positive, metavar="N", default=20, help="how many URLs"),
    argument(
        "--state",
        choices=STATES,
        help="URLs in this state (default: queued; crawled with --by relevance or hub, which only "
        "pages have)",
    ),
    argument("--by", choices=ORDERINGS, default="priority", help="what they are ordered by"),
)
def top(opts: argparse.Namespace) -> Output:
    """List the best URLs in a state.

    The priority of a URL that is not queued is that of its last hand-out.
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


@action("explain", JOBDIR, _URL, _LISTED)
def explain(opts: argparse.Namespace) -> Output:
    """Show why a URL has its place in the queue.

    What adds to its priority, the links that carry most, the words that count.

    Exit code 1 for a URL that the crawl never met.
    """
    from frontier.inspection import CrawlView

    with CrawlView.open(opts.directory) as view:
        return _shown(view.explain(opts.url, opts.n), rows=max(opts.n, 12))


@action("weights", JOBDIR)
def weights(opts: argparse.Namespace) -> Output:
    """Show what a strategy that learns has learned."""
    from frontier.inspection import CrawlView

    with CrawlView.open(opts.directory) as view:
        return _shown(view.weights(), rows=100)


@action(
    "compare",
    argument("one", metavar="DIR1", type=Path, help="JOBDIR of a crawl"),
    argument("other", metavar="DIR2", type=Path, help="JOBDIR of another"),
    _LISTED,
)
def compare(opts: argparse.Namespace) -> Output:
    """Compare two crawls, side by side.

    What they share, what each fetched earlier, what only one of them has.
    """
    from frontier.inspection.compare import compare as compared

    return _shown(compared(opts.one, opts.other, opts.n))


def _shown(report: Report, rows: int = 20, unlabelled: Path | None = None) -> Output:
    """A report as JSON and as text; `unlabelled`: the crawl whose harvest rate may be unknown."""
    from frontier.inspection.rendering import harvest_rate_text, rendered

    lines = rendered(report, rows)
    if unlabelled is not None and getattr(report, "judged", None):
        label = f"scrapy frontier label {shlex.quote(str(unlabelled))} --at-random"
        rate = harvest_rate_text(getattr(report, "harvest_rate", None), label)
        lines += ["", f"harvest rate  {rate}"]
    return Output(report.as_dict(), lambda: lines)
