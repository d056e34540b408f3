"""The coordinator's statements on the exchange.

Each turn is a transaction whose first statement locks the coordinator's row and checks its epoch: a
second coordinator waits for a turn that is under way, and the first one learns that it is replaced
before it changes anything.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from frontier.errors import ExchangeError
from frontier.exchange import schema
from frontier.exchange.notes import NotesExchange

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from frontier.exchange.connection import Connection

_CRAWL = "SELECT crawl FROM frontier.coordinator FOR UPDATE"
_OWN = """
INSERT INTO frontier.coordinator AS c (version, crawl, epoch, name, alive, state)
VALUES (%s, %s, (extract(epoch FROM clock_timestamp()) * 1e6)::bigint, %s, now(), '{}')
ON CONFLICT (single) DO UPDATE SET epoch = c.epoch + 1, name = excluded.name, alive = now()
RETURNING epoch"""
"""No epoch is used twice, not even after the tables were emptied: the first is the time."""
_TURN = "UPDATE frontier.coordinator SET alive = now() WHERE epoch = %s RETURNING true"
_PUBLISH = "UPDATE frontier.coordinator SET state = %s WHERE epoch = %s"
_INBOX = """
SELECT id, token, fetcher, seq, kind, head, body FROM frontier.inbox ORDER BY id LIMIT %s"""
_DONE = "DELETE FROM frontier.inbox WHERE id = ANY(%s)"
_FEED = "SELECT seq FROM frontier.feed"
_ANSWERED = "SELECT seq FROM frontier.inbox WHERE seq IS NOT NULL"
_LOST = """
DELETE FROM frontier.feed USING frontier.parts
WHERE feed.owner IS NOT NULL AND parts.part = feed.part
  AND (parts.owner IS DISTINCT FROM feed.owner OR parts.fence <> feed.fence OR parts.until < now())
RETURNING feed.seq"""
_OFFER = """
INSERT INTO frontier.feed (seq, part, host, class, priority, topic, url)
SELECT * FROM unnest(%s::bigint[], %s::integer[], %s::text[], %s::bigint[],
                     %s::double precision[], %s::integer[], %b::bytea[])"""
_WITHDRAW = "DELETE FROM frontier.feed WHERE seq = ANY(%s)"
_FETCHERS = """
SELECT id, name, info, idle, verdict, until > now() FROM frontier.fetchers ORDER BY until, id"""
_DEMAND = """
SELECT places, (
    SELECT count(*) FROM frontier.feed JOIN frontier.parts USING (part)
    WHERE f.wants > 0 AND parts.owner = f.id AND feed.owner IS NULL AND feed.seq <= f.seen)
