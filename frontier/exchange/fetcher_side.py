"""A fetcher's statements on the exchange.

A fetcher owns partitions of hosts by leases that it renews each second. It counts their time by its
own clock, from before the renewal: where a renewal fails, it has stopped asking hosts before
another fetcher may begin. URLs that it takes from the feed, and its answers, hold only as long as
their partition has the fence that they were taken with.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from frontier.exchange import schema
from frontier.exchange.notes import NotesExchange
from frontier.exchange.schema import PARTITIONS
from frontier.exchange.wire import unpack_lease

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from frontier.exchange.connection import Connection
    from frontier.records import Lease

LEASE = 5.0
"""Seconds for which a partition is held without a renewal, as in the statements below."""
MARGIN = 0.5
"""Seconds before its end in which no request begins."""

_HEARTBEAT = """
INSERT INTO frontier.fetchers AS f (id, name, info, until, places, wants, seen, idle)
VALUES (%s, %s, %s, now() + interval '5 s', %s, %s, %s, %s)
ON CONFLICT (id) DO UPDATE SET until = now() + interval '5 s', wants = excluded.wants,
    seen = excluded.seen, idle = excluded.idle
RETURNING verdict"""
_STATE = """
SELECT state, alive > now() - interval '10 s',
    NOT EXISTS (SELECT FROM frontier.inbox WHERE fetcher = %s)
FROM frontier.coordinator"""
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
_GIVE_BACK_SOME = """
UPDATE frontier.feed SET owner = NULL, fence = NULL WHERE owner = %s AND seq = ANY(%s)"""
_SEND_AND_TAKE = """
WITH sent AS (
    SELECT * FROM unnest(%(seqs)s::bigint[], %(fences)s::bigint[], %(tokens)s::text[],
                         %(kinds)s::text[], %(heads)s::jsonb[], %(bodies)b::bytea[])
           WITH ORDINALITY AS sent (seq, fence, token, kind, head, body, number)),
gone AS (
    DELETE FROM frontier.feed USING sent
    WHERE feed.seq = sent.seq AND feed.fence = sent.fence AND feed.owner = %(me)s
    RETURNING feed.seq),
