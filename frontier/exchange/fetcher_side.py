"""What a fetcher does with the exchange, statement by statement.

A fetcher owns partitions of hosts by leases that it renews each second. It counts their time by its
own clock, from before it asked: where a renewal fails to come, it has stopped asking hosts before
anybody else may begin. What it takes from the feed, and what it answers, holds only as long as the
fence of the partition is the one that it was taken with.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from frontier.exchange import schema
from frontier.exchange.schema import PARTITIONS
from frontier.exchange.wire import unpack_lease

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from frontier.exchange.connection import Connection
    from frontier.records import Lease

LEASE = 5.0
"""Seconds a partition is held without a renewal: those of the statements below."""
MARGIN = 0.5
"""Seconds before that in which nothing new is begun."""

_BEAT = """
INSERT INTO frontier.fetchers AS f (id, name, about, until, places, wants, seen, idle)
VALUES (%s, %s, %s, now() + interval '5 s', %s, %s, %s, %s)
ON CONFLICT (id) DO UPDATE SET until = now() + interval '5 s', wants = excluded.wants,
    seen = excluded.seen, idle = excluded.idle
RETURNING verdict"""
_BRAIN = """
SELECT told, epoch, alive > now() - interval '10 s',
    NOT EXISTS (SELECT FROM frontier.inbox WHERE fetcher = %s)
FROM frontier.brain"""
_LIVE = "SELECT count(*) FROM frontier.fetchers WHERE until > now() AND verdict = ''"
_RENEW = """
UPDATE frontier.parts SET until = now() + interval '5 s' WHERE owner = %s
RETURNING part, fence"""
_CLAIM = """
UPDATE frontier.parts
SET owner = %(me)s, last = %(me)s, fence = parts.fence + 1, until = now() + interval '5 s'
FROM (SELECT part, last FROM frontier.parts WHERE owner IS NULL OR until < now()
      ORDER BY part LIMIT %(n)s FOR UPDATE SKIP LOCKED) AS free
WHERE parts.part = free.part
RETURNING parts.part, parts.fence, free.last IS NOT NULL AND free.last <> %(me)s"""
_RELEASE = "UPDATE frontier.parts SET owner = NULL WHERE owner = %s AND part = ANY(%s)"
_GIVE_BACK = """
UPDATE frontier.feed SET owner = NULL, fence = NULL WHERE owner = %s AND seq <> ALL(%s)"""
_LEAVE = "UPDATE frontier.feed SET owner = NULL, fence = NULL WHERE owner = %s AND seq = ANY(%s)"
_TRADE = """
WITH said AS (
    SELECT * FROM unnest(%(seqs)s::bigint[], %(fences)s::bigint[], %(tokens)s::text[],
                         %(kinds)s::text[], %(heads)s::jsonb[], %(bodies)b::bytea[])
           WITH ORDINALITY AS said (seq, fence, token, kind, head, body, number)),
gone AS (
    DELETE FROM frontier.feed USING said
    WHERE feed.seq = said.seq AND feed.fence = said.fence AND feed.owner = %(me)s
    RETURNING feed.seq),
told AS (
    INSERT INTO frontier.inbox (token, fetcher, seq, kind, head, body)
    SELECT coalesce(token, %(me)s || ':' || seq), %(me)s, seq, kind, head, body
    FROM said WHERE seq IS NULL OR seq IN (SELECT seq FROM gone) ORDER BY number
    RETURNING seq),
best AS (
    SELECT feed.seq, parts.fence FROM frontier.feed JOIN frontier.parts USING (part)
    WHERE feed.owner IS NULL AND parts.owner = %(me)s AND parts.until > now()
      AND part <> ALL(%(leaving)s) AND host <> ALL(%(busy)s)
    ORDER BY class DESC, priority DESC, seq LIMIT %(n)s FOR UPDATE OF feed SKIP LOCKED),
taken AS (
    UPDATE frontier.feed SET owner = %(me)s, fence = best.fence FROM best
    WHERE feed.seq = best.seq
    RETURNING feed.seq, feed.part, feed.fence, feed.topic, feed.url),
wish AS (
    SELECT %(n)s - (SELECT count(*) FROM taken) AS wants, max(seq) AS seen
    FROM frontier.feed JOIN frontier.parts USING (part)
    WHERE feed.owner IS NULL AND parts.owner = %(me)s AND seq NOT IN (SELECT seq FROM taken)),
wished AS (
    UPDATE frontier.fetchers AS f SET wants = wish.wants, seen = wish.seen FROM wish
    WHERE f.id = %(me)s AND wish.wants > 0 AND wish.seen IS NOT NULL
      AND (f.wants, f.seen) IS DISTINCT FROM (wish.wants, wish.seen)
    RETURNING true),
