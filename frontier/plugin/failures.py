"""Failures: of downloads, of crawls that may not start, and of crawls that cannot go on.

A crawl that may not start logs one message and ends with an exit code that is not 0. Scrapy reports
an exception at start-up as an unhandled error with a traceback of its own frames, and before 2.14
exits with 0. An error of ours is logged without a traceback, by its message.

A crawl whose files cannot be written or read any more stops, as no further page could be stored.
No more requests leave, callbacks and pipelines have a few seconds to end, and the crawl closes with
an exit code that is not 0 and one message that names the failure, its place and how to resume. The
store itself reports each failure (`Store.on_error`), before any caller catches it. From then on
nothing is written and no answer counts: every URL stays in the file as at the last commit.
"""

from __future__ import annotations

import logging
import shlex
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakSet

from scrapy import signals
from scrapy.exceptions import IgnoreRequest

from frontier.errors import AddressError, FrontierError, RobotsError, StoreError, described
from frontier.plugin import compat
from frontier.states import FORBIDDEN_BY_ROBOTS, State
from ranking.printing import hide_passwords

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from frontier.store import Store
    from ranking.errors import LinkRankError

logger = logging.getLogger(__name__)

ROBOTS_REFUSAL = "Forbidden by robots.txt"
"""The message of Scrapy's RobotsTxtMiddleware, which raises no class of its own."""
UNREACHABLE = "robots.txt unreachable"
"""Prefix of the reason of a URL whose robots.txt could not be fetched."""


class AddressRefusedError(AddressError, IgnoreRequest):
    """The host has no allowed address; `refusal` says why."""

    def __init__(self, refusal: str) -> None:
        super().__init__(
            f"{refusal} and is not connected to; FRONTIER_ALLOW_NETWORKS lists networks to allow"
        )
        self.refusal = refusal


class ClosingError(FrontierError, IgnoreRequest):
    """A download that was not started because the crawl closes."""

    def __init__(self) -> None:
        super().__init__("the crawl is closing")


class ForbiddenByRobotsError(RobotsError, IgnoreRequest):
    """A URL that its robots.txt forbids."""

    def __init__(self) -> None:
        super().__init__(ROBOTS_REFUSAL)


class UnreachableRobotsError(RobotsError, IgnoreRequest):
    """A URL without known rules; `answered`: its origin sent an HTTP response."""

    def __init__(self, reason: str, *, answered: bool) -> None:
        super().__init__(f"{UNREACHABLE}: {reason}")
        self.answered = answered


def failure_of(error: object) -> tuple[State, str]:
    """Return the state and the reason of a URL whose download failed."""
    if not isinstance(error, BaseException):
        return State.ERROR, f"the downloader returned {type(error).__name__}"
    text = described(error)
    if isinstance(error, UnreachableRobotsError):
        # A host that does not answer is an error, not a rule.
        return State.ROBOTS if error.answered else State.ERROR, str(error)
    if not isinstance(error, IgnoreRequest):
        return State.ERROR, text
    if str(error) == ROBOTS_REFUSAL:
        return State.ROBOTS, FORBIDDEN_BY_ROBOTS
    return State.FILTERED, text


_closing: WeakSet[Crawler] = WeakSet()


def begin_closing(crawler: Crawler) -> None:
    """Have `require_open` raise from now on."""
    _closing.add(crawler)


def require_open(crawler: Crawler) -> None:
    """Raise ClosingError for a crawl that closes."""
    if crawler in _closing:
        raise ClosingError


_refused: WeakKeyDictionary[Crawler, LinkRankError] = WeakKeyDictionary()


