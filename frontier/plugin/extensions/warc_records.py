"""A response and the request that it answers as the two records of a WARC file."""

from __future__ import annotations

import http.client
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Headers, Response

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
    """WARC header fields about how the response came."""
    fields = {}
    if response.ip_address is not None:
        fields["WARC-IP-Address"] = str(response.ip_address)
    if _UNFINISHED.intersection(response.flags):
        fields["WARC-Truncated"] = "unspecified"
    return fields


class _Head(StatusAndHeaders):  # type: ignore[misc]  # warcio ships no types
    """An HTTP head that is written byte for byte; warcio would percent-encode it."""

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
