"""From a crawl to a sink, portion by portion, to the end of the crawl or for ever."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from frontier.errors import StoreError
from frontier.follow.sent_scores import SentScores
from frontier.inspection.reports import Report

if TYPE_CHECKING:
    from frontier.follow.cursor import Cursor, KeptCursor
    from frontier.follow.sinks import Sink
    from frontier.follow.source import EventSource, Portion

logger = logging.getLogger(__name__)

POLL: Final = 1.0
"""Seconds between two reads of a crawl that has nothing new."""
BUSY_READS: Final = 30
"""Reads in a row that may fail as the store is busy, beside a running crawl."""


@dataclass(frozen=True)
class FollowReport(Report):
    """How many events were handed on, and the place to go on from."""

    events: int
    upserts: int
    deletes: int
    cursor: str


class Follower:
    """Hands the events of one crawl on to one sink."""

    def __init__(
        self,
        source: EventSource,
        sink: Sink,
        since: Cursor | None = None,
        kept: KeptCursor | None = None,
        *,
        rescored: float | None = None,
    ) -> None:
        """Begin behind `since`, else behind the kept cursor, unless the sink is new.

        `rescored` is the share of its sent score by which that of a page must move for it to be
        sent again; None: none is. Raises FollowError for a cursor of another crawl.
        """
        self._source, self._sink, self._kept, self._share = source, sink, kept, rescored
        self._sent = SentScores(None if kept is None else kept.folder / "scores")
        if since is None and kept is not None and not sink.is_new:
            since = kept.load()
        elif kept is not None:
            # A kill before the next is kept must not leave the place of another sink's content.
            kept.forget()
            self._sent.forget()
        if rescored is None:
            self._sent.forget()  # scores that are not noted any more
        self._cursor = source.begin(since)
        self._upserts = self._deletes = 0

    def run(self, *, forever: bool = False) -> FollowReport:
        """Hand on what there is; with `forever` go on.

        Raises what the sink raises, the kept cursor stays before what it has not taken.
        """
        failed = 0
        while True:
            try:
                is_last = self._turn()
                failed = 0
            except StoreError as error:
                # Of another class it stays as it is; this one passes when the crawl is restarted.
                failed += 1
                if not forever or type(error) is not StoreError or failed > BUSY_READS:
                    raise
                is_last = True
            if is_last:
                if not forever:
                    break
                time.sleep(POLL)
        events = self._upserts + self._deletes
        return FollowReport(events, self._upserts, self._deletes, str(self._cursor))

    def _turn(self) -> bool:
        """Hand on the next portion; return whether it was the last."""
        portion = self._source.read(self._cursor)
        self._hand_on(portion)
        if portion.is_last and self._share is not None:
            for more in self._source.rescored(self._cursor, self._sent, self._share):
                self._hand_on(more)
        return portion.is_last

    def _hand_on(self, portion: Portion) -> None:
        if portion.events:
            self._sink.send(portion.events)
            added = sum(event.op == "upsert" for event in portion.events)
            self._upserts += added
            self._deletes += len(portion.events) - added
            if self._share is not None:
                self._sent.note(portion.ids, portion.events)
        if self._kept is not None and portion.cursor != self._cursor:
            self._kept.save(portion.cursor)
        self._cursor = portion.cursor
