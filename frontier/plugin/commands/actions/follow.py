"""``scrapy frontier follow``: what becomes of a crawl's pages, handed on as it comes."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from frontier.plugin.commands.base import JOBDIR, Output, action, argument

if TYPE_CHECKING:
    import argparse

    from frontier.follow.cursor import Cursor
    from frontier.follow.follower import FollowReport


@action(
    "follow",
    JOBDIR,
    argument("--since", metavar="CURSOR", help="go on behind the event that has this `cursor`"),
    argument("--forever", action="store_true", help="go on beside a running crawl, until stopped"),
    argument(
        "--format",
        choices=("jsonl", "opensearch"),
        help="of lines on standard output: an event each (default), or bodies of bulk requests",
    ),
    argument(
        "--to",
        metavar="SINK",
        help="https://host:9200/index of OpenSearch or Elasticsearch, or package.module:Sink",
    ),
    argument(
        "--webhook",
        metavar="URL",
        help="post each event: CloudEvents, signed with the FRONTIER_WEBHOOK_SECRET (whsec_...) of "
        "the environment",
    ),
    argument(
        "--tombstones",
        action="store_true",
        help="keep pages that are gone in the index, with `deleted`",
    ),
)
def follow(opts: argparse.Namespace) -> Output:
    """Hand on which pages are new, changed, gone or moved.

    Writes an event for each as a line of JSON to standard output, or hands them to an index, an
    address or a class. An event comes at least once, and never an older one of a page after a newer
    one. What a sink has taken is kept in DIR: it goes on from there.
    """
    from frontier.follow.cursor import Cursor
    from frontier.inspection.rendering import rendered

    if sum(given is not None for given in (opts.format, opts.to, opts.webhook)) > 1:
        raise UsageError("expected one of --format, --to and --webhook")
    if opts.tombstones and opts.format != "opensearch" and opts.to is None:
        raise UsageError("expected --tombstones with --to or --format opensearch")
    since = None if opts.since is None else Cursor.parse(opts.since)
    report = _handed_on(opts, since)
    return Output(report.as_dict(), lambda: rendered(report))


def _handed_on(opts: argparse.Namespace, since: Cursor | None) -> FollowReport:
    from frontier.follow.cursor import KeptCursor
    from frontier.follow.events import EventSource
    from frontier.follow.follower import follow as hand_on
    from frontier.follow.sinks import Lines, bulk_lines, json_line
    from frontier.follow.targets import target_of, webhook

    source = EventSource(opts.directory)
    if opts.to is None and opts.webhook is None:
        opts.out = "-"  # what is printed for people goes to standard error
        write = json_line
        if opts.format == "opensearch":
            write = partial(bulk_lines, tombstones=opts.tombstones)
        return hand_on(source, Lines(sys.stdout.buffer, write), since, forever=opts.forever)
    named = (
        webhook(opts.webhook) if opts.to is None else target_of(opts.to, tombstones=opts.tombstones)
    )
    with KeptCursor(opts.directory, named.key, named.shown) as kept, closing(named.make()) as sink:
        return hand_on(source, sink, since, kept, forever=opts.forever)
