"""All hosts that a crawl remembers, and the lanes they share.

A long crawl meets more hosts than memory should hold: those that have asked for nothing, and were
not asked for a while, are forgotten once there are many.

Invariant: hosts of one registered domain, or on one address, hold the same lane object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.politeness.host import Host
from frontier.politeness.shared_limits import SharedLimit

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.politeness.limits import Limits

KEPT = 10_000
"""Hosts that are remembered before any is forgotten; some 10 MB."""


class Hosts:
    """Hosts by download slot."""

    def __init__(self, domain_of: Callable[[str], str], kept: int = KEPT) -> None:
        self._domain_of = domain_of
        self._kept = self._most = kept
        self._hosts: dict[str, Host] = {}
        self._domains: dict[str, SharedLimit] = {}
        self._addresses: dict[str, SharedLimit] = {}

    def __len__(self) -> int:
        return len(self._hosts)

    def find(self, slot: str) -> Host | None:
        """Return a host if it is remembered."""
        return self._hosts.get(slot)

    def of(self, slot: str) -> Host:
        """Return a host, new if it is not remembered."""
        host = self._hosts.get(slot)
        if host is None:
            domain = self._domains.setdefault(self._domain_of(slot), SharedLimit())
            host = self._hosts[slot] = Host(domain)
        return host

    def domain(self, slot: str) -> SharedLimit | None:
        """Return the lane of the domain to which a slot belongs, if it has one."""
        return self._domains.get(self._domain_of(slot))

    def note_address(self, host: Host, address: str) -> None:
        """Let a host share the lane of the address at which it was reached."""
        if address and address != host.address_name:
            host.move(address, self._addresses.setdefault(address, SharedLimit()))

    def tidy(self, limits: Limits, now: float) -> None:
        """Forget hosts at rest, if there are many."""
        if len(self._hosts) < self._most:
            return
        self._hosts = {s: host for s, host in self._hosts.items() if not host.rests(limits, now)}
        self._domains = {self._domain_of(slot): host.domain for slot, host in self._hosts.items()}
        self._addresses = {
            host.address_name: host.address
            for host in self._hosts.values()
            if host.address is not None
        }
        self._most = max(2 * len(self._hosts), self._kept)