news AS (
    SELECT pg_notify(%(channel)s, '')
    WHERE EXISTS (SELECT FROM told) OR EXISTS (SELECT FROM wished))
SELECT array(SELECT seq FROM told), (SELECT seen FROM wish), (SELECT count(*) FROM news), taken.*
FROM (VALUES (true)) AS one LEFT JOIN taken ON true"""
"""All in one statement, for each costs both sides more than what it does: answers of the time that
the partition was held, and what there is to say besides; the best URLs; and the wish for more,
where some were left because their hosts are busy. Bytes go as they are (%b): as text they take both
sides four times as long."""
_KEEP = """
INSERT INTO frontier.notes (kind, name, about, value)
SELECT * FROM unnest(%s::text[], %s::text[], %s::jsonb[], %b::bytea[])
ON CONFLICT (kind, name) DO UPDATE SET version = DEFAULT, at = now(), about = excluded.about,
    value = excluded.value"""
_NOTES = """
SELECT kind, name, about, value, extract(epoch FROM now() - at)::float8 FROM frontier.notes
WHERE kind = %s AND name = ANY(%s)"""
_NOTIFY = f"NOTIFY {schema.INBOX}"
_GONE = "DELETE FROM frontier.fetchers WHERE id = %s"


class BrainState(NamedTuple):
    """What the owner of the order has said last."""

    told: dict[str, Any]
    epoch: int
    is_alive: bool
    knows_all: bool
    """Whether it had taken in by then all that this fetcher had handed in."""


class Taken(NamedTuple):
    """A URL of the feed that this fetcher is to fetch."""

    seq: int
    part: int
    fence: int
    topic: int
    lease: Lease
    referrer: str | None
    """URL of the page that led to it, if one did."""


class FeedAnswer(NamedTuple):
    """What came of a URL of the feed."""

    seq: int
    fence: int
    kind: str
    head: dict[str, Any]
    body: bytes


class Said(NamedTuple):
    """What a fetcher says of its own accord; `token` is its own, however often it is sent."""

    token: str
    kind: str
    head: dict[str, Any]
    body: bytes


class Note(NamedTuple):
    """What is known under a kind and a name, for whoever needs it."""

    kind: str
    name: str
    about: dict[str, Any]
    value: bytes | None
    age: float = 0.0
    """Seconds since it was put down, by the clock of the database."""


@dataclass
class Owned:
    """The partitions that are held: fence, and until when by one's own clock."""

    fences: dict[int, int] = field(default_factory=dict)
    until: float = 0.0
    leaving: set[int] = field(default_factory=set)
    since: dict[int, float] = field(default_factory=dict)
    """When a partition was taken over from another fetcher."""

    def holds(self, part: int, now: float) -> bool:
        """Whether hosts of a partition may be asked at a moment of one's own clock."""
        return part in self.fences and now < self.until - MARGIN