FROM frontier.fetchers AS f WHERE until > now() AND verdict = ''"""
_SET_VERDICT = "UPDATE frontier.fetchers SET verdict = %s WHERE id = %s"
_DELETE_GONE = "DELETE FROM frontier.fetchers WHERE until < now() - interval '1 hour'"
_VACUUM = "VACUUM (TRUNCATE false, SKIP_LOCKED) frontier.feed, frontier.inbox, frontier.fetchers"


class InboxMessage(NamedTuple):
    """A row of the inbox; `seq` is the number of the lease that it answers, None for others."""

    number: int
    token: str
    fetcher: str
    seq: int | None
    kind: str
    head: dict[str, Any]
    body: bytes


class FetcherRow(NamedTuple):
    """A fetcher and what it has sent of itself."""

    id: str
    name: str
    info: dict[str, Any]
    idle: bool
    verdict: str | None
    is_live: bool


class FetcherDemand(NamedTuple):
    """The work that a live fetcher can do."""

    places: int
    """Requests that it makes at once."""
    blocked: int
    """URLs on offer that it has left although it could fetch more: their hosts are busy."""


class Offer(NamedTuple):
    """A row of the feed."""

    seq: int
    part: int
    host: str
    priority_class: int
    priority: float
    topic: int
    url: bytes


class ReplacedError(ExchangeError):
    """Another process owns the order by now."""


class OwnerExchange(NotesExchange):
    """The owner's side, on one connection. Raises ExchangeLostError as `FetcherExchange` does."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        self.epoch = 0

    def own(self, crawl: str) -> None:
        """Become the owner of the order; waits for another owner's turn that is under way.

        Raises ExchangeError where the exchange belongs to another crawl.
        """
        self._crawl = crawl
        connection = self._connection
        with connection.transaction():
            row = connection.execute(_CRAWL).fetchone()
            if row is not None and row[0] != crawl:
                raise ExchangeError(
                    "The exchange belongs to another crawl than the one in JOBDIR. Name the JOBDIR "
                    "of that crawl, give another database, or empty the exchange with --wipe once "
                    "its fetchers have ended."
                )
            values = schema.VERSION, crawl, self._name
            (self.epoch,) = connection.execute(_OWN, values).fetchone() or (0,)
        connection.execute(f"LISTEN {schema.INBOX}")

    def reconnect(self, connection: Connection) -> bool:
        """Go on with another connection; returns whether the exchange was emptied meanwhile.

        Raises ReplacedError where another process owns the order by now.
        """
        self._connection = connection
        schema.create(connection)
        if connection.execute(_CRAWL).fetchone() is None:
            self.own(self._crawl)
            return True
        with self.turn():
            connection.execute(f"LISTEN {schema.INBOX}")
        return False

    @contextmanager
    def turn(self, most: int = 0) -> Iterator[tuple[list[InboxMessage], list[FetcherDemand]]]:
        """One transaction; ReplacedError where another process owns the order.

        With `most` it gives so many of the oldest messages, and the demand of the live fetchers.
        """
        connection = self._connection
        # Statements travel together where no result of theirs is needed in between.
        with connection.pipeline(), connection.transaction():
            owns = connection.execute(_TURN, (self.epoch,))
            inbox = connection.execute(_INBOX, (most,), binary=True) if most else ()
            demand = connection.execute(_DEMAND) if most else ()
            if owns.fetchone() is None:
                raise ReplacedError(
                    "Another `scrapy frontier serve` owns this exchange by now, so this one "
                    "stops; nothing is lost."
                )
            yield [InboxMessage(*row) for row in inbox], [FetcherDemand(*row) for row in demand]

    def update_feed(
        self, done: Sequence[int], offers: Sequence[Offer], withdrawn: Sequence[int]
    ) -> None:
        """Delete messages that are done, offer URLs, and withdraw others."""
        connection = self._connection
        if done:
            connection.execute(_DONE, (list(done),))
        if withdrawn:
            connection.execute(_WITHDRAW, (list(withdrawn),))
        if offers:
            connection.execute(_OFFER, [list(column) for column in zip(*offers, strict=True)])
            self._notify({offer.part for offer in offers})

    def _notify(self, parts: Collection[int] = ()) -> None:
        """Wake the fetchers of some partitions, or all."""
        payload = " ".join(map(str, sorted(parts)))
        self._connection.execute("SELECT pg_notify(%s, %s)", (schema.FEED, payload))

    def feed(self) -> set[int]:
        """Return the numbers of the leases in the feed, taken or not."""
        return self._numbers(_FEED)

    def answered(self) -> set[int]:
        """Return the numbers of the leases whose answers are in the inbox."""
        return self._numbers(_ANSWERED)

    def take_lost(self) -> list[int]:
        """Delete from the feed what fetchers took and lost, with the partition; returns numbers."""
        return sorted(self._numbers(_LOST))

    def _numbers(self, statement: str) -> set[int]:
        return {number for (number,) in self._connection.execute(statement)}

    def fetchers(self) -> list[FetcherRow]:
        """Return the fetchers that are there or were there of late."""
        return [FetcherRow(*row) for row in self._connection.execute(_FETCHERS)]

    def set_verdict(self, fetcher: str, verdict: str) -> None:
        """Admit a fetcher by "", or refuse it for a reason."""
        self._connection.execute(_SET_VERDICT, (verdict, fetcher))
        self._notify()

    def delete_gone_fetchers(self) -> None:
        """Delete fetchers that have not renewed their leases for an hour."""
        self._connection.execute(_DELETE_GONE)

    def vacuum(self) -> None:
        """Free the space of deleted rows; outside of turns.

        Rows live for a moment here: autovacuum comes once a minute, and until then each statement
        would read the dead rows of a minute, at ten times the cost of the live ones.
        """
        self._connection.execute(_VACUUM)

    def publish(self, state: dict[str, Any]) -> None:
        """Publish the state of the crawl to all fetchers."""
        self._connection.execute(_PUBLISH, (json.dumps(state), self.epoch))
        self._notify()
