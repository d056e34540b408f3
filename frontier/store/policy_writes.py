"""Rows of the rules that judge pages, hosts and links, and of the samples of the topic."""

from __future__ import annotations

import time

from frontier.records import HostPause, RevisitRow, RobotsRow, Sample
from frontier.store.blobs import deflated
from frontier.store.queries import Queries
from frontier.store.rows import SnapshotRow
from frontier.store.write_buffer import WriteBuffer


class PolicyWrites(Queries):
    """Writes of the rules that judge pages, hosts and links; the next commit writes them.

    The store does not interpret the rows: it returns them when the crawl goes on.
    """

    _buffer: WriteBuffer

    def save_robots(self, row: RobotsRow) -> None:
        """Store an origin's robots.txt, in place of the one before."""
        self._buffer.robots.put(row.origin, tuple(row))

    def robots(self, origin: str) -> RobotsRow | None:
        row = self._buffer.robots.rows.get(origin)
        return super().robots(origin) if row is None else RobotsRow(*row)

    def add_signature(self, url_id: int, bands: bytes) -> None:
        """Store the signature of a page, in place of the one before."""
        self._buffer.signatures.put(int(url_id), (int(url_id), bands))

    def keep_revisit(self, revisit: RevisitRow) -> None:
        """Store the results of a page's revisits, in place of those before."""
        self._buffer.revisits.put(revisit.url_id, tuple(revisit))

    def revisit(self, url_id: int) -> RevisitRow | None:
        row = self._buffer.revisits.rows.get(url_id)
        return super().revisit(url_id) if row is None else RevisitRow(*row)

    def keep_sample(self, sample: Sample) -> None:
        """Store the text of a page, in place of the one before."""
        row = (int(sample.url_id), float(sample.relevance), deflated(sample.text))
        self._buffer.samples.put(row[0], row)

    def drop_sample(self, url_id: int) -> None:
        """Delete the text of a page."""
        self._buffer.samples.drop(int(url_id))

    def add_refusal(self, reason: str, domain: str, count: int, example: str) -> None:
        """Count refused links of a domain; the first example is kept."""
        self._buffer.refuse(reason, domain, int(count), example)

    def set_politeness(
        self, slot: str, until: float | None, delay: float | None, note: str | None = None
    ) -> None:
        """Store the pause and the delay of a slot, in place of those before."""
        self._buffer.politeness.put(slot, (slot, until, delay, note))

    def keep_snapshot(self, row: SnapshotRow) -> None:
        """Store a snapshot, in place of that with the same number."""
        self._buffer.snapshots.put(row.number, tuple(row))

    def drop_snapshot(self, number: int) -> None:
        """Delete a snapshot."""
        self._buffer.snapshots.drop(number)

    def drop_politeness(self, slot: str) -> None:
        """Delete the pause and the delay of a slot."""
        self._buffer.politeness.drop(slot)

    def keep_pause(self, pause: HostPause) -> None:
        """Store the pause of a host, in place of the one before; 0 seconds and 0 delay: none."""
        if pause.seconds or pause.delay:
            self.set_politeness(pause.slot, time.time() + pause.seconds, pause.delay, pause.note)
        else:
            self.drop_politeness(pause.slot)
