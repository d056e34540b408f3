"""Notes of those who judge pages, hosts and links: robots.txt, signatures, refusals, waits.

The store knows nothing of what they mean. They are written in the transaction that holds the pages
they were made for, and read back by their owners when the crawl goes on.
"""

from __future__ import annotations

from typing import NamedTuple

from frontier.facts import RobotsRow
from frontier.store.write_buffer import WriteBuffer


class RefusalRow(NamedTuple):
    """How many links of a domain never became URLs of the crawl, for one reason."""

    reason: str
    domain: str
    links: int
    example: str
    """The first of them."""


class PolitenessRow(NamedTuple):
    """What a download slot has asked for, beyond the settings."""

    slot: str
    until: float | None
    """Unix seconds before which it must not be asked."""
    delay: float | None
    """Seconds between requests."""
    note: str | None


class PolicyWrites:
    """Taking notes; the next commit writes them."""

    _buffer: WriteBuffer

    def save_robots(self, row: RobotsRow) -> None:
        """Keep what is known of an origin's robots.txt, in place of what was."""
        self._buffer.robots.put(row.origin, tuple(row))

    def add_signature(self, url_id: int, bands: bytes) -> None:
        """Keep the signature of a page, in place of the one it had."""
        self._buffer.signatures.put(int(url_id), (int(url_id), bands))

    def add_refusal(self, reason: str, domain: str, count: int, example: str) -> None:
        """Count links that never became URLs of the crawl; the first example is kept."""
        self._buffer.refuse(reason, domain, int(count), example)

    def set_politeness(
        self, slot: str, until: float | None, delay: float | None, note: str | None = None
    ) -> None:
        """Keep what a slot has asked for, in place of what it had."""
        self._buffer.politeness.put(slot, (slot, until, delay, note))

    def drop_politeness(self, slot: str) -> None:
        """Forget what a slot has asked for."""
        self._buffer.politeness.drop(slot)
