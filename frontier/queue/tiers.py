"""The keys of the queue: in arrays, and the best few thousand of them in heaps.

A million keys in a heap would take 300 MB and could not be re-ranked. So the keys are in arrays,
and only the best few thousand are in the *pool*: a heap for each host, and a heap of the hosts'
first entries. The others are *outside*. The result is exact, because for every host there is a
bound that no URL outside precedes: a common bound for most hosts, and an own bound for each host
that was admitted only in part, because it would have filled the pool alone or had no room when the
pool was filled. An entry that precedes all bounds is the best of all; if a bound comes first, the
pool is filled from outside. A re-rank just empties the pool.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from frontier.queue.columns import KEY_LENGTH, Ids, Key, KeyColumns, rank_within
from frontier.queue.eligibility import Eligibility, HostRoom
from frontier.queue.heaps import FIRST, LAST, Pool
from ranking.arrays import Column

ABSENT, OUTSIDE, POOLED, HELD = range(4)
_OVERSAMPLING = 4
"""Candidates for each place in the pool, because a host may fill only a part of it."""
_OVERFLOW = 4
"""Heap entries, stale ones included, for each place in the pool before it is filled anew."""
_HOST_REFILL = 1024
_HOST_PORTIONS = 64
"""A refill reads all URLs of a host and admits at least this part of them."""


class PooledKeys:
    """The keys of the queued URLs, by id.

    Invariant: a URL that may leave is in the pool, or outside: its key does not precede its
    host's bound.
    """

    def __init__(self, pool_size: int, host_share: int, columns: KeyColumns) -> None:
        """Keep about `pool_size` URLs in heaps, at least `host_share` a host when many wait."""
        self._pool_size = pool_size
        self._host_share = host_share
        self._columns = columns
        self._counts = Column(np.int32)
        self._n_queued = 0
        self._standing = Eligibility()
        self._pool = Pool(columns)
        self._n_filled = 0

    @property
    def hosts_waiting(self) -> int:
        """Number of hosts with a queued URL."""
        return int(np.count_nonzero(self._counts.array))

    def foremost(self, n: int) -> Ids:
        """Return about the n best of the queued URLs, ascending; cheap for any number of URLs.

        They are those in the pool, which is filled first if half of it is gone; of a host with
        more than its share of them some are missing.
        """
        if 2 * len(self._pool) < min(self._n_filled, n) or self._pool.bound == FIRST:
            self._start_over()
            self._pool.bound = self._fill(np.flatnonzero(self._columns.places == OUTSIDE))
            self._n_filled = len(self._pool)
        pooled = self._pool.ids
        return pooled if len(pooled) <= n else np.sort(self._columns.best(pooled, n))

    def _arrange(self, rows: Ids) -> None:
        """Admit each URL to the pool or leave it outside, by its key."""
        if len(self._pool.bounds) <= len(rows):
            rows = self._near(rows)
        keys = self._columns.keys(rows)
        for key, host in zip(keys, self._columns.hosts[rows].tolist(), strict=True):
            url_id = int(key[3])
            if url_id in self._pool or key < self._pool.bound_of(host):
                self._columns.places[url_id] = POOLED
                self._pool.enter(url_id, host, key)
            else:
                self._columns.places[url_id] = OUTSIDE
        if self._pool.size > _OVERFLOW * self._pool_size:
            self._start_over()

    def _near(self, rows: Ids) -> Ids:
        """Leave URLs outside that precede no bound, as most do; return the others.

        Making a key of each would take longer than everything else.
        """
        columns, bound = self._columns, self._pool.last_bound
        if bound == LAST:
            return rows
        near: NDArray[np.bool_] = columns.places[rows] == POOLED
        if bound != FIRST:
            near |= columns.may_precede(bound, rows)
        columns.places[rows[~near]] = OUTSIDE
        return rows[near]

    def _start_over(self) -> None:
        """Put everything outside; the next `pop` fills the pool."""
        self._columns.places[self._pool.ids] = OUTSIDE
        self._pool = Pool(self._columns)
        self._standing.forget()
        assert np.count_nonzero(self._columns.places) == self._n_queued

    def _rearrange(self) -> None:
        """Admit those of the pool again whose new keys still precede their hosts' bounds."""
        old = self._pool
        rows = self._columns.ranked(old.ids)
        inside = self._inside(rows)
        self._pool = Pool.bounded(self._columns, old.bound, old.bounds)
        self._columns.places[rows] = np.where(inside, POOLED, OUTSIDE)
        self._pool.enter_all(rows[inside])
        self._standing.forget()

    def _inside(self, ranked: Ids) -> NDArray[np.bool_]:
        """Return which of some URLs, the best first, precede the bounds of their hosts."""
        n, bounds = len(ranked), self._pool.bounds
        inside = np.arange(n) < bisect_left(
            range(n), self._pool.bound, key=lambda i: self._columns.keys(ranked[i : i + 1])[0]
        )
        if bounds:
            hosts = self._columns.hosts[ranked]
            own = np.flatnonzero(np.isin(hosts, list(bounds)))
            keys = self._columns.keys(ranked[own])
            inside[own] = [
                key < bounds[host] for key, host in zip(keys, hosts[own].tolist(), strict=True)
            ]
        return inside

    def _best(self, rooms: HostRoom) -> tuple[Key, int] | None:
        """Find the best URL that is not held back; fills the pool until that is certain."""
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

    def _refill(self, rooms: HostRoom) -> None:
        """Admit the best from outside, of hosts with room under the common bound."""
        outside = np.flatnonzero(self._columns.places == OUTSIDE)
        hosts = self._columns.hosts[outside]
        closed = self._closed(hosts, rooms)
        if closed.any():
            outside = outside[~closed[hosts]]
        self._pool.bound = self._fill(outside)

    def _fill(self, outside: Ids) -> Key:
        """Admit the best of some URLs, bound hosts that exceed their share, and return a bound.

        No URL that stays outside precedes it, except for those of the hosts bounded here.
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
                self._pool.bind(host, key)
        self._admit(kept[: self._pool_size])
        return bound

    def _just_after(self, url_id: np.int64) -> Key:
        """Return a key that follows the key of a URL and precedes all others behind it."""
        return (*self._columns.keys(np.array([url_id]))[0], 0)

    def _closed(self, hosts: NDArray[np.int32], rooms: HostRoom) -> NDArray[np.bool_]:
        """Return bool[hosts]: hosts with their own bound; those without room get one."""
        closed = np.zeros(len(self._counts.array), dtype=np.bool_)
        for host in np.flatnonzero(np.bincount(hosts)).tolist():
            if host in self._pool.bounds:
                closed[host] = True
            elif rooms.of(host) <= 0:
                closed[host] = True
                self._pool.bounds[host] = self._pool.bound
                self._pool.park(host)
        return closed

    def _admit(self, rows: Ids) -> None:
        self._columns.places[rows] = POOLED
        self._pool.enter_all(rows)

    def _refill_bounded(self, host: int, bound: Key, rooms: HostRoom) -> None:
        """Admit the best from outside of a host with its own bound.

        A bound of the length of a key belongs to this host alone. Any other was once the common
        bound: all hosts with room that still have it are filled together.
        """
        if len(bound) == KEY_LENGTH:
            self._refill_host(host)
            return
        group = self._pool.sharing(bound, rooms)
        for member in group:
            del self._pool.bounds[member]
        rest = self._fill(self._outside_of(group))
        if rest != LAST:
            left = np.bincount(self._columns.hosts[self._outside_of(group)])
            for member in np.flatnonzero(left).tolist():
                self._pool.bounds.setdefault(member, rest)

    def _outside_of(self, hosts: list[int]) -> Ids:
        chosen = np.zeros(len(self._counts.array), dtype=np.bool_)
        chosen[hosts] = True
        outside = np.flatnonzero(self._columns.places == OUTSIDE)
        return outside[chosen[self._columns.hosts[outside]]]

    def _refill_host(self, host: int) -> None:
        """Admit the best of a host from outside."""
        outside = np.flatnonzero((self._columns.hosts == host) & (self._columns.places == OUTSIDE))
        size = max(_HOST_REFILL, len(outside) // _HOST_PORTIONS)
        ranked = self._columns.best(outside, size + 1)
        del self._pool.bounds[host]
        if len(ranked) > size:
            self._pool.bounds[host] = self._columns.keys(ranked[size:])[0]
        self._admit(ranked[:size])
