"""PDFs become pages with text and links, where pypdf is installed (extra `pdf`)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from frontier.plugin.crawl.session import session_of
from frontier.texts import OFF

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from frontier.config import CrawlConfig
    from frontier.plugin.crawl.session import CrawlSession

_MARK: Final = b"%PDF-"
_BEGINNING: Final = 1024
"""Bytes in which a PDF says that it is one."""


def are_read(config: CrawlConfig) -> bool:
    """Whether a crawl reads PDFs: for its topic or their texts, where it can."""
    return (config.focused or config.text != OFF) and find_spec("pypdf") is not None


class PdfMiddleware:
    """Downloader middleware: has the PDFs of the frontier read, beside the crawl, before others
    get them. The response stays as it is.
    """

    def __init__(self, session: CrawlSession) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(session_of(crawler))

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Wait until a PDF is read."""
        is_pdf = response.body[:_BEGINNING].lstrip().startswith(_MARK)
        if is_pdf and response.status < 300 and self._session.flights.unanswered(request):
            await self._session.pages.texts.read_pdf(response)
        return response
