"""The log as it may be read on a terminal, whatever pages, links and servers are called.

Scrapy and the project write most of it. So nothing is changed but what Scrapy's own handler prints,
or writes to LOG_FILE, at the very end.
"""

from __future__ import annotations

import logging

from scrapy.utils.log import get_scrapy_root_handler

from ranking.printing import hide_passwords, shown_lines

__all__ = ["make_log_readable"]


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
