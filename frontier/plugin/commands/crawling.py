"""A crawl that a command or a script runs: its exit code, and why it did not go well."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from twisted.python.failure import Failure

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class _Reason(logging.Handler):
    """Keeps the last message that says why a crawl cannot be, or cannot go on."""

    def __init__(self) -> None:
        super().__init__(logging.CRITICAL)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = record.getMessage()


def crawl(process: Any, crawler: Crawler, **arguments: Any) -> tuple[int, str]:
    """Run a crawl to its end: 0, or 1 and the last critical message of its log, "" if none.

    `process` is a CrawlerProcess of Scrapy's of either kind; `arguments` are the spider's.
    """
    reason = _Reason()
    logging.getLogger().addHandler(reason)
    crawling = process.crawl(crawler, **arguments)
    # Only Scrapy before 2.14 tells here, by a Deferred, that a crawl could not begin.
    failed = isinstance(getattr(crawling, "result", None), Failure)
    if not failed:
        process.start()
    failed = failed or process.bootstrap_failed
    return int(failed), reason.text if failed else ""
