"""The log as it may be read on a terminal, whatever pages, links and servers are called.

Scrapy and the project write most of it. So nothing is changed but what Scrapy's own handler prints,
or writes to LOG_FILE, at the very end; and a failed download is one line instead of a traceback
through Scrapy's own frames and Twisted's.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakSet

from scrapy.settings.default_settings import RETRY_EXCEPTIONS
from scrapy.utils.log import get_scrapy_root_handler
from scrapy.utils.misc import load_object

from frontier.errors import described
from ranking.printing import hide_passwords, shown_lines

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

__all__ = ["log_failures_briefly", "make_log_readable"]


class _Readable(logging.Formatter):
    """Formats as another formatter does, shows what a terminal would obey, and no password."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        return hide_passwords(shown_lines(self._inner.format(record)))


def make_log_readable() -> None:
    """Have Scrapy's handler show control characters; without one the project has its own log."""
    handler = get_scrapy_root_handler()
    if handler is not None and not isinstance(handler.formatter, _Readable):
        handler.setFormatter(_Readable(handler.formatter or logging.Formatter()))


# Not OSError, which stands there as a class: it may come from a middleware of the project.
_FAILURES = tuple(load_object(name) for name in RETRY_EXCEPTIONS if isinstance(name, str))


def log_failures_briefly(crawler: Crawler) -> None:
    """Have failed downloads of a crawl logged in one line that says what happened."""
    _crawlers.add(crawler)
    logging.getLogger("scrapy.core.scraper").addFilter(_shorten)


_crawlers: WeakSet[Crawler] = WeakSet()


def _shorten(record: logging.LogRecord) -> bool:
    crawler = getattr(getattr(record, "spider", None), "crawler", None)
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, _FAILURES) and crawler in _crawlers:
        record.exc_info = None
        reason = " ".join(described(error).split())
        record.msg, record.args = f"{record.getMessage()}: {reason}", ()
    return True
