"""Bodies that contradict their headers, in the ready-made crawl.

Scrapy drops a body that is not packed as its header says, gives no type to a page in an unknown
content coding, and fails at an unknown charset. Here the bytes are read all the same.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.python import binary_is_text

from frontier.plugin.compat import spider_passed
from frontier.plugin.crawl.bodies import BEGINNING, readable
from frontier.warc.payload import codings_of, unpacked

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Response


class BodyMiddleware(HttpCompressionMiddleware):
    """Unpacks like HttpCompressionMiddleware, but keeps a text that cannot be unpacked."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return a response with the type and charset of its bytes.

        Raises as Scrapy does for a body that is neither packed as its header says nor a text.
        """
        try:
            decoded = super().process_response(request, response, *spider_passed(spider))
        except IgnoreRequest:  # the body is too large
            raise
        except Exception:  # each coding has errors of its own
            text = self._as_text(request, response)
            if text is None:
                raise
            return readable(text)
        if isinstance(decoded, Request):
            return decoded
        if "Content-Encoding" in decoded.headers:  # a coding unknown to Scrapy
            decoded = self._as_text(request, decoded) or decoded
        return readable(decoded)

    def _as_text(self, request: Request, response: Response) -> Response | None:
        """The response unpacked as far as its bytes allow; None if the result is no text."""
        headers = [
            ("content-encoding", value.decode("latin-1"))
            for value in response.headers.getlist("Content-Encoding")
        ]
        most = request.meta.get("download_maxsize", self._max_size) or sys.maxsize
        # A body that begins like gzip is gzip, whatever its header says.
        codings = ["gzip", *codings_of(headers)]
        body = unpacked(response.body, codings, most)
        return response.replace(body=body) if binary_is_text(body[:BEGINNING]) else None