class _WithoutTraceback(logging.Filter):
    """Drops Scrapy's report of an error that was logged before."""

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

    Only the first error of a crawl is logged: several components may raise the same.
    """
    if crawler in _refused:
        return
    _refused[crawler] = error
    logger.critical("The crawl does not start: %s", error)
    # For Scrapy 2.13 a crawl that has a spider has started.
    crawler.spider = None
    for name in ("twisted", "asyncio"):
        logging.getLogger(name).addFilter(_WithoutTraceback(str(error)))


def refusal_of(crawler: Crawler) -> LinkRankError | None:
    """The error for which a crawl was refused; None if it was not."""
    return _refused.get(crawler)


def refuse_late(crawler: Crawler, error: LinkRankError) -> None:
    """Like `refuse`, for a spider that is open."""
    _refused[crawler] = error
    logger.critical("The crawl does not start: %s", error)
    fail_at_end(crawler)


def fail_at_end(crawler: Crawler) -> None:
    """Make Scrapy's exit code 1 once the open spider has closed."""
    crawler.signals.connect(
        lambda: setattr(crawler, "spider", None), signal=signals.engine_stopped, weak=False
    )


def how_to_resume(settings: BaseSettings) -> str:
    """How to resume a crawl that has ended, in a sentence or two."""
    directory = settings.get("JOBDIR")
    if not directory:
        return "The crawl was not stored: set JOBDIR (-s JOBDIR=DIR) to resume or inspect it."
    text = f"To resume, run the same command again for the directory {shlex.quote(str(directory))}."
    lost = [str(uri) for uri, feed in settings.getdict("FEEDS").items() if feed.get("overwrite")]
    names = hide_passwords(", ".join(uri for uri in lost if not uri.startswith("stdout:")))
    return f"{text} Move {names} away first, or take -o in place of -O." if names else text


REASON = "storage_failed"
"""Scrapy's `finish_reason` of a crawl whose files cannot be read or written."""
CLOSING_SECONDS = 4.0
"""Seconds until requests in flight are given up; their URLs are leased, and fetched again."""

_OWN = logging.CRITICAL
"""Log level of the message about the failure."""

_troubles: WeakKeyDictionary[Crawler, StorageErrors] = WeakKeyDictionary()


def trouble_of(crawler: Crawler) -> StorageErrors:
    """Return the StorageErrors of a crawler, made on first use."""
    if crawler not in _troubles:
        _troubles[crawler] = StorageErrors(crawler)
    return _troubles[crawler]


class StorageErrors:
    """Stops a crawl at the first failure of its files."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.error: LinkRankError | None = None
        self._store: Store | None = None

    def watch(self, store: Store) -> None:
        """Stop at any failure of a store, which is abandoned then."""
        self._store = store
        store.on_error(self.stop)

    def watching(self) -> StorageErrors:
        """Suppress a StoreError of the block, and stop the crawl."""
        return self

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, StoreError):
            return False
        self.stop(error)
        return True

    def stop(self, error: LinkRankError) -> None:
        """Close the crawl; further failures until its end are only logged for debugging."""
        if self.error is not None:
            logger.debug("Another failure while the crawl stops: %s", error)
            return
        self.error = error
        if self._store is not None:
            self._store.abandon()
        crawler = self._crawler
        fail_at_end(crawler)
        logger.log(_OWN, "The crawl stops: %s %s", error, how_to_resume(crawler.settings))
        for handler in logging.getLogger().handlers:
            handler.addFilter(_brief)
        # Later: the failure may have occurred in the middle of the engine's own work.
        compat.call_later(0, lambda: compat.close_spider(crawler, REASON))
        compat.call_later(CLOSING_SECONDS, lambda: compat.forget_in_flight(crawler))


def _brief(record: logging.LogRecord) -> bool:
    """Drop other reports of the same failure, and the tracebacks of errors that follow from it."""
    error = record.exc_info[1] if record.exc_info else None
    # The message of another crawl in this process has this level, and passes.
    arguments = record.args if isinstance(record.args, tuple) and record.levelno < _OWN else ()
    if any(isinstance(argument, StoreError) for argument in (error, *arguments)):
        return False
    if isinstance(error, OSError):
        record.exc_info = None
        record.msg, record.args = f"{record.getMessage()} ({error})", ()
    return True
