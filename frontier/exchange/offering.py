"""How much of the order is handed to fetchers at a time: as little as keeps them busy.

What is offered or in flight cannot be repriced, so its number is capped: at `feed` URLs or a share
of the pages fetched, whichever is more, and in any case at half as many again as all fetchers
together fetch at once. A host is offered no more URLs than it may be asked at once, or half as many
more where no pause lies between two.

Only fetchers know which hosts may be asked now. One that found nothing to take says so; what lay in
its partitions then waits for its hosts, and does not count.

One fetcher at a time may ask the hosts of a partition. Politeness counts requests by host and by
registered domain, so all hosts of a domain are in one partition.
"""

from __future__ import annotations

import time
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING

from frontier.config import IN_FLIGHT_GROWTH
from frontier.exchange.schema import PARTITIONS
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.exchange.owner_side import Wish
    from frontier.records import Lease


class Offering:
    """Knows what is offered or in flight, by host.

    Invariant: `outstanding` are the leases of the store, by number; `_at_host` counts them.
    """

    def __init__(self, feed: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._feed = feed
        self._clock = clock
        self.outstanding: dict[int, Lease] = {}
        self._at_host: Counter[str] = Counter()
        self._since: dict[str, float] = {}
        self._resting: dict[str, float] = {}
        self.at_once = 1
        """Requests that a host may be asked at once, pauses and all; see `a_host_takes`."""

    def a_host_takes(self, concurrency: int, *, pauses: bool) -> None:
        """Set how many requests at once the projects of the fetchers allow a host."""
        self.at_once = 1 if pauses else concurrency + (concurrency + 1) // 2

    def add(self, lease: Lease) -> None:
        """Note a lease."""
        self.outstanding[lease.page.lease_number or 0] = lease
        self._at_host[lease.slot] += 1
        self._since.setdefault(lease.slot, self._clock())

    def pop(self, seq: int | None) -> Lease | None:
        """Take out a lease that is over; None if it is over already."""
        lease = None if seq is None else self.outstanding.pop(seq, None)
        if lease is not None:
            self._at_host[lease.slot] -= 1
            if not self._at_host[lease.slot]:
                del self._at_host[lease.slot], self._since[lease.slot]
            else:
                self._since[lease.slot] = self._clock()  # it has answered
        return lease

    def rest(self, slot: str, seconds: float) -> None:
        """Offer nothing of a host for some time."""
        if seconds > 0:
            self._resting[slot] = self._clock() + seconds

    def room(self, slot: str) -> int:
        """How many more URLs of a host may be offered."""
        until = self._resting.get(slot)
        if until is not None:
            if until > self._clock():
                return 0
            del self._resting[slot]
        return self.at_once - self._at_host.get(slot, 0)

    def slow(self, seconds: float) -> list[str]:
        """Hosts that nobody should wait for: without an answer for so long, or at rest."""
        limit = self._clock() - seconds
        silent = [slot for slot, since in self._since.items() if since <= limit]
        return silent + [slot for slot, until in self._resting.items() if until > self._clock()]

    @property
    def next_rest_ends(self) -> float | None:
        """Seconds until the first host that rests may be offered again; None without one."""
        return max(0.0, min(self._resting.values()) - self._clock()) if self._resting else None

    def budget(self, fetched: int, fetchers: Sequence[Wish]) -> int:
        """How many more URLs to offer; those that wait for their hosts do not count."""
        places = sum(one.places for one in fetchers)
        blocked = sum(one.blocked for one in fetchers)
        cap = max(self._feed, int(IN_FLIGHT_GROWTH * fetched))
        return min(cap, places + (places + 1) // 2) - (len(self.outstanding) - blocked)


def partition_of(slot: str) -> int:
    """Return the partition of a download slot, by its domain: the same in every process."""
    # Not a CRC: of names that differ in a digit it gives one fetcher all, and another one none.
    domain = registered_domain(slot).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(domain, digest_size=4).digest(), "little") % PARTITIONS