class FetcherExchange:
    """One fetcher's side, on one connection.

    Raises ExchangeLostError where the server cannot be reached for now: `come_back` with another
    connection then.
    """

    def __init__(
        self,
        connection: Connection,
        me: str,
        name: str,
        about: dict[str, Any],
        places: int,
        clock: Callable[[], float],
    ) -> None:
        """`places` is how many requests the fetcher makes at once."""
        self._connection = connection
        self._who = me, name, json.dumps(about), places
        self._me = me
        self._clock = clock
        self.owned = Owned()
        self.wants = self._seen = 0
        self.idle = False

    def come_back(self, connection: Connection, held: Collection[int]) -> None:
        """Go on with another connection; what was taken and is not `held` is given back."""
        self._connection = connection
        connection.execute(f"LISTEN {schema.FEED}")
        if connection.execute(_GIVE_BACK, (self._me, list(held))).rowcount:
            connection.execute(f"NOTIFY {schema.FEED}")

    # -- time ----------------------------------------------------------------------------------

    def beat(self) -> tuple[BrainState | None, str | None]:
        """Say that this fetcher lives, renew its partitions; return what it is told.

        The second is the verdict on it: "" where it is admitted, None before anybody has looked,
        else why it is refused.
        """
        began, connection = self._clock(), self._connection
        beat = *self._who, self.wants, self._seen, self.idle
        with connection.pipeline():
            verdict = connection.execute(_BEAT, beat)
            brain = connection.execute(_BRAIN, (self._me,))
            renewed = connection.execute(_RENEW, (self._me,))
        self._renewed(dict(renewed.fetchall()), began)
        found, said = brain.fetchone(), verdict.fetchone()
        return (BrainState(*found) if found else None), (said[0] if said else None)

    def _renewed(self, fences: dict[int, int], began: float) -> None:
        owned = self.owned
        owned.fences, owned.until = fences, began + LEASE
        owned.leaving &= fences.keys()
        owned.since = {part: at for part, at in owned.since.items() if part in fences}

    def share(self, busy: Collection[int]) -> None:
        """Claim partitions up to a fair share, or release what is above it and not `busy`."""
        connection, owned = self._connection, self.owned
        live = connection.execute(_LIVE).fetchone()
        wanted = ceil(PARTITIONS / max(1, live[0] if live else 1))
        surplus = len(owned.fences) - wanted
        if surplus < 0:
            self._claim(-surplus)
        else:
            self._leave(surplus, set(busy))

    def _claim(self, most: int) -> None:
        self.owned.leaving.clear()
        rows = self._connection.execute(_CLAIM, {"me": self._me, "n": most}).fetchall()
        for part, fence, from_another in rows:
            self.owned.fences[part] = fence
            if from_another:
                self.owned.since[part] = self._clock()

    def _leave(self, surplus: int, busy: set[int]) -> None:
        owned = self.owned
        quiet_first = sorted(owned.fences, key=lambda part: (part in busy, -part))
        owned.leaving = set(quiet_first[:surplus])
        self.release(owned.leaving - busy)

    def release(self, parts: Collection[int]) -> None:
        """Give partitions free of which nothing is under way."""
        if parts:
            for part in parts:
                self.owned.fences.pop(part, None)
                self.owned.leaving.discard(part)
            self._connection.execute(_RELEASE, (self._me, list(parts)))

    def leave(self) -> None:
        """The fetcher ends: what it has taken and not answered is given back."""
        connection = self._connection
        with connection.transaction():
            connection.execute(_GIVE_BACK, (self._me, []))
            connection.execute(_RELEASE, (self._me, list(range(PARTITIONS))))
            connection.execute(_GONE, (self._me,))
            connection.execute(_NOTIFY)

    # -- URLs ----------------------------------------------------------------------------------

    def trade(
        self, answers: Sequence[FeedAnswer], said: Sequence[Said], most: int, busy: Sequence[str]
    ) -> tuple[set[int], list[Taken]]:
        """Hand answers in and whatever else there is to say, and take the best URLs of the feed.

        At most so many, of no host that is `busy`. Returns the numbers of the answers that came too
        late, whose URLs somebody else is to fetch, and what was taken.
        """
        # Answers first: what is said may be of URLs that were answered by being set aside.
        both: list[FeedAnswer | Said] = [*answers, *said]
        without = [None] * len(said)
        how = {
            "seqs": [one.seq for one in answers] + without,
            "fences": [one.fence for one in answers] + without,
            "tokens": [None] * len(answers) + [one.token for one in said],
            "kinds": [one.kind for one in both],
            "heads": [json.dumps(one.head) for one in both],
            "bodies": [one.body for one in both],
            "me": self._me,
            "n": most,
            "busy": list(busy),
            "channel": schema.INBOX,
            "leaving": list(self.owned.leaving),
        }
        found = self._connection.execute(_TRADE, how, binary=True).fetchall()
        accepted, seen, _ = found[0][:3]
        taken = [
            Taken(seq, part, fence, topic, *unpack_lease(url))
            for *_, seq, part, fence, topic, url in found
            if url is not None
        ]
        self.wants, self._seen = most - len(taken), seen or self._seen
        return {one.seq for one in answers}.difference(accepted), sorted(taken)

    def keep(self, notes: Iterable[Note]) -> None:
        """Put notes down for whoever needs them."""
        keep_notes(self._connection, notes)

    def give_back(self, seqs: Sequence[int]) -> None:
        """Leave URLs that were taken and not begun to others."""
        self._connection.execute(_LEAVE, (self._me, list(seqs)))
        self._connection.execute(f"NOTIFY {schema.FEED}")

    def notes(self, kind: str, names: Collection[str]) -> list[Note]:
        """Return what is noted under names of one kind."""
        rows = self._connection.execute(_NOTES, (kind, list(names)))
        return [Note(*row) for row in rows]


def keep_notes(connection: Connection, notes: Iterable[Note]) -> None:
    """Put notes down, one for each kind and name."""
    # In one order for all: two processes that keep the same ones must not wait for each other.
    kept = sorted((one.kind, one.name, json.dumps(one.about), one.value) for one in notes)
    if kept:
        connection.execute(_KEEP, [list(column) for column in zip(*kept, strict=True)])
