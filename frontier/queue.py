"""Which URL next: always the best one whose host may be asked, exactly.

The key is (class descending, priority descending, fingerprint ascending): a total order that does
not depend on when a URL was found, so that a resumed crawl goes on as the interrupted one would.

A million keys in a heap would cost 300 MB and could not be re-ranked. So the keys lie in arrays,
and only the best few thousand are in the *pool*: a heap for each host, and a heap of the hosts'
first entries. The others are *outside*. What makes this exact is that for every host a bound is
known that no URL outside precedes: one for most hosts together, and one each for hosts of which
only a part was let in, because they would have filled the pool alone, or because they could not
be asked when it was filled. An entry that precedes all bounds is the best there is; where a bound
comes first, the pool is filled from outside. A re-rank just empties the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frontier.arrays import KEY_LENGTH, Ids, Key, KeyColumns, grown, rank_within
from frontier.pool import LAST, Pool
from frontier.turns import HoldBack, Room, Rooms, Standing

_ABSENT, _OUTSIDE, _POOLED, _HELD = range(4)
_NO_LIMITS: Mapping[int, int] = MappingProxyType({})
_UNLIMITED = 2**62
_BULK = 1000
"""From here on it is cheaper to fill the pool anew than to look at each key."""
_OVERSAMPLING = 4
"""Candidates for one place in the pool, as hosts may fill only a part of it."""
_OVERFLOW = 4
"""Heap entries for one place in the pool, stale ones included, before it is filled anew."""
_HOST_REFILL = 1024
_HOST_PORTIONS = 64
"""A refill reads all URLs of a host and lets in at least this part of them."""


class UrlQueue:
    """The queued URLs, by id.

    Invariant: a queued URL is at one of three places: in the pool, outside (its key does not
    precede its host's bound), or held back.
    """

    def __init__(self, pool_size: int = 2_000, host_share: int = 64) -> None:
        """Keep about `pool_size` URLs in heaps, at least `host_share` a host when many wait."""
        self._pool_size = pool_size
        self._host_share = host_share
        self._columns = KeyColumns()
        self._places = np.zeros(0, dtype=np.uint8)
        self._counts = np.zeros(0, dtype=np.int32)
        self._n_queued = 0
        self._n_popped = 0
        self.passed_over = 0
        """URLs popped while a better one waited for a host without room."""
        self._held = HoldBack()
        self._standing = Standing()
        self._worth_waiting = np.zeros(0, dtype=np.bool_)
        self._pool = Pool()

    def __len__(self) -> int:
        return self._n_queued

    def __contains__(self, url_id: int) -> bool:
        return 0 <= url_id < len(self._places) and self._places[url_id] != _ABSENT

    def queued(self) -> Ids:
        """Return the ids of all queued URLs, those held back included, ascending."""
        return np.flatnonzero(self._places)

    def priority(self, url_id: int) -> float:
        """Return the priority of a queued URL; KeyError for any other."""
        if url_id not in self:
            raise KeyError(url_id)
        return float(self._columns.priorities[url_id])

    @property
    def hosts_waiting(self) -> int:
        """How many hosts have a queued URL."""
        return int(np.count_nonzero(self._counts))

    def push(
        self,
        ids: Sequence[int] | NDArray[np.int64],
        priorities: ArrayLike,
        classes: ArrayLike,
        hosts: ArrayLike,
        fingerprints: ArrayLike,
    ) -> None:
        """Queue distinct URLs; one that is queued already, or held back, gets the new key.

        Priorities are finite; classes and hosts may be one number for all. A URL keeps its host.
        """
        rows = np.asarray(ids, dtype=np.int64)
        if len(rows) == 0:
            return
        self._write(rows, priorities, classes, hosts, fingerprints)
        self._held.release(*rows.tolist())
        if len(rows) >= _BULK:
            self._places[rows] = _OUTSIDE
            self._start_over()
        else:
            self._arrange(rows)

    def _write(
        self,
        rows: Ids,
        priorities: ArrayLike,
        classes: ArrayLike,
        hosts: ArrayLike,
        fingerprints: ArrayLike,
    ) -> None:
        """Set the keys and count the URLs that were not queued."""
        self._columns.grow(int(rows.max()) + 1)
        self._places = grown(self._places, len(self._columns.hosts))
        assert len(self._places) == len(self._columns.hosts)
        self._columns.set(rows, priorities, classes, hosts, fingerprints)
        self._standing.note(len(rows))
        assert np.isfinite(self._columns.priorities[rows]).all(), "a priority is finite"
        new = rows[self._places[rows] == _ABSENT]
        self._places[new] = _OUTSIDE
        self._n_queued += len(new)
        new_hosts = self._columns.hosts[new]
        self._counts = grown(self._counts, int(new_hosts.max(initial=-1)) + 1)
        np.add.at(self._counts, new_hosts, 1)

    def _arrange(self, rows: Ids) -> None:
        """Let each URL into the pool or leave it outside, whichever its key demands."""
        keys = self._columns.keys(rows)
        for key, host in zip(keys, self._columns.hosts[rows].tolist(), strict=True):
            url_id = int(key[3])
            if url_id in self._pool.keys or key < self._pool.bound_of(host):
                self._places[url_id] = _POOLED
                self._pool.enter(url_id, host, key)
            else:
                self._places[url_id] = _OUTSIDE
        if self._pool.size > _OVERFLOW * self._pool_size:
            self._start_over()

    def update(self, ids: Sequence[int] | NDArray[np.int64], priorities: ArrayLike) -> None:
        """Give URLs new priorities; those that are not queued are ignored."""
        rows = np.asarray(ids, dtype=np.int64)
        values = np.broadcast_to(np.asarray(priorities, dtype=np.float64), rows.shape)
        known = rows < len(self._places)
        if not known.all():
            rows, values = rows[known], values[known]
        places = self._places[rows]
        assert np.isfinite(values).all(), "a priority is finite"
        self._columns.priorities[rows] = values
        self._standing.note(len(rows))
        if len(rows) >= _BULK:
            self._start_over()
        else:
            self._arrange(rows[(places == _OUTSIDE) | (places == _POOLED)])

    def reorder(self, priorities: NDArray[np.float64]) -> None:
        """Replace the priority of every URL; newer ones than the array covers keep theirs."""
        n = min(len(priorities), len(self._columns.priorities))
        assert np.isfinite(priorities[:n]).all(), "a priority is finite"
        self._columns.priorities[:n] = priorities[:n]
        self._start_over()

    def _start_over(self) -> None:
        """Put everything outside; the next `pop` fills the pool."""
        pooled = np.fromiter(self._pool.keys, dtype=np.int64, count=len(self._pool.keys))
        self._places[pooled] = _OUTSIDE
        self._pool = Pool()
        self._standing.forget()
        assert np.count_nonzero(self._places) == self._n_queued

    def remove(self, url_id: int) -> None:
        """Take a URL out of the queue if it is in."""
        if url_id in self:
            self._leave(url_id, int(self._columns.hosts[url_id]))

    def _leave(self, url_id: int, host: int) -> None:
        self._pool.leave(url_id)
        self._held.release(url_id)
        self._places[url_id] = _ABSENT
        self._counts[host] -= 1
        self._n_queued -= 1

    def defer(
        self,
        url_id: int,
        priority: float,
        priority_class: int,
        host: int,
        fingerprint: int,
        after: int,
    ) -> None:
        """Queue a URL that waits until `after` more URLs were popped, or nothing else is left."""
        self._write(np.array([url_id]), priority, priority_class, host, fingerprint)
        self._pool.leave(url_id)
        self._places[url_id] = _HELD
        self._held.hold(url_id, self._n_popped + after)

    def pop(
        self,
        n: int,
        room: Room = _NO_LIMITS,
        default_room: int = _UNLIMITED,
        share: float = 1.0,
    ) -> list[tuple[int, float]]:
        """Take the n best URLs, best first, as (id, priority), and no more a host than has room.

        `room` names each host's room: a function, or a mapping with `default_room` for the hosts
        that are not in it. Fewer than n come back only when no other URL may be handed out. With
        a `share` below 1 that is also when as many as that share of the queue are better, and
        wait for hosts that are worth it (`wait_for`).
        """
        rooms = Rooms(room, default_room)
        self._pool.unpark(rooms)
        taken: list[tuple[int, float]] = []
        while len(taken) < n:
            key = self._next(rooms, share)
            if key is None:
                break
            taken.append((int(key[3]), -key[1]))
        return taken

    def _next(self, rooms: Rooms, share: float) -> Key | None:
        self._release_due()
        best = self._best(rooms)
        if best is None:
            key = self._take_held(rooms)
        elif self._standing.is_good(best[0], share, self._key_at, self._n_queued - len(self._held)):
            key, host = best
            self.passed_over += self._pool.keeps_waiting(key)
            rooms.use(host)
            self._leave(int(key[3]), host)
        else:
            return None
        if key is not None:
            self._n_popped += 1
            self._standing.note(1)
        return key

    def _best(self, rooms: Rooms) -> tuple[Key, int] | None:
        """Find the best URL that is not held back, filling the pool until that is certain."""
        while True:
            key, host = self._pool.first(rooms)
            if key >= self._pool.bound:
                if self._pool.bound == LAST:
                    return None
                self._refill(rooms)
            elif key == self._pool.bounds.get(host):
                self._refill_bounded(host, key, rooms)
            else:
                return key, host

    def wait_for(self, host: int) -> None:
        """Let better URLs of this host keep worse ones back: it answers soon."""
        self._expect(host, np.True_)

    def do_not_wait_for(self, host: int) -> None:
        """Let the URLs of this host keep no others back; so it is with every host at first."""
        self._expect(host, np.False_)

    def _expect(self, host: int, soon: np.bool_) -> None:
        self._worth_waiting = grown(self._worth_waiting, host + 1)
        if self._worth_waiting[host] != soon:
            self._worth_waiting[host] = soon
            self._standing.forget()

    def _key_at(self, place: int) -> Key:
        """Return the key at a place, counted from 1, among the URLs that are worth waiting for."""
        waiting = np.flatnonzero((self._places == _POOLED) | (self._places == _OUTSIDE))
        self._worth_waiting = grown(self._worth_waiting, len(self._counts))
        waiting = waiting[self._worth_waiting[self._columns.hosts[waiting]]]
        if len(waiting) < place:
            return LAST
        return self._columns.keys(self._columns.best(waiting, place)[-1:])[0]

    def _refill(self, rooms: Rooms) -> None:
        """Let in the best from outside, of the hosts under the common bound that have room."""
        outside = np.flatnonzero(self._places == _OUTSIDE)
        hosts = self._columns.hosts[outside]
        closed = self._closed(hosts, rooms)
        if closed.any():
            outside = outside[~closed[hosts]]
        self._pool.bound = self._fill(outside)

    def _fill(self, outside: Ids) -> Key:
        """Let in the best of some, bound hosts that exceed their share, and return a bound.

        None that stays outside precedes the bound, but for those of the hosts bounded here.
        """
        share = max(self._host_share, _OVERSAMPLING * self._pool_size // max(self.hosts_waiting, 1))
        ranked = self._columns.best(outside, _OVERSAMPLING * self._pool_size)
        ranks = rank_within(self._columns.hosts[ranked])
        kept = ranked[ranks < share]
        bound = LAST
        if len(kept) > self._pool_size:
            bound = self._just_after(kept[self._pool_size - 1])
        elif len(ranked) < len(outside):
            bound = self._just_after(ranked[-1])
        excess = ranked[ranks == share]
        hosts = self._columns.hosts[excess].tolist()
        for host, key in zip(hosts, self._columns.keys(excess), strict=True):
            if key < bound:
                self._pool.bounds[host] = key
        self._admit(kept[: self._pool_size])
        return bound

    def _just_after(self, url_id: np.int64) -> Key:
        """Return what follows the key of a URL and precedes all others that follow it."""
        return (*self._columns.keys(np.array([url_id]))[0], 0)

    def _closed(self, hosts: NDArray[np.int32], rooms: Rooms) -> NDArray[np.bool_]:
        """Return bool[hosts]: bounded on their own, as are those without room from now on."""
        closed = np.zeros(len(self._counts), dtype=np.bool_)
        for host in np.flatnonzero(np.bincount(hosts)).tolist():
            if host in self._pool.bounds:
                closed[host] = True
            elif rooms.of(host) <= 0:
                closed[host] = True
                self._pool.bounds[host] = self._pool.bound
                self._pool.park(host)
        return closed

    def _admit(self, rows: Ids) -> None:
        self._places[rows] = _POOLED
        self._pool.enter_all(self._columns.hosts[rows].tolist(), self._columns.keys(rows))

    def _refill_bounded(self, host: int, bound: Key, rooms: Rooms) -> None:
        """Let in the best from outside of a host with a bound of its own.

        A bound that is a key belongs to this host alone. Any other was once the common one:
        then all hosts that still have it and may be asked are filled up together.
        """
        if len(bound) == KEY_LENGTH:
            self._refill_host(host)
            return
        group = self._pool.sharing(bound, rooms)
        for one in group:
            del self._pool.bounds[one]
        rest = self._fill(self._outside_of(group))
        if rest != LAST:
            left = np.bincount(self._columns.hosts[self._outside_of(group)])
            for one in np.flatnonzero(left).tolist():
                self._pool.bounds.setdefault(one, rest)

    def _outside_of(self, hosts: list[int]) -> Ids:
        chosen = np.zeros(len(self._counts), dtype=np.bool_)
        chosen[hosts] = True
        outside = np.flatnonzero(self._places == _OUTSIDE)
        return outside[chosen[self._columns.hosts[outside]]]

    def _refill_host(self, host: int) -> None:
        """Let in the best of one host from outside."""
        outside = np.flatnonzero((self._columns.hosts == host) & (self._places == _OUTSIDE))
        size = max(_HOST_REFILL, len(outside) // _HOST_PORTIONS)
        ranked = self._columns.best(outside, size + 1)
        del self._pool.bounds[host]
        if len(ranked) > size:
            self._pool.bounds[host] = self._columns.keys(ranked[size:])[0]
        self._admit(ranked[:size])

    def _release_due(self) -> None:
        for url_id in self._held.due(self._n_popped):
            self._places[url_id] = _OUTSIDE
            self._arrange(np.array([url_id]))

    def _take_held(self, rooms: Rooms) -> Key | None:
        """Take the URL that is due first, by key among equals, though it is not due yet."""
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
