"""What the owner of the order does with the exchange, statement by statement.

Every turn is one transaction whose first statement locks the row of the owner and looks whether it
is still the one (epoch): a second owner waits for a turn that is under way, and the first one finds
out before it changes anything.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from frontier.errors import ExchangeError
from frontier.exchange import schema
from frontier.exchange.fetcher_side import Note, keep_notes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from frontier.exchange.connection import Connection

_FOUND = "SELECT crawl FROM frontier.brain FOR UPDATE"
_OWN = """
INSERT INTO frontier.brain AS b (version, crawl, epoch, name, alive, told)
VALUES (%s, %s, (extract(epoch FROM clock_timestamp()) * 1e6)::bigint, %s, now(), '{}')
ON CONFLICT (one) DO UPDATE SET epoch = b.epoch + 1, name = excluded.name, alive = now()
RETURNING epoch"""
"""An epoch is never used again, even if the tables were emptied in between: it begins with the
time."""
_OWNED = "SELECT EXISTS (SELECT FROM frontier.brain)"
_TURN = "UPDATE frontier.brain SET alive = now() WHERE epoch = %s RETURNING true"
_TELL = "UPDATE frontier.brain SET told = %s WHERE epoch = %s"
_INBOX = """
SELECT id, token, fetcher, seq, kind, head, body FROM frontier.inbox ORDER BY id LIMIT %s"""
_DONE = "DELETE FROM frontier.inbox WHERE id = ANY(%s)"
_FED = "SELECT seq, owner IS NOT NULL FROM frontier.feed"
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
SELECT id, name, about, idle, verdict, until > now() FROM frontier.fetchers ORDER BY until, id"""
_WISHES = """
SELECT places, (
    SELECT count(*) FROM frontier.feed JOIN frontier.parts USING (part)
    WHERE f.wants > 0 AND parts.owner = f.id AND feed.owner IS NULL AND feed.seq <= f.seen)
FROM frontier.fetchers AS f WHERE until > now() AND verdict = ''"""
_JUDGE = "UPDATE frontier.fetchers SET verdict = %s WHERE id = %s"
_FORGET = "DELETE FROM frontier.fetchers WHERE until < now() - interval '1 hour'"
_NEWS = """
SELECT kind, name, about, value, extract(epoch FROM now() - at)::float8, version
FROM frontier.notes WHERE version > %s AND kind <> 'topic'
ORDER BY version LIMIT 1000"""
_TIDY = "VACUUM (TRUNCATE false, SKIP_LOCKED) frontier.feed, frontier.inbox, frontier.fetchers"

_ANOTHER = (
    "The exchange belongs to another crawl than the one in JOBDIR. Name the JOBDIR of that crawl, "
    "give another database, or empty the exchange with --wipe once its fetchers have ended."
)


class Message(NamedTuple):
    """One row of the inbox; `seq` is the number of the lease that it answers, if it does."""

    number: int
    token: str
    fetcher: str
    seq: int | None
    kind: str
    head: dict[str, Any]
    body: bytes


class FetcherRow(NamedTuple):
    """What a fetcher has said of itself."""

    id: str
    name: str
    about: dict[str, Any]
    idle: bool
    verdict: str | None
    is_live: bool


class Wish(NamedTuple):
    """What a live fetcher could do."""

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


