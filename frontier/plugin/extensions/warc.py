"""Everything a crawl downloads, written to a WARC file while it runs.

The signal ``response_downloaded`` sees all of it: pages, redirects, 404s, retried errors and
robots.txt, each before a downloader middleware follows, retries or decompresses it. The body is
written as it came over the wire (without the chunked coding), so that a replay sends the bytes that
were received.

Invariant: after every response the file ends with a whole record. A response and its request are
one write; a record that a crash or a full disk cut off is removed before the next write, so that
each run can append to the file.

Requests are written as the spider made them, with cookies: do not publish a recording of a web
you had to log in to. ``Authorization`` and the credentials of a proxy are left out.
"""

from __future__ import annotations

import errno
import http.client
import logging
import os
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlsplit

from scrapy import signals
from scrapy.exceptions import NotConfigured
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from frontier.errors import RecordingError
from frontier.plugin.crawl.session import session_of
from frontier.plugin.failures import refuse, trouble_of
from frontier.warc.appending import open_recording

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
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
            # Only the process that holds the crawl may repair its recording.
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
        self._path = path
        self._stats = stats
        self._file = open_recording(path)
        self._end = self._file.tell()
        self._packed = path.suffix == ".gz"

    def record(self, response: Response, request: Request, spider: Spider) -> None:
        """Append one response and the request that it answers."""
        if not response.url.lower().startswith(("http://", "https://")):
            return
        data = record_pair(request, response, packed=self._packed)
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
        """Stop a crawl of the frontier: unrecorded pages are fetched again on resumption."""
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
        """Close the file, which ends with a whole record."""
        self._file.close()


_UNFINISHED = frozenset(("dataloss", "partial", "download_stopped"))


def record_pair(request: Request, response: Response, *, packed: bool) -> bytes:
    """The two records of an exchange, as the bytes to append."""
    buffer = BytesIO()
    writer = WARCWriter(buffer, gzip=packed)
    url = urldefrag(response.url).url
    answer = writer.create_warc_record(
        url,
        "response",
        payload=BytesIO(response.body),
        length=len(response.body),
        http_headers=_response_head(response),
        warc_headers_dict=_circumstances(response),
    )
    question = writer.create_warc_record(
        url,
        "request",
        payload=BytesIO(request.body),
        length=len(request.body),
        http_headers=_request_head(request),
    )
    writer.write_request_response_pair(question, answer)
    return buffer.getvalue()


def _circumstances(response: Response) -> dict[str, str]:
    """WARC header fields about the transfer of the response."""
    fields = {}
    if response.ip_address is not None:
        fields["WARC-IP-Address"] = str(response.ip_address)
    if _UNFINISHED.intersection(response.flags):
        fields["WARC-Truncated"] = "unspecified"
    return fields


class _Head(StatusAndHeaders):  # type: ignore[misc]  # warcio ships no types
    """An HTTP head written byte for byte, without warcio's percent-encoding."""

    def compute_headers_buffer(self, header_filter: Any = None) -> None:
        self.headers_buff = self.to_bytes(header_filter, "latin-1")


def _response_head(response: Response) -> _Head:
    reason = http.client.responses.get(response.status, "")
    status = f"{response.status} {reason}".strip()
    return _Head(status, _fields(response.headers), protocol="HTTP/1.1")


def _request_head(request: Request) -> _Head:
    parts = urlsplit(request.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    fields = [
        (name, value)
        for name, value in _fields(request.headers)
        if name.lower() not in ("authorization", "proxy-authorization")
    ]
    if "Host" not in request.headers:
        fields.insert(0, ("Host", parts.netloc.rpartition("@")[2]))
    return _Head(f"{request.method} {target} HTTP/1.1", fields, is_http_request=True)


def _fields(headers: Headers) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in headers.items()
        for value in values
    ]
