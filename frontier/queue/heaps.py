"""The heaps of the queue: the first entries of each host, and which host comes first.

Heaps are never searched: a changed key is pushed as a new entry, and a stale entry is dropped when
it surfaces. The same holds for the hosts, each of which is posted once in the heap of heads.

Most admitted URLs get another key before their turn comes. So URLs that are admitted together are a
*run*, an array with the best first; a portion of it becomes entries when all URLs before have left.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from frontier.queue.columns import Ids, Key, KeyColumns
from frontier.queue.eligibility import HostRoom

FIRST: Key = ()
LAST: Key = (float("inf"),)
_PORTION = 64
"""URLs of a run that become entries together."""


class Pool:
    """The admitted URLs, and for each host the bound of the others.

    `bound` holds for every host that is not in `bounds`. Invariant: the current key of every URL
    in `_keys` is in its host's heap, and every host with such an entry or with a bound of its own
    is posted under the first of these, or is parked because it had no room. A URL in `_waiting` is
    in a run, whose first key precedes its own, and has had the same key since.
    """

    def __init__(self, columns: KeyColumns) -> None:
        self.bound = FIRST
        self.bounds: dict[int, Key] = {}
        self._columns = columns
        self._keys: dict[int, Key] = {}
        self._waiting: set[int] = set()
        self._runs: list[tuple[Key, int, Ids]] = []
        self._n_runs = self._n_in_runs = 0
        self._heaps: dict[int, list[Key]] = {}
        self._heads: list[tuple[Key, int]] = []
        self._posted: dict[int, Key] = {}
        self._parked: set[int] = set()
        self._n_entries = 0

    @classmethod
    def bounded(cls, columns: KeyColumns, bound: Key, bounds: dict[int, Key]) -> Pool:
        """An empty pool for the URLs that precede these bounds."""
        pool = cls(columns)
        pool.bound, pool.bounds = bound, bounds
        for host in bounds:
            pool._repost(host)
        return pool

    def __len__(self) -> int:
        return len(self._keys) + len(self._waiting)

    def __contains__(self, url_id: int) -> bool:
        return url_id in self._keys or url_id in self._waiting

    @property
    def ids(self) -> Ids:
        """The ids of the admitted URLs, ascending."""
        ids = np.fromiter((*self._keys, *self._waiting), np.int64, len(self))
        ids.sort()
        return ids

    @property
    def size(self) -> int:
        """Number of entries in heaps and runs, stale ones included."""
        return self._n_entries + self._n_in_runs + len(self._heads)

    def bound_of(self, host: int) -> Key:
        """Return the bound of a host: none of its URLs outside precedes it."""
        return self.bounds.get(host, self.bound)

    @property
    def last_bound(self) -> Key:
        """The last of all bounds: a URL behind it is outside, whatever its host."""
        return max(self.bound, *self.bounds.values()) if self.bounds else self.bound

    def enter(self, url_id: int, host: int, key: Key) -> None:
        """Admit a URL, or change its key."""
        if self._keys.get(url_id) == key:
            return
        self._waiting.discard(url_id)
        self._keys[url_id] = key
        heappush(self._heaps.setdefault(host, []), key)
        self._n_entries += 1
        if host not in self._parked and key < self._posted.get(host, LAST):
            self._post(host, key)

    def enter_all(self, ranked: Ids) -> None:
        """Admit many new URLs, the best first."""
        self._waiting.update(ranked.tolist())
        self._begin_run(FIRST, ranked)
        self._n_in_runs += len(ranked)

    def _begin_run(self, after: Key, ranked: Ids) -> None:
        """Keep URLs as a run; their keys follow the key `after`."""
        if len(ranked):
            self._n_runs += 1
            heappush(self._runs, (after, self._n_runs, ranked))

    def _open_run(self) -> None:
        """Make entries of a portion of the first run."""
        after, _, ranked = heappop(self._runs)
        portion = ranked[:_PORTION]
        self._n_in_runs -= len(portion)
        rows = np.array(
            [url_id for url_id in portion.tolist() if url_id in self._waiting], np.int64
        )
        keys = self._columns.keys(rows)
        for key, host in zip(keys, self._columns.hosts[rows].tolist(), strict=True):
            self.enter(int(key[3]), host, key)
        self._begin_run(keys[-1] if keys else after, ranked[_PORTION:])

    def leave(self, url_id: int) -> None:
        """Forget a URL; its entry is dropped when it surfaces."""
        self._keys.pop(url_id, None)
        self._waiting.discard(url_id)

    def bind(self, host: int, bound: Key) -> None:
        """Give a host a bound of its own.

        The host is posted under it even if its best URLs precede it: they may be in a run, and get
        other keys before they become entries.
        """
        self.bounds[host] = bound
        if host not in self._parked and bound < self._posted.get(host, LAST):
            self._post(host, bound)

    def park(self, host: int) -> None:
        """Leave out a host without room until `unpark`."""
        self._posted.pop(host, None)
        self._parked.add(host)

    def unpark(self, rooms: HostRoom) -> None:
        """Post the parked hosts that have room again."""
        for host in [host for host in self._parked if rooms.of(host) > 0]:
            self._parked.discard(host)
            self._repost(host)

    def first(self, rooms: HostRoom) -> tuple[Key, int]:
        """Return the first entry or own bound of all hosts with room, and its host."""
        while True:
            first = self._first_entry(rooms)
            if not self._runs or first[0] <= self._runs[0][0]:
                return first
            self._open_run()

    def _first_entry(self, rooms: HostRoom) -> tuple[Key, int]:
        while self._heads:
            key, host = self._heads[0]
            if self._posted.get(host) != key:
                heappop(self._heads)
            elif rooms.of(host) <= 0:
                self.park(host)
            elif self._front(host) != key:
                del self._posted[host]
                self._repost(host)
            else:
                return key, host
        return LAST, -1

    def sharing(self, bound: Key, rooms: HostRoom) -> list[int]:
        """Return the hosts with room whose own bound is this one and comes first for them."""
        posted = (host for host, key in self._posted.items() if key == bound)
        return [host for host in posted if self.bounds.get(host) == bound and rooms.of(host) > 0]

    def keeps_waiting(self, key: Key) -> bool:
        """Whether a host without room has a URL that precedes this key."""
        return any(self._front(host) < key for host in self._parked)

    def _post(self, host: int, key: Key) -> None:
        self._posted[host] = key
        heappush(self._heads, (key, host))

    def _repost(self, host: int) -> None:
        front = self._front(host)
        if front != LAST:
            self._post(host, front)

    def _front(self, host: int) -> Key:
        """Return the first of a host's entries and its bound, LAST without either."""
        heap = self._heaps.get(host, [])
        while heap and self._keys.get(int(heap[0][3])) != heap[0]:
            heappop(heap)
            self._n_entries -= 1
        if not heap:
            self._heaps.pop(host, None)
        return min(heap[0] if heap else LAST, self.bounds.get(host, LAST))
