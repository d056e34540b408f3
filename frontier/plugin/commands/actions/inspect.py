"""Actions that look into a crawl: stats, top, url, explain, weights, compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from frontier.plugin.commands.actions import JOBDIR, Output
from frontier.plugin.commands.base import action, argument, positive

if TYPE_CHECKING:
    import argparse

STATES = ("queued", "leased", "crawled", "error", "robots", "filtered", "trap", "redirected")
ORDERINGS = ("priority", "score", "authority", "hub", "relevance")
OF_PAGES = ("relevance", "hub")
_URL = argument("url", metavar="URL", help="one URL; http:// may be left out")
_LISTED = argument("-n", type=positive, metavar="N", default=5, help="how many URLs in a list")


@action("stats", JOBDIR)
def stats(opts: argparse.Namespace) -> Output:
    """Count URLs, pages, errors and hosts."""
    from frontier.inspection import CrawlView
    from frontier.inspection.text import tables

    with CrawlView.open(opts.directory) as view:
        found = view.stats()
    return Output(found.as_dict(), lambda: tables.stats_text(found))


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
    from frontier.inspection.text import tables
    from frontier.states import State

    state = opts.state or ("crawled" if opts.by in OF_PAGES else "queued")
    with CrawlView.open(opts.directory) as view:
        rows = view.top(opts.n, State[state.upper()], opts.by)
    said = {"by": opts.by, "state": state, "urls": [row.as_dict() for row in rows]}
    return Output(said, lambda: tables.top_text(rows, opts.by))


@action("url", JOBDIR, _URL)
def url(opts: argparse.Namespace) -> Output:
    """Show all that is known of one URL."""
    from frontier.inspection import CrawlView
    from frontier.inspection.text import tables

    with CrawlView.open(opts.directory) as view:
        report = view.url(opts.url)
    return Output(report.as_dict(), lambda: tables.url_text(report))


@action("explain", JOBDIR, _URL, _LISTED)
def explain(opts: argparse.Namespace) -> Output:
    """Say why a URL has its place in the queue, or none.

    Exit code 1 for a URL that the crawl never met.
    """
    from frontier.inspection import CrawlView
    from frontier.inspection.text.explain import explain_text

    with CrawlView.open(opts.directory) as view:
        found = view.explain(opts.url, opts.n)
    said = found.as_dict()
    return Output(said, lambda: explain_text(found), int(said["state"] == "unknown"))


@action("weights", JOBDIR)
def weights(opts: argparse.Namespace) -> Output:
    """Show what a strategy that learns has learned."""
    from frontier.inspection import CrawlView
    from frontier.inspection.weights import weights_text

    with CrawlView.open(opts.directory) as view:
        found = view.weights()
    return Output(found.as_dict(), lambda: weights_text(found))


@action(
    "compare",
    argument("one", metavar="DIR1", type=Path, help="JOBDIR of a crawl"),
    argument("other", metavar="DIR2", type=Path, help="JOBDIR of another"),
    _LISTED,
)
def compare(opts: argparse.Namespace) -> Output:
    """Compare two crawls: what they share, what differs.

    What each found first, and what only one of them found.
    """
    from frontier.inspection.compare import compare as compared
    from frontier.inspection.text.compare import compare_text

    found = compared(opts.one, opts.other, opts.n)
    return Output(found.as_dict(), lambda: compare_text(found))
