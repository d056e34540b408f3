"""The heaps of the queue: the first entries of each host, and which host comes first.

Entries are never searched for in a heap: a changed key is pushed anew, and an entry that is not
the current one of its URL is dropped when it surfaces. The same holds for the hosts, each of which
is posted once in the heap of heads.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from operator import itemgetter

from frontier.queue.columns import Key
from frontier.queue.eligibility import HostRoom

FIRST: Key = ()
LAST: Key = (float("inf"),)
_ID_OF: Callable[[Key], int] = itemgetter(3)


class Pool:
    """The keys that were let in, by URL, and the bounds of what was not, by host.

    `bound` holds for every host that is not in `bounds`. Invariant: the current key of every URL
    in `keys` is in its host's heap, and every host with such an entry or with a bound of its own
    is posted under the first of these, or is parked because it had no room.
    """

    def __init__(self) -> None:
        self.keys: dict[int, Key] = {}
        self.bound = FIRST
        self.bounds: dict[int, Key] = {}
        self._heaps: dict[int, list[Key]] = {}
        self._heads: list[tuple[Key, int]] = []
        self._posted: dict[int, Key] = {}
        self._parked: set[int] = set()
        self._n_entries = 0

    @classmethod
    def bounded(cls, bound: Key, bounds: dict[int, Key]) -> Pool:
        """A pool into which nothing has been let yet, of what precedes these bounds."""
        pool = cls()
        pool.bound, pool.bounds = bound, bounds
        for host in bounds:
            pool._repost(host)
        return pool

    @property
    def size(self) -> int:
        """How many entries the heaps hold, stale ones included."""
        return self._n_entries + len(self._heads)

    def bound_of(self, host: int) -> Key:
        """Return what no URL of the host precedes that was not let in."""
        return self.bounds.get(host, self.bound)

    def enter(self, url_id: int, host: int, key: Key) -> None:
        """Let a URL in, or change its key."""
        if self.keys.get(url_id) == key:
            return
        self.keys[url_id] = key
        heappush(self._heaps.setdefault(host, []), key)
        self._n_entries += 1
        if host not in self._parked and key < self._posted.get(host, LAST):
            self._post(host, key)

    def enter_all(self, hosts: list[int], keys: list[Key]) -> None:
        """Let many URLs in, of hosts that are not parked."""
        self.keys.update(zip(map(_ID_OF, keys), keys, strict=True))
        heaps = self._heaps
        for host in (entered := set(hosts)).difference(heaps):
            heaps[host] = []
        if len(entered) == 1:
            heaps[hosts[0]] += keys
        else:
            for host, key in zip(hosts, keys, strict=True):
                heaps[host].append(key)
        self._n_entries += len(hosts)
        for host in entered:
            heapify(heaps[host])
            self._repost(host)

    def leave(self, url_id: int) -> None:
        """Forget a URL; its entry is dropped when it surfaces."""
        self.keys.pop(url_id, None)

    def park(self, host: int) -> None:
        """Leave a host out until `unpark` finds that it has room."""
        self._posted.pop(host, None)
        self._parked.add(host)

    def unpark(self, rooms: HostRoom) -> None:
        """Post the parked hosts that have room again."""
        for host in [host for host in rooms.among(self._parked) if rooms.of(host) > 0]:
            self._parked.discard(host)
            self._repost(host)

    def first(self, rooms: HostRoom) -> tuple[Key, int]:
        """Return the first entry or own bound of all hosts with room, and its host."""
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
        return [one for one in posted if self.bounds.get(one) == bound and rooms.of(one) > 0]

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
        """Return what comes first for a host: an entry of its heap, its own bound, or LAST."""
        heap = self._heaps.get(host, [])
        while heap and self.keys.get(int(heap[0][3])) != heap[0]:
            heappop(heap)
            self._n_entries -= 1
        if not heap:
            self._heaps.pop(host, None)
        return min(heap[0] if heap else LAST, self.bounds.get(host, LAST))
