"""Which partition a host belongs to: one fetcher at a time may ask the hosts of a partition.

Politeness counts requests by host, by registered domain and by address, so all hosts of a domain
are in one partition, and so are all domains that are known to lie at one address. A domain moves
once, to the partition of the first address that it was found at, and only while nothing of it is
leased.
"""

from __future__ import annotations

from hashlib import blake2b

from frontier.urls.domains import registered_domain

PARTITIONS = 64
"""Fetchers of one crawl at most; a few rows for each heartbeat."""


def partition(name: str) -> int:
    """Return the partition of a domain or an address: the same in every process."""
    # Not a CRC: of names that differ in a digit it gives one fetcher all, and another one none.
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "little") % PARTITIONS


class Partitions:
    """Knows where domains have moved."""

    def __init__(self) -> None:
        self._address: dict[str, str] = {}
        self._moving: dict[str, str] = {}
        self._moved: set[str] = set()

    def of(self, slot: str) -> int:
        """Return the partition of a download slot."""
        domain = registered_domain(slot)
        return partition(self._address.get(domain, domain))

    def has_moved(self, slot: str) -> bool:
        """Whether the hosts of a slot's domain were in another partition before."""
        return registered_domain(slot) in self._moved

    def found_at(self, domain: str, address: str) -> None:
        """Note an address of a domain; only the first one counts."""
        if domain not in self._address:
            self._moving.setdefault(domain, address)

    def move(self, domains_in_flight: set[str]) -> None:
        """Move the domains that are to be moved and of which nothing is leased."""
        for domain in [one for one in self._moving if one not in domains_in_flight]:
            before = self.of(domain)
            self._address[domain] = self._moving.pop(domain)
            if self.of(domain) != before:
                self._moved.add(domain)
