"""Everything a crawl downloads, written to a WARC file while it runs.

``response_downloaded`` is the one signal that sees all of it: pages, redirects, 404s,
retried errors and robots.txt, each before a downloader middleware has followed, retried
or decompressed it. What is written is the body as it came over the wire (without the
chunked coding), so what is served from the file later equals what was received.

Invariant: after every response the file ends with a whole record. A response and its
request go out in one write; what a crash or a full disk cut off is cut away before the
next write, so that a file can be appended to, run after run.

Requests are written as the spider made them, with cookies and ``Authorization``: do not
publish a recording of a web you had to log in to. Credentials of a proxy are left out.
"""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from frontier.errors import RecordingError
from frontier.plugin.crawl.session import session_of
from frontier.plugin.startup_errors import refuse
from frontier.plugin.storage_errors import trouble_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

logger = logging.getLogger(__name__)

OURS = "frontier.plugin.scheduler.FrontierScheduler"


class WarcRecorder:
    """Scrapy extension: with ``WARC_FILE`` set, records what is downloaded.

    A name that ends in ``.gz`` gives one gzip member a record. Raises
    ``RecordingError`` if the file exists and is no WARC. Stats:
    ``frontier/warc/records`` (responses and requests), ``frontier/warc/bytes`` (written),
    ``frontier/warc/failed`` (responses that could not be written).
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        path = crawler.settings.get("WARC_FILE")
        if not path:
            raise NotConfigured
        assert crawler.stats is not None
        if crawler.settings.get("SCHEDULER") == OURS:
            # Who may not crawl here may not mend the file of the one who does.
            session_of(crawler)
        try:
            recorder = cls(Path(path), crawler.stats)
        except RecordingError as error:
            refuse(crawler, error)
            raise
        recorder.crawler = crawler
        crawler.signals.connect(recorder.record, signals.response_downloaded)
        crawler.signals.connect(recorder.close, signals.spider_closed)
        return recorder

    crawler: Crawler | None = None

    def __init__(self, path: Path, stats: StatsCollector) -> None:
        # warcio costs crawls that record nothing .5 MiB.
        from frontier.plugin.extensions.warc_records import record_pair
        from frontier.warc.appending import open_recording

        self._record_pair = record_pair
        self._path = path
        self._stats = stats
        self._file = open_recording(path)
        self._end = self._file.tell()
        self._packed = path.suffix == ".gz"

    def record(self, response: Response, request: Request, spider: Spider) -> None:
        """Append one response and the request that it answers."""
        if not response.url.lower().startswith(("http://", "https://")):
            return
        data = self._record_pair(request, response, packed=self._packed)
        try:
            self._append(data)
        except OSError as error:
            self._stats.inc_value("frontier/warc/failed")
            logger.error("%s is not in the recording %s: %s", response.url, self._path, error)
            self._stop(error)
            return
        self._stats.inc_value("frontier/warc/records", 2)
        self._stats.inc_value("frontier/warc/bytes", len(data))

    def _append(self, data: bytes) -> None:
        try:
            if self._file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            # The disk may be full in the middle of a record.
            self._file.truncate(self._end)
            self._file.seek(self._end)
            raise
        self._end += len(data)

    def _stop(self, error: OSError) -> None:
        """Stop a crawl of ours: what is not recorded is to be fetched again when it goes on."""
        crawler = self.crawler
        if crawler is not None and crawler.settings.get("SCHEDULER") == OURS:
            trouble_of(crawler).stop(
                RecordingError(
                    f"the recording {self._path} cannot be written ({error.strerror}). Check free "
                    f"space and permissions: it ends with a whole record, and the last pages are "
                    f"fetched again."
                )
            )

    def close(self, spider: Spider) -> None:
        """Close the file; it was complete before."""
        self._file.close()
