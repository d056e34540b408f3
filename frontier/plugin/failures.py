"""What goes wrong: downloads, crawls that may not start, and how the log tells of both.

A crawl that may not start says why in one message and ends with an exit code that is not 0. Scrapy
reports an exception at start-up as an unhandled error with a traceback of its own frames, and
before 2.14 exits with 0. For an error of ours, whose message says all there is to say, the
traceback is kept from the log.

Scrapy and the project write most of the log. So nothing is changed but what Scrapy's own handler
prints, or writes to LOG_FILE, at the very end: whatever pages, links and servers are called, no
terminal obeys it; and a failed download is one line instead of a traceback through Scrapy's own
frames and Twisted's.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakSet

from scrapy import signals
from scrapy.exceptions import IgnoreRequest
from scrapy.settings.default_settings import RETRY_EXCEPTIONS
from scrapy.utils.log import get_scrapy_root_handler
from scrapy.utils.misc import load_object

from frontier.errors import AddressError, FrontierError, RobotsError, described
from frontier.states import State
from ranking.printing import hide_passwords, shown_lines

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from ranking.errors import LinkRankError

logger = logging.getLogger(__name__)

ROBOTS_REFUSAL = "Forbidden by robots.txt"
"""What Scrapy's RobotsTxtMiddleware says, if a project keeps it; it raises no class of its own."""
UNREACHABLE = "robots.txt unreachable"
"""How the reason of a URL begins whose origin could not be asked for its rules."""


class AddressRefusedError(AddressError, IgnoreRequest):
    """The host has no address that may be connected to; `refusal` says why."""

    def __init__(self, refusal: str) -> None:
        super().__init__(
            f"{refusal} and is not connected to; FRONTIER_ALLOW_NETWORKS lists networks to allow"
        )
        self.refusal = refusal


class ClosingError(FrontierError, IgnoreRequest):
    """A download that is not needed any more: the crawl closes."""

    def __init__(self) -> None:
        super().__init__("the crawl is closing")


class ForbiddenByRobotsError(RobotsError, IgnoreRequest):
    """A URL that the rules of its origin forbid."""

    def __init__(self) -> None:
        super().__init__(ROBOTS_REFUSAL)


class UnreachableRobotsError(RobotsError, IgnoreRequest):
    """A URL whose origin could not be asked; `answered` is whether there was an HTTP answer."""

    def __init__(self, reason: str, *, answered: bool) -> None:
        super().__init__(f"{UNREACHABLE}: {reason}")
        self.answered = answered


def failure_of(error: object) -> tuple[State, str]:
    """Return the state of its URL and the reason to note there."""
    if not isinstance(error, BaseException):
        return State.ERROR, f"the downloader returned {type(error).__name__}"
    text = described(error)
    if isinstance(error, UnreachableRobotsError):
        # A host that does not answer at all is no matter of rules.
        return State.ROBOTS if error.answered else State.ERROR, str(error)
    if not isinstance(error, IgnoreRequest):
        return State.ERROR, text
    if str(error) == ROBOTS_REFUSAL:
        return State.ROBOTS, "forbidden by robots.txt"
    return State.FILTERED, text


_refused: WeakKeyDictionary[Crawler, LinkRankError] = WeakKeyDictionary()


class _WithoutTraceback(logging.Filter):
    """Drops the report of an unhandled error that has been explained already."""

    def __init__(self, explained: str) -> None:
        super().__init__()
        self._explained = explained

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += str(record.exc_info[1])
        return self._explained not in text and "Unhandled error in Deferred" not in text


def refuse(crawler: Crawler, error: LinkRankError) -> None:
    """Log why the crawl does not start, and make Scrapy's exit code 1 once `error` is raised.

    Once a crawl: several components may find the same.
    """
    if crawler in _refused:
        return
    _refused[crawler] = error
    logger.critical("The crawl does not start: %s", error)
    # Scrapy 2.13 takes a crawl that has a spider for one that started.
    crawler.spider = None
    for name in ("twisted", "asyncio"):
        logging.getLogger(name).addFilter(_WithoutTraceback(str(error)))


def refusal_of(crawler: Crawler) -> LinkRankError | None:
    """Why a crawl was refused; None if it was not."""
    return _refused.get(crawler)


def refuse_late(crawler: Crawler, error: LinkRankError) -> None:
    """Like `refuse`, for a spider that is open already."""
    _refused[crawler] = error
    logger.critical("The crawl does not start: %s", error)
    fail_at_end(crawler)


def fail_at_end(crawler: Crawler) -> None:
    """Make Scrapy's exit code 1 once the spider, which is open, has closed."""
    crawler.signals.connect(
        lambda: setattr(crawler, "spider", None), signal=signals.engine_stopped, weak=False
    )


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
