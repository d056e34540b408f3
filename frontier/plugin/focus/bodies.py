"""Bodies whose headers say what they are not, in the ready-made crawl.

Scrapy drops a body that is not packed as its server says, takes a page in a content coding that
nobody knows for one of no type, and fails at a charset that is none. A crawler reads what came.
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
    """Unpacks like Scrapy's; a text that this cannot be applied to is taken as it is."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return a response with the type and charset of its bytes.

        Raises what Scrapy does for a body that is neither packed as its header says nor a text.
        """
        try:
            decoded = super().process_response(request, response, *spider_passed(spider))
        except IgnoreRequest:  # larger than is downloaded
            raise
        except Exception:  # each coding has errors of its own
            text = self._as_text(request, response)
            if text is None:
                raise
            return readable(text)
        if isinstance(decoded, Request):
            return decoded
        if "Content-Encoding" in decoded.headers:  # one that Scrapy does not know
            decoded = self._as_text(request, decoded) or decoded
        return readable(decoded)

    def _as_text(self, request: Request, response: Response) -> Response | None:
        """A response unpacked as far as its bytes allow; None where that is no text."""
        headers = [
            ("content-encoding", value.decode("latin-1"))
            for value in response.headers.getlist("Content-Encoding")
        ]
        most = request.meta.get("download_maxsize", self._max_size) or sys.maxsize
        # Packed with gzip is what begins like it, whatever its header says.
        codings = ["gzip", *codings_of(headers)]
        body = unpacked(response.body, codings, most)
        return response.replace(body=body) if binary_is_text(body[:BEGINNING]) else None