class OwnerExchange:
    """The owner's side, on one connection. Raises ExchangeLostError as `FetcherExchange` does."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        self.epoch = 0

    def own(self, crawl: str) -> None:
        """Become the owner of the order; waits for a turn of another that is under way.

        Raises ExchangeError where the exchange belongs to another crawl.
        """
        self._crawl = crawl
        connection = self._connection
        with connection.transaction():
            found = connection.execute(_FOUND).fetchone()
            if found is not None and found[0] != crawl:
                raise ExchangeError(_ANOTHER)
            row = schema.VERSION, crawl, self._name
            (self.epoch,) = connection.execute(_OWN, row).fetchone() or (0,)
        connection.execute(f"LISTEN {schema.INBOX}")

    def come_back(self, connection: Connection) -> bool:
        """Go on with another connection; whether what was noted in the exchange is still there.

        Raises ReplacedError where another process owns the order by now.
        """
        self._connection = connection
        schema.create(connection)
        (owned,) = connection.execute(_OWNED).fetchone() or (False,)
        if not owned:
            self.own(self._crawl)
            return False
        with self.turn():
            connection.execute(f"LISTEN {schema.INBOX}")
        return True

    @contextmanager
    def turn(self, most: int = 0) -> Iterator[tuple[list[Message], list[Wish]]]:
        """One transaction; ReplacedError where another process owns the order.

        With `most` it comes with so many of the oldest messages, and with what the fetchers want
        that are there.
        """
        connection = self._connection
        # Statements go together, as far as nobody waits for what they return.
        with connection.pipeline(), connection.transaction():
            owns = connection.execute(_TURN, (self.epoch,))
            inbox = connection.execute(_INBOX, (most,), binary=True) if most else ()
            wishes = connection.execute(_WISHES) if most else ()
            if owns.fetchone() is None:
                raise ReplacedError(
                    "Another `scrapy frontier serve` owns this exchange by now, so this one "
                    "stops; nothing is lost."
                )
            yield [Message(*row) for row in inbox], [Wish(*row) for row in wishes]

    def settle(
        self, done: Sequence[int], offers: Sequence[Offer], withdrawn: Sequence[int]
    ) -> None:
        """Take messages out of the inbox, and put URLs into the feed or out of it."""
        connection = self._connection
        if done:
            connection.execute(_DONE, (list(done),))
        if withdrawn:
            connection.execute(_WITHDRAW, (list(withdrawn),))
        if offers:
            connection.execute(_OFFER, [list(column) for column in zip(*offers, strict=True)])
            self._notify({one.part for one in offers})

    def _notify(self, parts: Collection[int] = ()) -> None:
        """Wake the fetchers of some partitions, or all."""
        told = schema.FEED, " ".join(map(str, sorted(parts)))
        self._connection.execute("SELECT pg_notify(%s, %s)", told)

    def fed(self) -> dict[int, bool]:
        """Return the numbers in the feed, and whether somebody has taken them."""
        return dict(self._connection.execute(_FED).fetchall())

    def answered(self) -> set[int]:
        """Return the numbers whose answers are in the inbox."""
        return {row[0] for row in self._connection.execute(_ANSWERED)}

    def lost(self) -> list[int]:
        """Take out of the feed what fetchers had taken that do not hold its partition any more."""
        return sorted(row[0] for row in self._connection.execute(_LOST))

    def fetchers(self) -> list[FetcherRow]:
        """Return those that are there or were of late."""
        return [FetcherRow(*row) for row in self._connection.execute(_FETCHERS)]

    def judge(self, fetcher: str, verdict: str) -> None:
        """Admit a fetcher, with "", or say why it is refused."""
        self._connection.execute(_JUDGE, (verdict, fetcher))
        self._notify()

    def forget_the_dead(self) -> None:
        """Take out fetchers that have not been heard of for an hour."""
        self._connection.execute(_FORGET)

    def tidy(self) -> None:
        """Make room of what is gone; outside of turns.

        Rows live for a moment here: left to autovacuum, which comes once a minute, the dead ones of
        a minute are read with each statement, and cost ten times what those that live do.
        """
        self._connection.execute(_TIDY)

    def tell(self, told: dict[str, Any]) -> None:
        """Say how the crawl stands."""
        self._connection.execute(_TELL, (json.dumps(told), self.epoch))
        self._notify()

    def keep(self, notes: Iterable[Note]) -> None:
        """Put notes down for whoever needs them."""
        keep_notes(self._connection, notes)

    def news(self, after: int) -> list[tuple[Note, int]]:
        """Return notes that are newer than a version, each with its own."""
        rows = self._connection.execute(_NEWS, (after,))
        return [(Note(*row[:5]), row[5]) for row in rows]
