"""From a crawl to a sink, portion by portion, to the end of the crawl or for ever."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from frontier.inspection.reports import Report

if TYPE_CHECKING:
    from frontier.follow.cursor import Cursor, KeptCursor
    from frontier.follow.events import EventSource
    from frontier.follow.sinks import Sink

POLL: Final = 1.0
"""Seconds between two looks at a crawl that has nothing new."""


@dataclass(frozen=True)
class FollowReport(Report):
    """How many events were handed on, and the place to go on from."""

    events: int
    upserts: int
    deletes: int
    cursor: str


def follow(
    source: EventSource,
    sink: Sink,
    since: Cursor | None = None,
    kept: KeptCursor | None = None,
    *,
    forever: bool = False,
) -> FollowReport:
    """Hand on what there is behind `since`, else behind the kept cursor; with `forever` go on.

    Raises FollowError for a cursor of another crawl, and what the sink raises; the kept cursor then
    stays before the events that the sink has not taken.
    """
    if since is None and kept is not None and not sink.is_new:
        since = kept.load()
    cursor = source.begin(since)
    upserts = deletes = 0
    while True:
        portion = source.read(cursor)
        if portion.events:
            sink.send(portion.events)
        if kept is not None and portion.cursor != cursor:
            kept.save(portion.cursor)
        cursor = portion.cursor
        added = sum(event.op == "upsert" for event in portion.events)
        upserts += added
        deletes += len(portion.events) - added
        if portion.is_last:
            if not forever:
                return FollowReport(upserts + deletes, upserts, deletes, str(cursor))
            time.sleep(POLL)
