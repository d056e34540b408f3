"""The extensions of Scrapy that every crawl has, and what all of ours have in common.

* `FrontierStats`: the frontier's figures among Scrapy's stats.
* `LabelReader`: labels that people give while a crawl runs.
* `ResumeHint`: how a crawl that stops before its end goes on.
* `NothingFetched`: why a crawl fetched no page. Scrapy calls it finished all the same, with exit
  code 0; a project that lists `FailWithoutPages` in its EXTENSIONS has 1.
"""

from __future__ import annotations

import atexit
import logging
import signal
import time
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import signals
from scrapy.exceptions import NotConfigured

from frontier.formatting import clean, rounded
from frontier.labels.label_file import LabelFile
from frontier.labels.learning import Relearning
from frontier.plugin import compat
from frontier.plugin.crawl.session import session_of
from frontier.plugin.failures import fail_at_end
from frontier.plugin.resume_command import how_to_go_on
from frontier.plugin.settings import value
from frontier.states import State
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from frontier.plugin.crawl.session import CrawlSession

logger = logging.getLogger(__name__)

_HEARD = (
    *("engine_started", "spider_opened", "spider_closed"),
    *("response_received", "item_scraped"),
)
"""Scrapy's signals that extensions hear: by methods of the same names."""


class Extension:
    """Hears Scrapy's signals, if the setting `switch` is on or there is none."""

    switch: ClassVar[str] = ""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if cls.switch and not crawler.settings.getbool(cls.switch):
            # Without a message: Scrapy would log one as a warning in every crawl.
            raise NotConfigured
        extension = cls(crawler)
        for name in _HEARD:
            if hasattr(extension, name):
                crawler.signals.connect(getattr(extension, name), getattr(signals, name))
        return extension

    @property
    def session(self) -> CrawlSession:
        """The crawl's, once there is an engine."""
        return session_of(self._crawler)


_ALWAYS = tuple(
    f"frontier/{name}"
    for name in ("pages", "relevant", "known", "queued", "leased", "harvest_rate/", "remaining/")
)
"""Beginnings of names that are there at 0 too: where a crawl stands, and what is estimated."""


_SECOND = 1.0
"""Between two times that the stats are brought up to date: for each response it would cost more
than storing the response does."""


class FrontierStats(Extension):
    """Scrapy extension: brings the stats up to date once a second and at the end."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._told: dict[str, float] = {}
        self._due = 0.0
        self._timer: Any = None

    def response_received(self) -> None:
        """Write the figures: now, or when a second is over."""
        left = self._due - time.monotonic()
        if left <= 0:
            self._write()
        elif self._timer is None:
            self._timer = compat.call_later(left, self._write_now)

    def _write_now(self) -> None:
        self._timer = None
        self._write()

    def _write(self) -> None:
        """Write the figures that have changed to the stats collector: a third of them."""
        self._due = time.monotonic() + _SECOND
        session = self.session
        values = session.frontier.stats()
        for name, count in session.politeness.figures().items():
            values[f"frontier/politeness/{name}"] = count
        values = {
            name: rounded(value)
            for name, value in values.items()
            if value or name.startswith(_ALWAYS)
        }
        told, self._told = self._told, values
        stats: Any = self._crawler.stats
        tell = stats.set_value
        for name, figure in values.items():
            if told.get(name) != figure:
                tell(name, figure)
        if not told.keys() <= values.keys():
            self._withdraw(told.keys() - values.keys())

    def _withdraw(self, names: Iterable[str]) -> None:
        """Remove what is no longer known."""
        known = self._crawler.stats.get_stats()
        for name in names:
            known.pop(name, None)

    def spider_closed(self) -> None:
        """Write all figures, whatever became of those that were written before."""
        if self._timer is not None:
            self._timer.cancel()
        self._told = dict.fromkeys(self._told, float("nan"))
        self._write()


EVERY = 20
"""Responses between two looks at the file: a person waits a few seconds, a crawl a microsecond."""


class LabelReader(Extension):
    """Scrapy extension: brings the labels in a crawl's directory into the crawl.

    What they tell of the harvest rate is worked out when there are more of them, and at the end: of
    what was fetched until then it stays true while the crawl goes on.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._responses = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.get("JOBDIR"):
            # Nobody knows where a crawl without a directory lies.
            raise NotConfigured
        return super().from_crawler(crawler)

    def spider_opened(self) -> None:
        """Take in what was said before."""
        session = self.session
        file = LabelFile(session.backend.directory)
        self._relearning = Relearning(session.backend, file, session.codec.fingerprint_of)
        self._look()
        self._estimate()
        session.before_close.append(self._estimate)

    def response_received(self) -> None:
        """A response came."""
        self._responses += 1
        if self._responses % EVERY == 0:
            self._look()

    def _look(self) -> None:
        session = self.session
        if session.topic is None or not self._relearning.look():
            return
        try:
            session.topic = self._relearning.relearned(session.config)
        except LinkRankError as error:
            logger.error("The topic was not learned anew from labels: %s", error)
        else:
            logger.info("The topic was learned anew, with what people said of pages")
        self._estimate()

    def _estimate(self) -> None:
        try:
            rate = self._relearning.harvest_rate()
        except LinkRankError as error:  # a store that cannot be read must still be closed
            logger.error("No harvest rate of the crawl: %s", error)
            return
        if rate is not None:
            rate = rate._replace(until=min(rate.until, time.time()))
        self.session.figures.harvest_rate = rate


