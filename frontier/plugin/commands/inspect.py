"""``scrapy frontier`` stats, top, url, explain, weights and compare: what they print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    Output = tuple[Any, Callable[[], list[str]]]

DEFAULT_N = 20
LISTED = 5


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only these actions have."""
    group = parser.add_argument_group(title="frontier compare")
    group.add_argument(
        "--sample",
        type=int,
        metavar="PAGES",
        help="estimate from so many pages of each crawl; without it, count where that is quick",
    )


def check_compare(args: list[str], opts: argparse.Namespace) -> None:
    """Raise UsageError for a sample of nothing."""
    if opts.sample is not None and opts.sample < 1:
        raise UsageError(f"expected --sample 1 or more, found {opts.sample}")


def stats(operands: list[str], opts: argparse.Namespace) -> Output:
    """Count what is in a crawl."""
    from frontier.inspection import CrawlView
    from frontier.inspection.text import tables

    with CrawlView.open(Path(operands[0])) as view:
        found = view.stats()
    return found.as_dict(), lambda: tables.stats_text(found)


def top(operands: list[str], opts: argparse.Namespace) -> Output:
    """List the best URLs in a state."""
    from frontier.inspection import CrawlView
    from frontier.inspection.text import tables
    from frontier.states import State

    by = opts.by or "priority"
    state = State[(opts.state or "queued").upper()]
    with CrawlView.open(Path(operands[0])) as view:
        rows = view.top(opts.n or DEFAULT_N, state, by)
    said = {"by": by, "state": state.name.lower(), "urls": [row.as_dict() for row in rows]}
    return said, lambda: tables.top_text(rows, by)


def url(operands: list[str], opts: argparse.Namespace) -> Output:
    """Tell all that is known of one URL."""
    from frontier.inspection import CrawlView
    from frontier.inspection.text import tables

    with CrawlView.open(Path(operands[0])) as view:
        report = view.url(operands[1])
    return report.as_dict(), lambda: tables.url_text(report)


def explain(operands: list[str], opts: argparse.Namespace) -> Output:
    """Say why a URL has its place."""
    from frontier.inspection import CrawlView
    from frontier.inspection.text.explain import explain_text

    with CrawlView.open(Path(operands[0])) as view:
        found = view.explain(operands[1], opts.n or LISTED)
    return found.as_dict(), lambda: explain_text(found)


def explained(said: Any) -> int:
    """Exit code of an explanation: 1 for a URL that the crawl never met."""
    return int(said["state"] == "unknown")


def weights(operands: list[str], opts: argparse.Namespace) -> Output:
    """Say what the order of a crawl has learned."""
    from frontier.inspection import CrawlView
    from frontier.inspection.text.weights import weights_text

    with CrawlView.open(Path(operands[0])) as view:
        found = view.weights()
    return found.as_dict(), lambda: weights_text(found)


def compare(operands: list[str], opts: argparse.Namespace) -> Output:
    """Put two crawls beside each other."""
    from frontier.inspection.compare.compare import compare as compared
    from frontier.inspection.text.compare import compare_text

    one, other = (Path(operand) for operand in operands)
    found = compared(one, other, opts.sample, opts.n or LISTED)
    return found.as_dict(), lambda: compare_text(found)
