"""The queue of URLs: the next URL is always, exactly, the best whose host has room.

The key is (class descending, priority descending, fingerprint ascending): a total order that does
not depend on the time of discovery, so that a resumed crawl continues as the interrupted one would.

`frontier/queue/tiers.py` stores the keys, so that a million of them take little memory and the best
is found at once. This module changes them and decides which URL may leave: URLs can be held back,
hosts can be without room, and mediocre URLs may have to wait for better ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frontier.queue.columns import Ids, Key, KeyColumns
from frontier.queue.eligibility import HeldBack, HostRoom, Room
from frontier.queue.heaps import LAST
from frontier.queue.tiers import ABSENT, HELD, OUTSIDE, POOLED, PooledKeys
from ranking.arrays import Column

_BULK = 1000
"""From so many changes on it is cheaper to fill the pool anew than to change each key."""


class UrlQueue(PooledKeys):
    """The queued URLs, by id.

    Invariant: that of `PooledKeys`; a queued URL that is neither in the pool nor outside is held
    back.
    """

    def __init__(
        self,
        columns: KeyColumns,
        pool_size: int = 2_000,
        host_share: int = 64,
        bulk: int = _BULK,
    ) -> None:
        """Keep about `pool_size` URLs in heaps, at least `host_share` a host when many wait.

        From `bulk` changes at once on the pool is filled anew. No URL is queued in `columns` yet.
        """
        super().__init__(pool_size, host_share, columns)
        self._bulk = bulk
        self._n_popped = 0
        self.passed_over = 0
        """Number of URLs popped while a better one waited for a host without room."""
        self._held = HeldBack()
        self._worth_waiting = Column(np.bool_)
        self._overtook = False

    def __len__(self) -> int:
        return self._n_queued

    def __contains__(self, url_id: int) -> bool:
        return 0 <= url_id < len(self._columns.places) and self._columns.places[url_id] != ABSENT

    def queued(self) -> Ids:
        """Return the ids of all queued URLs, those held back included, ascending."""
        return np.flatnonzero(self._columns.places)

    def push(
        self,
        ids: Sequence[int] | NDArray[np.int64],
        priorities: ArrayLike,
        classes: ArrayLike,
    ) -> None:
        """Queue distinct URLs; a queued URL gets the new key, and stays held back.

        Priorities are finite; `classes` may be a single number for all.
        """
        rows = np.asarray(ids, dtype=np.int64)
        if len(rows) == 0:
            return
        self._write(rows, priorities, classes)
        rows = rows[self._columns.places[rows] != HELD]
        if len(rows) >= self._bulk:
            self._columns.places[rows] = OUTSIDE
            self._start_over()
        else:
            self._arrange(rows)

    def _write(self, rows: Ids, priorities: ArrayLike, classes: ArrayLike) -> None:
        """Set the keys and count the URLs that were not queued."""
        self._columns.grow(int(rows.max()) + 1)
        self._columns.priorities[rows] = priorities
        self._columns.classes[rows] = classes
        self._standing.note(len(rows))
        assert np.isfinite(priorities).all(), "a priority is finite"
        new = rows[self._columns.places[rows] == ABSENT]
        self._columns.places[new] = OUTSIDE
        self._n_queued += len(new)
        new_hosts = self._columns.hosts[new]
        self._counts.resize(int(new_hosts.max(initial=-1)) + 1)
        counts = self._counts.array
        if len(new) < len(counts):
            np.add.at(counts, new_hosts, 1)
        else:
            counts += np.bincount(new_hosts, minlength=len(counts))

    def update(self, ids: Sequence[int] | NDArray[np.int64], priorities: ArrayLike) -> None:
        """Give URLs new priorities; those that are not queued are ignored."""
        rows = np.asarray(ids, dtype=np.int64)
        values = np.broadcast_to(np.asarray(priorities, dtype=np.float64), rows.shape)
        known = rows < len(self._columns.places)
        if not known.all():
            rows, values = rows[known], values[known]
        places = self._columns.places[rows]
        assert np.isfinite(values).all(), "a priority is finite"
        self._columns.priorities[rows] = values
        self._standing.note(len(rows))
        if len(rows) < self._bulk:
            self._arrange(rows[(places == OUTSIDE) | (places == POOLED)])
        elif (places == POOLED).all():
            self._rearrange()
        else:
            self._start_over()

    def ahead_of(self, url_id: int) -> int:
        """Count the queued URLs that are better, in class or priority, than a URL that just left.

        URLs held back do not count; 0 if the last `pop` passed over no better URL.
        """
        if not self._overtook:
            return 0
        columns = self._columns
        same_class = columns.classes == columns.classes[url_id]
        better = (columns.priorities > columns.priorities[url_id]) & same_class
        better |= columns.classes > columns.classes[url_id]
        places = self._columns.places[np.flatnonzero(better)]
        return int(np.count_nonzero((places == POOLED) | (places == OUTSIDE)))

    def remove(self, url_id: int) -> None:
        """Remove a URL from the queue, if it is queued."""
        if url_id in self:
            self._leave(url_id, int(self._columns.hosts[url_id]))

    def _leave(self, url_id: int, host: int) -> None:
        self._pool.leave(url_id)
        self._held.release(url_id)
        self._columns.places[url_id] = ABSENT
        self._counts.array[host] -= 1
        self._n_queued -= 1

    def defer(self, url_id: int, priority: float, priority_class: int, *, after: int) -> None:
        """Queue a URL that may leave after `after` more URLs, or when no other is left."""
        self._write(np.array([url_id]), priority, priority_class)
        self._pool.leave(url_id)
        self._columns.places[url_id] = HELD
        self._held.hold(url_id, self._n_popped + after)

    def pop(self, n: int, room: Room, share: float = 1.0) -> list[tuple[int, float]]:
        """Take the n best URLs, best first, as (id, priority), and no more of a host than its room.

        Fewer than n come back only when no other URL may be leased. With a `share` below 1 that is
        also when as many as that share of the queue are better, and wait for hosts that are worth
        it (`wait_for`).
        """
        rooms = HostRoom(room)
        self._pool.unpark(rooms)
        self._overtook = False
        taken: list[tuple[int, float]] = []
        while len(taken) < n:
            key = self._next(rooms, share)
            if key is None:
                break
            taken.append((int(key[3]), -key[1]))
        return taken

    def _next(self, rooms: HostRoom, share: float) -> Key | None:
        self._release_due()
        best = self._best(rooms)
        if best is None:
            key = self._take_held(rooms)
            self._overtook = True
        else:
            key, host = best
            waits = self._pool.keeps_waiting(key)
            # A URL that overtakes nothing is good, and the cut need not be computed.
            if waits and not self._is_good(key, share):
                return None
            self.passed_over += waits
            self._overtook |= waits
            rooms.use(host)
            self._leave(int(key[3]), host)
        if key is not None:
            self._n_popped += 1
            self._standing.note(1)
        return key

    def _is_good(self, key: Key, share: float) -> bool:
        waiting = self._n_queued - len(self._held)
        return self._standing.is_good(key, share, self._key_at, waiting)

    def wait_for(self, host: int) -> None:
        """Let better URLs of this host, which answers soon, delay worse URLs of other hosts."""
        self._expect(host, soon=True)

    def do_not_wait_for(self, host: int) -> None:
        """Let the URLs of this host delay no others, as is the case for every host at first."""
        self._expect(host, soon=False)

    def _expect(self, host: int, *, soon: bool) -> None:
        self._worth_waiting.resize(host + 1)
        if self._worth_waiting.array.item(host) is not soon:
            self._worth_waiting.array[host] = soon
            self._standing.forget()

    def _key_at(self, place: int) -> Key:
        """Return the key at a rank, counted from 1, among the URLs of hosts that are waited for."""
        places = self._columns.places
        waiting = np.flatnonzero((places == POOLED) | (places == OUTSIDE))
        self._worth_waiting.resize(len(self._counts.array))
        waiting = waiting[self._worth_waiting.array[self._columns.hosts[waiting]]]
        if len(waiting) < place:
            return LAST
        return self._columns.keys(self._columns.best(waiting, place)[-1:])[0]

    def _release_due(self) -> None:
        for url_id in self._held.due(self._n_popped):
            self._columns.places[url_id] = OUTSIDE
            self._arrange(np.array([url_id]))

    def _take_held(self, rooms: HostRoom) -> Key | None:
        """Take the URL that is due first, by key among equals, before it is due."""
        rows = np.array(list(self._held), dtype=np.int64)
        hosts = self._columns.hosts[rows].tolist()
        candidates = [
            (self._held[int(key[3])], key, host)
            for key, host in zip(self._columns.keys(rows), hosts, strict=True)
            if rooms.of(host) > 0
        ]
        if not candidates:
            return None
        _, key, host = min(candidates)
        rooms.use(host)
        self._leave(int(key[3]), host)
        return key
