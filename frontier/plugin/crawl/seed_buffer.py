"""Requests that no page led to, added to the frontier together.

They come from `start()`, errbacks and extensions, in any number. The session flushes the buffer
before it does anything else with the frontier, so no one can see that they have waited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy import Request, Spider

    from frontier.plugin.crawl.request_codec import RequestCodec
    from frontier.protocol import Frontier
    from frontier.records import UrlRecord

MOST_BUFFERED = 1000
"""Requests that are added to the frontier at once: a thousand together cost little more than a
few."""


class SeedBuffer:
    """The requests that are not added yet, by fingerprint."""

    def __init__(self, frontier: Frontier, codec: RequestCodec) -> None:
        self._frontier = frontier
        self._codec = codec
        self._records: dict[int, UrlRecord] = {}

    def knows(self, fingerprint: int) -> bool:
        """Whether a URL is in the buffer or was ever met by the frontier."""
        return fingerprint in self._records or self._frontier.knows(fingerprint)

    def add(self, record: UrlRecord, request: Request, spider: Spider) -> bool:
        """Add a request and its record; False for a duplicate, or where its body is not stored.

        A duplicate may still make a known URL a seed.
        """
        if record.seed and self._frontier.resumed:
            # It has its seeds already: Scrapy sets `dont_filter` on every start request.
            record.again = False
        wanted = not self.knows(record.fingerprint) or record.again
        if wanted and not self._codec.attach_body(record, request, spider):
            return False
        before = self._records.get(record.fingerprint)
        if wanted or (record.seed and (before is None or not before.seed)):
            if before is not None or len(self._records) >= MOST_BUFFERED:
                self.flush()
            self._records[record.fingerprint] = record
        return wanted

    def flush(self) -> None:
        """Add the requests to the frontier."""
        if self._records:
            records, self._records = self._records, {}
            self._frontier.add_seeds(list(records.values()))