received AS (
    INSERT INTO frontier.inbox (token, fetcher, seq, kind, head, body)
    SELECT coalesce(token, %(me)s || ':' || seq), %(me)s, seq, kind, head, body
    FROM sent WHERE seq IS NULL OR seq IN (SELECT seq FROM gone) ORDER BY number
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
notified AS (
    SELECT pg_notify(%(channel)s, '')
    WHERE EXISTS (SELECT FROM received) OR EXISTS (SELECT FROM wished))
SELECT array(SELECT seq FROM received), (SELECT seen FROM wish), (SELECT count(*) FROM notified),
    taken.*
FROM (VALUES (true)) AS always LEFT JOIN taken ON true"""
"""One statement, as each costs both sides more than its work does: it delivers messages, answers
only of the time that their partition was held; takes the best URLs; and records the wish for more,
where some were left because their hosts are busy. Bytes are sent in binary (%b): as text they take
both sides four times as long."""
_NOTIFY = f"NOTIFY {schema.INBOX}"
_DELETE = "DELETE FROM frontier.fetchers WHERE id = %s"


class PublishedState(NamedTuple):
    """The state that the coordinator has published."""

    crawl: dict[str, Any]
    is_alive: bool
    has_all: bool
    """Whether it had applied by then all messages that this fetcher had delivered."""


class TakenUrl(NamedTuple):
    """A URL of the feed that this fetcher is to fetch."""

    seq: int
    part: int
    fence: int
    topic: int
    lease: Lease
    referrer: str | None
    """URL of the page that led to it, if there is one."""


class FetcherMessage(NamedTuple):
    """A message to the coordinator: the answer to a taken URL, or another one.

    An answer has number and fence of its URL, another message a token, which stays the same however
    often it is sent.
    """

    kind: str
    head: dict[str, Any]
    body: bytes
    seq: int | None = None
    fence: int | None = None
    token: str | None = None


@dataclass
class OwnedPartitions:
    """The partitions that are held: fence, and until when by this process's clock."""

    fences: dict[int, int] = field(default_factory=dict)
    until: float = 0.0
    leaving: set[int] = field(default_factory=set)
    since: dict[int, float] = field(default_factory=dict)
    """When a partition was taken over from another fetcher."""

    def holds(self, part: int, now: float) -> bool:
        """Whether hosts of a partition may be asked at a moment of this process's clock."""
        return part in self.fences and now < self.until - MARGIN


class FetcherExchange(NotesExchange):
    """One fetcher's side, on one connection.

    Raises ExchangeLostError where the server cannot be reached for now: `reconnect` then.
    """

    def __init__(
        self,
        connection: Connection,
        me: str,
        name: str,
        info: dict[str, Any],
        places: int,
        clock: Callable[[], float],
    ) -> None:
        """`places` is how many requests the fetcher makes at once."""
        self._connection = connection
        self._row = me, name, json.dumps(info), places
        self._me = me
        self._clock = clock
        self.owned = OwnedPartitions()
        self.wants = self._seen = 0
        self.idle = False

    def reconnect(self, connection: Connection, held: Collection[int]) -> None:
        """Go on with another connection; URLs that were taken and are not `held` are given back."""
        self._connection = connection
        connection.execute(f"LISTEN {schema.FEED}")
        if connection.execute(_GIVE_BACK, (self._me, list(held))).rowcount:
            connection.execute(f"NOTIFY {schema.FEED}")

    # -- time ----------------------------------------------------------------------------------

    def heartbeat(self) -> tuple[PublishedState | None, str | None]:
        """Report that this fetcher lives and renew its partitions; return state and verdict.

        The verdict on this fetcher is "" where it is admitted, None before it was checked, else the
        reason why it is refused.
        """
        began, connection = self._clock(), self._connection
        with connection.pipeline():
            beat = connection.execute(_HEARTBEAT, (*self._row, self.wants, self._seen, self.idle))
            published = connection.execute(_STATE, (self._me,))
            renewed = connection.execute(_RENEW, (self._me,))
        self._renewed(dict(renewed.fetchall()), began)
        state, verdict = published.fetchone(), beat.fetchone()
        return (PublishedState(*state) if state else None), (verdict[0] if verdict else None)

    def _renewed(self, fences: dict[int, int], began: float) -> None:
        owned = self.owned
        owned.fences, owned.until = fences, began + LEASE
        owned.leaving &= fences.keys()
        owned.since = {part: at for part, at in owned.since.items() if part in fences}

    def claim_share(self, busy: Collection[int]) -> None:
        """Claim partitions up to a fair share, or release those above it that are not `busy`."""
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
        if quiet := owned.leaving - busy:
            for part in quiet:
                owned.fences.pop(part)
            owned.leaving -= quiet
            self._connection.execute(_RELEASE, (self._me, list(quiet)))

    def leave(self) -> None:
        """End this fetcher: URLs that it has taken and not answered are given back."""
        connection = self._connection
        with connection.transaction():
            connection.execute(_GIVE_BACK, (self._me, []))
            connection.execute(_RELEASE, (self._me, list(range(PARTITIONS))))
            connection.execute(_DELETE, (self._me,))
            connection.execute(_NOTIFY)

    # -- URLs ----------------------------------------------------------------------------------

    def send_and_take(
        self, messages: Sequence[FetcherMessage], most: int, busy: Sequence[str]
    ) -> tuple[set[int], list[TakenUrl]]:
        """Deliver messages, and take the best URLs of the feed.

        At most so many, of no host that is `busy`. Returns the numbers of the answers that came too
        late, whose URLs another fetcher is to fetch, and the URLs that were taken.
        """
        # Answers first: another message may be of URLs that were answered by being set aside.
        ordered = sorted(messages, key=lambda message: message.seq is None)
        parameters = {
            "seqs": [message.seq for message in ordered],
            "fences": [message.fence for message in ordered],
            "tokens": [message.token for message in ordered],
            "kinds": [message.kind for message in ordered],
            "heads": [json.dumps(message.head) for message in ordered],
            "bodies": [message.body for message in ordered],
            "me": self._me,
            "n": most,
            "busy": list(busy),
            "channel": schema.INBOX,
            "leaving": list(self.owned.leaving),
        }
        rows = self._connection.execute(_SEND_AND_TAKE, parameters, binary=True).fetchall()
        accepted, seen, _ = rows[0][:3]
        taken = [
            TakenUrl(seq, part, fence, topic, *unpack_lease(url))
            for *_, seq, part, fence, topic, url in rows
            if url is not None
        ]
        self.wants, self._seen = most - len(taken), seen or self._seen
        sent = {message.seq for message in ordered if message.seq is not None}
        return sent.difference(accepted), sorted(taken)

    def give_back(self, seqs: Sequence[int]) -> None:
        """Leave URLs that were taken and not begun to other fetchers."""
        self._connection.execute(_GIVE_BACK_SOME, (self._me, list(seqs)))
        self._connection.execute(f"NOTIFY {schema.FEED}")
