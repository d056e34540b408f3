"""``scrapy frontier stats``, ``top`` and ``url``: what they print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    Output = tuple[Any, Callable[[], list[str]]]

DEFAULT_N = 20


def stats(operands: list[str], opts: argparse.Namespace) -> Output:
    """Count what is in a crawl."""
    from frontier.inspection import CrawlView, text

    with CrawlView.open(Path(operands[0])) as view:
        found = view.stats()
    return found.as_dict(), lambda: text.stats_text(found)


def top(operands: list[str], opts: argparse.Namespace) -> Output:
    """List the best URLs in a state."""
    from frontier.inspection import CrawlView, text
    from frontier.states import State

    by = opts.by or "priority"
    state = State[(opts.state or "queued").upper()]
    with CrawlView.open(Path(operands[0])) as view:
        rows = view.top(opts.n or DEFAULT_N, state, by)
    said = {"by": by, "state": state.name.lower(), "urls": [row.as_dict() for row in rows]}
    return said, lambda: text.top_text(rows, by)


def url(operands: list[str], opts: argparse.Namespace) -> Output:
    """Tell all that is known of one URL."""
    from frontier.inspection import CrawlView, text

    with CrawlView.open(Path(operands[0])) as view:
        report = view.url(operands[1])
    return report.as_dict(), lambda: text.url_text(report)
