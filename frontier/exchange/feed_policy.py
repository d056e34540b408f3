"""How many URLs are on offer to fetchers at a time: as few as keep them busy.

The order of URLs on offer or in flight is fixed, so their number is capped: at `max_in_flight` or a
share of the pages fetched, whichever is more, and in any case at one and a half times the requests
that all fetchers make at once. A host is offered as many URLs as it may be asked at once, or one
and a half times as many where no delay lies between two requests.

Only fetchers know which hosts may be asked now. A fetcher that finds no URL to take reports that;
the URLs in its partitions then wait for their hosts, and do not count.

At any time one fetcher owns a partition of hosts. Politeness counts requests by host and by
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

    from frontier.exchange.owner_side import FetcherDemand
    from frontier.records import Lease


class FeedPolicy:
    """The leases on offer or in flight, by host.

    Invariant: `outstanding` are the leases of the store, by number; `_at_host` counts them.
    """

    def __init__(self, max_in_flight: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._max_in_flight = max_in_flight
        self._clock = clock
        self.outstanding: dict[int, Lease] = {}
        self._at_host: Counter[str] = Counter()
        self._since: dict[str, float] = {}
        self._resting: dict[str, float] = {}
        self._host_limit = 1

    def set_host_limit(self, concurrency: int, *, pauses: bool) -> None:
        """Set the requests that a host may get at once; `pauses`: a delay lies between two."""
        self._host_limit = 1 if pauses else concurrency + (concurrency + 1) // 2

    def add(self, lease: Lease) -> None:
        """Count a lease."""
        self.outstanding[lease.number] = lease
        self._at_host[lease.slot] += 1
        self._since.setdefault(lease.slot, self._clock())

    def pop(self, seq: int | None) -> Lease | None:
        """Take out a lease that is over; None if it was over already."""
        lease = None if seq is None else self.outstanding.pop(seq, None)
        if lease is not None:
            self._at_host[lease.slot] -= 1
            if not self._at_host[lease.slot]:
                del self._at_host[lease.slot], self._since[lease.slot]
            else:
                self._since[lease.slot] = self._clock()  # it has answered
        return lease

    def rest(self, slot: str, seconds: float) -> None:
        """Offer no URL of a host for some time."""
        if seconds > 0:
            self._resting[slot] = self._clock() + seconds

    def room(self, slot: str) -> int:
        """How many more URLs of a host may be offered."""
        until = self._resting.get(slot)
        if until is not None:
            if until > self._clock():
                return 0
            del self._resting[slot]
        return self._host_limit - self._at_host.get(slot, 0)

    def slow(self, seconds: float) -> list[str]:
        """Hosts not worth waiting for: without an answer for so many seconds, or at rest."""
        limit = self._clock() - seconds
        silent = [slot for slot, since in self._since.items() if since <= limit]
        return silent + [slot for slot, until in self._resting.items() if until > self._clock()]

    @property
    def next_rest_ends(self) -> float | None:
        """Seconds until the first resting host may be offered again; None: no host rests."""
        return max(0.0, min(self._resting.values()) - self._clock()) if self._resting else None

    def budget(self, fetched: int, demand: Sequence[FetcherDemand]) -> int:
        """How many more URLs to offer; URLs that wait for their hosts do not count."""
        places = sum(fetcher.places for fetcher in demand)
        blocked = sum(fetcher.blocked for fetcher in demand)
        cap = max(self._max_in_flight, int(IN_FLIGHT_GROWTH * fetched))
        return min(cap, places + (places + 1) // 2) - (len(self.outstanding) - blocked)


def partition_of(slot: str) -> int:
    """Return the partition of a download slot, by its domain: the same in every process."""
    # Not a CRC: it would put names that differ in a digit into the partitions of one fetcher.
    domain = registered_domain(slot).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(domain, digest_size=4).digest(), "little") % PARTITIONS
