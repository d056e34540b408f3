"""A failed download is one line of the log: it says what happened, and nobody's code is to blame.

Scrapy logs it with a traceback, which leads through its own frames and Twisted's.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import scrapy.exceptions
from scrapy.settings import default_settings
from scrapy.utils.misc import load_object

from frontier.errors import DownloadError
from frontier.plugin.failures import described

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_LOGGER = "scrapy.core.scraper"
_RETRIED: list[Any] = default_settings.RETRY_EXCEPTIONS
_FAULTS = (
    DownloadError,
    getattr(scrapy.exceptions, "DownloadCancelledError", DownloadError),
    # Not OSError, which stands there as a class: it may come from a middleware of the project.
    *(load_object(one) for one in _RETRIED if isinstance(one, str)),
)

_crawlers: WeakSet[Crawler] = WeakSet()


def tell_briefly(crawler: Crawler) -> None:
    """Have failed downloads of a crawl logged without their tracebacks."""
    _crawlers.add(crawler)
    logging.getLogger(_LOGGER).addFilter(_brief)


def _brief(record: logging.LogRecord) -> bool:
    crawler = getattr(getattr(record, "spider", None), "crawler", None)
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, _FAULTS) and crawler in _crawlers:
        record.exc_info = None
        said = " ".join(described(error).split())
        record.msg, record.args = f"{record.getMessage()}: {said}", ()
    return True
