"""What `scrapy frontier stats` tells of a served crawl: fetchers, what is on offer, what waits.

The owner of the order keeps it in the file of the crawl, with the commit of a turn: once a second
while it changes, so that whoever looks needs no access to the exchange.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from frontier.store import keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.exchange.owner_side import FeedStanding, FetcherRow
    from frontier.store import Store

ANYWAY = 10.0
"""Seconds after which it is written although nothing has changed: it says when it was true."""
MOST = 256
"""Fetchers that are remembered; more than can fetch at once."""
FETCHING, REFUSED, GONE = "fetching", "refused", "gone"
"""What becomes of a fetcher."""


class Account:
    """Counts answers by fetcher, and writes down who fetches.

    It goes on with the counts of the process that served the crawl before.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives unix seconds."""
        self._store = store
        self._clock = clock
        found: dict[str, Any] = store.settings().get(keys.SERVED) or {}
        self._fetchers: dict[str, dict[str, Any]] = found.get("fetchers", {})
        self._answers = {one: int(row["answers"]) for one, row in self._fetchers.items()}
        self._stands: dict[str, Any] = found
        self._written: dict[str, Any] = {}
        self._at = float("-inf")

    def answered(self, fetcher: str) -> None:
        """Count an answer of a fetcher, by its id."""
        self._answers[fetcher] = self._answers.get(fetcher, 0) + 1

    def look(self, state: str, rows: Sequence[FetcherRow], standing: FeedStanding) -> None:
        """Put down how things stand, for the next commit, unless that is known."""
        now = self._clock()
        self._meet(rows, now)
        self._stands = {"state": state, **standing._asdict()}
        written = self._of_note()
        if written != self._written or now - self._at >= ANYWAY:
            self._written, self._at = written, now
            self._put_down(now)

    def end(self, state: str) -> None:
        """Put down that nobody owns the order from now on, and why."""
        if self._stands:
            self._count(self._fetchers)
            self._stands["state"] = state
            self._put_down(self._clock())

    def _put_down(self, now: float) -> None:
        self._store.set_setting(
            keys.SERVED, {**self._stands, "at": now, "fetchers": self._fetchers}
        )

    def _of_note(self) -> dict[str, Any]:
        """What is worth another commit: not that fetchers were heard of, once a second each."""
        fetchers = {one: row | {"heard": None} for one, row in self._fetchers.items()}
        return {**self._stands, "fetchers": fetchers}

    def _meet(self, rows: Sequence[FetcherRow], now: float) -> None:
        here = {row.id: self._entry(row, now) for row in rows}
        for fetcher, entry in self._fetchers.items():
            if fetcher not in here:
                entry |= {"state": GONE, "partitions": 0, "wants": 0}
        known = self._fetchers | here
        self._count(known)
        latest = sorted(known, key=lambda one: known[one]["heard"])[-MOST:]
        self._fetchers = {one: known[one] for one in known if one in set(latest)}

    def _count(self, fetchers: dict[str, dict[str, Any]]) -> None:
        for fetcher, entry in fetchers.items():
            entry["answers"] = self._answers.get(fetcher, 0)

    def _entry(self, row: FetcherRow, now: float) -> dict[str, Any]:
        state = REFUSED if row.verdict else FETCHING if row.is_live else GONE
        return {
            "name": row.name,
            "state": state,
            "places": row.places,
            "wants": row.wants if row.is_live else 0,
            "partitions": row.partitions,
            "heard": round(now - row.silent, 1),
        }
