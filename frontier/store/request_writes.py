"""Pending requests and leases of the crawl that runs.

Leases are few and in memory. A lease ends in one of three ways: its URL is queued again, or it is
answered; the lease of an answer that is *held* stays in the file until `finish`, so that after a
crash its URL is fetched once more.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np

from frontier.states import State
from frontier.store import schema
from frontier.store.loading import Loaded, PendingRequests, read_leases, read_undone
from frontier.store.queries import Queries
from frontier.store.rows import PLAIN, LeaseRow
from frontier.store.write_buffer import WriteBuffer


class RequestWrites(Queries):
    """Requests and leases; the next commit writes them.

    Invariant: a URL has at most one lease; `_leases` are those without an answer, by URL id,
    `_held` those whose answer is held, and `_held_requests` the requests that hold an answer in
    place of its lease, by lease number.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, *, keep_leases: bool) -> None:
        """Keep the leases of a served crawl if wanted; queue the URLs of others again."""
        super().__init__(path, connection)
        self._buffer = WriteBuffer()
        self._leases: dict[int, LeaseRow] = {}
        self._held: dict[int, LeaseRow] = {}
        self._held_requests: dict[int, int] = {}
        self._undone: dict[int, int] = {}
        if keep_leases and self.settings().get(schema.EXCHANGE) is not None:
            self._leases = {lease.url_id: lease for lease in read_leases(self._cursor)}
            return
        self._undone = read_undone(self._cursor)
        for url_id, rid in self._undone.items():
            self.add_request(rid, url_id, 0, PLAIN)
        for lease in read_leases(self._cursor):
            self._release(lease)

    def add_request(self, rid: int, url_id: int, priority_class: int, body: bytes | None) -> None:
        """Add a pending request of a URL, which is QUEUED again if it is answered."""
        row = (int(rid), int(url_id), int(priority_class), body)
        self._buffer.requests.add(row[0], row)

    def drop_request(self, rid: int) -> None:
        """Delete a pending request."""
        self._buffer.requests.drop(int(rid))

    def request_body(self, rid: int) -> bytes | None:
        """Return a pending request as it was serialised; None without one."""
        row = self._buffer.requests.rows.get(rid)
        if row is not None:
            return row[3]  # type: ignore[no-any-return]  # the body
        return None if rid in self._buffer.requests.gone else super().request_body(rid)

    def lease(self, lease: LeaseRow) -> None:
        """Record that a URL is leased."""
        assert lease.url_id not in self._leases, "a URL has at most one lease"
        assert lease.url_id not in self._held, "an answer that is held has a row of its own"
        self._leases[lease.url_id] = lease
        self._buffer.leases.add(lease.url_id, lease)

    def leases(self) -> list[LeaseRow]:
        """Return the leases without an answer, in their order."""
        return list(self._leases.values())

    def release(self, url_id: int) -> None:
        """Queue a leased URL again, with its pending request; its attempts are stored."""
        self._release(self._leases.pop(url_id))

    def _release(self, lease: LeaseRow) -> None:
        self._buffer.leases.drop(lease.url_id)
        self._buffer.attempts.put(lease.url_id, (lease.url_id, lease.attempts))

    def end_lease(self, url_id: int, *, held: bool) -> None:
        """End the lease of a URL, if there is one, by an answer that may be held."""
        lease = self._leases.pop(url_id, None)
        self._buffer.attempts.drop(url_id)
        if lease is not None:
            if held:
                self._held[lease.url_id] = lease
            else:
                self._delete(lease)

    def _delete(self, lease: LeaseRow) -> None:
        """Delete an answered lease with its request."""
        self._buffer.leases.drop(lease.url_id)
        if lease.rid is not None:
            self._buffer.requests.drop(lease.rid)

    def holds(self, url_id: int) -> LeaseRow | None:
        """Return the lease of a URL whose answer is held, None without one."""
        return self._held.get(int(url_id))

    def hold_as_request(self, url_id: int, rid: int) -> None:
        """Hold an answer by a pending request instead of its lease: the URL is leased again."""
        lease = self._held.pop(int(url_id))
        self._held_requests[lease.seq] = int(rid)
        self._buffer.leases.drop(lease.url_id)

    def finish(self, url_id: int, seq: int) -> None:
        """Delete what holds the answer to lease number `seq`, if it is held."""
        rid = self._held_requests.pop(seq, None)
        if rid is not None:
            self._buffer.requests.drop(rid)
            return
        lease = self._held.get(int(url_id))
        if lease is not None and lease.seq == seq:
            self._delete(self._held.pop(lease.url_id))

    @property
    def holding(self) -> bool:
        """Whether any answer is held."""
        return bool(self._held or self._held_requests)

    def _without_dead_leases(self, loaded: Loaded) -> Loaded:
        """Return a loaded crawl in which URLs leased by the process before are QUEUED again."""
        loaded.states[list(self._undone)] = State.QUEUED
        loaded.states[list(self._leases)] = State.LEASED
        undone = ([*self._undone.values()], [*self._undone], [0] * len(self._undone))
        pending = PendingRequests(
            *(
                np.append(column, more).astype(np.int64)
                for column, more in zip(loaded.pending, undone, strict=True)
            )
        )
        died = [lease for lease in loaded.leases if lease.url_id not in self._leases]
        next_rid = loaded.next_rid + len(self._undone)
        return replace(loaded, pending=pending, leases=died, next_rid=next_rid)
