"""``scrapy frontier follow``: what becomes of a crawl's pages, handed on as it comes."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from frontier.plugin.commands.base import JOBDIR, Output, action, argument, share

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
        "--rescored",
        type=share,
        metavar="SHARE",
        help="also pages whose score moved by more than this share (0 to 1) since it was sent",
    ),
    argument(
        "--format",
        choices=("jsonl", "opensearch"),
        help="of lines on standard output: an event each (default), or bodies of bulk requests",
    ),
    argument(
        "--to",
        metavar="SINK",
        help="https://host:9200/index of OpenSearch or Elasticsearch, duckdb:FILE, lancedb:DIR, or "
        "package.module:Sink",
    ),
    argument(
        "--webhook",
        metavar="URL",
        help="post each event: CloudEvents, signed with the FRONTIER_WEBHOOK_SECRET (whsec_...) of "
        "the environment",
    ),
    argument(
        "--warc",
        metavar="FILE",
        type=Path,
        nargs="+",
        action="extend",
        help="WARC files of the crawl, or their folder: texts that were not kept",
    ),
    argument(
        "--tombstones",
        action="store_true",
        help="keep pages that are gone in the index, with `deleted`",
    ),
)
def follow(opts: argparse.Namespace) -> Output:
    """Hand on what becomes of pages, as it comes.

    Writes an event for each new, changed, gone or moved page as a line of JSON, or hands it to an
    index, an address or a class. It comes at least once, and never an older one after a newer
    one. What a sink has taken is kept in DIR: it goes on from there.
    """
    from frontier.follow.cursor import Cursor
    from frontier.inspection.rendering import rendered

    if sum(given is not None for given in (opts.format, opts.to, opts.webhook)) > 1:
        raise UsageError("expected one of --format, --to and --webhook")
    if opts.warc and opts.forever:
        raise UsageError("expected --warc without --forever: a file that grows is not read again")
    if opts.tombstones and opts.format != "opensearch" and opts.to is None:
        raise UsageError("expected --tombstones with --to or --format opensearch")
    since = None if opts.since is None else Cursor.parse(opts.since)
    report = _handed_on(opts, since)
    return Output(report.as_dict(), lambda: rendered(report))


def _handed_on(opts: argparse.Namespace, since: Cursor | None) -> FollowReport:
    from frontier.follow.cursor import KeptCursor
    from frontier.follow.follower import Follower
    from frontier.follow.sinks import Lines, bulk_lines, json_line
    from frontier.follow.source import EventSource
    from frontier.follow.targets import target_of, webhook

    recorded = None
    if opts.warc:
        from frontier.plugin.recorded import texts_of_bodies

        recorded = texts_of_bodies(_files(opts.warc))
    source = EventSource(opts.directory, recorded)
    if opts.to is None and opts.webhook is None:
        opts.out = "-"  # what is printed for people goes to standard error
        write = json_line
        if opts.format == "opensearch":
            write = partial(bulk_lines, tombstones=opts.tombstones)
        sink = Lines(sys.stdout.buffer, write)
        return Follower(source, sink, since, rescored=opts.rescored).run(forever=opts.forever)
    named = (
        webhook(opts.webhook) if opts.to is None else target_of(opts.to, tombstones=opts.tombstones)
    )
    with KeptCursor(opts.directory, named.key, named.shown) as kept, closing(named.make()) as made:
        follower = Follower(source, made, since, kept, rescored=opts.rescored)
        return follower.run(forever=opts.forever)


def _files(given: list[Path]) -> list[Path]:
    """Return WARC files, those of folders by name."""
    files = []
    for path in given:
        named = (*path.glob("*.warc"), *path.glob("*.warc.gz"))
        files += sorted(named) if path.is_dir() else [path]
    return files
