"""The log as it may be read on a terminal, whatever pages, links and servers are called.

Scrapy and the project write most of it. So nothing is changed but what Scrapy's own handler prints,
or writes to LOG_FILE, at the very end; and the two lines that Scrapy makes of each page for those
who debug are not made where nobody would get them.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter
from scrapy.utils.log import get_scrapy_root_handler

from ranking.printing import shown_lines

if TYPE_CHECKING:
    from scrapy.logformatter import LogFormatterResult

__all__ = ["HeardLogFormatter", "make_log_readable"]

_CRAWLED_BY, _SCRAPED_BY = "scrapy.core.engine", "scrapy.core.scraper"
_NOTHING: Any = None


class _Readable(logging.Formatter):
    """Formats as another formatter does, and shows what a terminal would obey."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        return shown_lines(self._inner.format(record))


def make_log_readable() -> None:
    """Have Scrapy's handler show control characters; without one the project has its own log."""
    handler = get_scrapy_root_handler()
    if handler is not None and not isinstance(handler.formatter, _Readable):
        handler.setFormatter(_Readable(handler.formatter or logging.Formatter()))


class HeardLogFormatter(LogFormatter):
    """Scrapy's own, but for lines of DEBUG that every handler would drop: a record costs more."""

    # "If None is returned, the action is not logged": Scrapy's documentation, not its types.
    def crawled(self, *args: Any, **kwargs: Any) -> LogFormatterResult:
        return super().crawled(*args, **kwargs) if _debugged(_CRAWLED_BY) else _NOTHING

    def scraped(self, *args: Any, **kwargs: Any) -> LogFormatterResult:
        return super().scraped(*args, **kwargs) if _debugged(_SCRAPED_BY) else _NOTHING


def _debugged(name: str) -> bool:
    """Whether a handler takes what a logger says at DEBUG."""
    logger: logging.Logger | None = logging.getLogger(name)
    while logger is not None:
        if any(handler.level <= logging.DEBUG for handler in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False
