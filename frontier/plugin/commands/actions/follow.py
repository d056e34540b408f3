"""``scrapy frontier follow``: what becomes of a crawl's pages, handed on as it comes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from frontier.plugin.commands.base import JOBDIR, Output, action, argument

if TYPE_CHECKING:
    import argparse


@action(
    "follow",
    JOBDIR,
    argument("--since", metavar="CURSOR", help="go on behind the event that has this `cursor`"),
    argument("--forever", action="store_true", help="go on beside a running crawl, until stopped"),
    argument(
        "--format",
        choices=("jsonl", "opensearch"),
        default="jsonl",
        help="of lines on standard output: an event each, or bodies of bulk requests",
    ),
)
def follow(opts: argparse.Namespace) -> Output:
    """Hand on what becomes of pages: new, changed, gone, moved.

    Writes an event for each as a line of JSON to standard output. An event comes at least once, and
    never an older one of a page after a newer one.
    """
    from frontier.follow.cursor import Cursor
    from frontier.follow.events import EventSource
    from frontier.follow.follower import follow as hand_on
    from frontier.follow.sinks import Lines
    from frontier.inspection.rendering import rendered

    opts.out = "-"  # what is printed for people goes to standard error
    since = None if opts.since is None else Cursor.parse(opts.since)
    source = EventSource(opts.directory)
    report = hand_on(source, Lines(sys.stdout.buffer, opts.format), since, forever=opts.forever)
    return Output(report.as_dict(), lambda: rendered(report))