_HANGUP = getattr(signal, "SIGHUP", None)


class ResumeHint(Extension):
    """Scrapy extension: says how to go on, and stops in order when the terminal is closed."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._closed = True

    def spider_opened(self) -> None:
        """Be told when the process ends without having closed the spider: by a second Ctrl-C."""
        self._closed = False
        atexit.register(self._stopped)

    def engine_started(self) -> None:
        """Take over SIGHUP as soon as Scrapy has taken over SIGTERM, which is a moment later."""
        compat.call_later(0, _stop_on_hangup)

    def spider_closed(self, reason: str) -> None:
        """Say how to go on, unless nothing is left to do."""
        self._closed = True
        atexit.unregister(self._stopped)
        if reason != "finished":
            logger.info(
                "The crawl is not finished (%s); %s", reason, how_to_go_on(self._crawler.settings)
            )

    def _stopped(self) -> None:
        if not self._closed:
            logger.info(
                "The crawl was stopped at once, what was in flight is fetched again; %s",
                how_to_go_on(self._crawler.settings),
            )


def _stop_on_hangup() -> None:
    handled = signal.getsignal(signal.SIGTERM)
    if _HANGUP is None or not callable(handled):
        return  # whoever runs the crawl takes care of signals
    if signal.getsignal(_HANGUP) == signal.SIG_DFL:
        try:
            signal.signal(_HANGUP, _as_termination)
        except ValueError:
            logger.debug("Not the main thread: a closed terminal ends the crawl at once")


def _as_termination(_: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    if callable(handler):
        handler(signal.SIGTERM, frame)


REASONS = 5
"""Reasons that are listed; the most frequent come first."""
STOPPED = "shutdown"
"""Scrapy's reason of a crawl that somebody stopped, who knows why there is no page."""


def nothing_fetched(errors: Iterable[tuple[str, int]]) -> list[str]:
    """Why no page was fetched: reasons with the number of their URLs, the most frequent first."""
    reasons = [f"  {count:,} x {clean(reason, 300)}" for reason, count in errors]
    return ["Nothing was fetched: no URL that was asked for gave a page.", *reasons[:REASONS]]


class NothingFetched(Extension):
    """Scrapy extension: warns at the end of a crawl of which no page was fetched, in any run."""

    _lines: tuple[str, ...] = ()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if value(crawler.settings, "FRONTIER_EXCHANGE"):
            raise NotConfigured  # others may have fetched what this process did not
        return super().from_crawler(crawler)

    def spider_opened(self) -> None:
        """Read the reasons before the store closes."""
        self.session.before_close.append(self._look)

    def _look(self) -> None:
        figures, backend = self.session.figures, self.session.backend
        if figures.count(State.CRAWLED) or not figures.known:
            return
        try:
            backend.commit()
            self._lines = tuple(nothing_fetched(backend.store.error_counts().items()))
        except LinkRankError as error:
            logger.debug("It is not known why nothing was fetched: %s", error)

    def spider_closed(self, reason: str) -> None:
        """Warn, and end as the project wants it."""
        if self._lines and reason != STOPPED:
            self._end()

    def _end(self) -> None:
        logger.warning("\n".join(self._lines))


class FailWithoutPages(NothingFetched):
    """Scrapy extension: makes Scrapy's exit code 1 after such a crawl."""

    def _end(self) -> None:
        fail_at_end(self._crawler)
