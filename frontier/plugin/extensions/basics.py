"""The extensions of Scrapy that every crawl has, and what all of ours have in common.

* `FrontierStats`: the frontier's figures among Scrapy's stats.
* `LabelReader`: labels that people give while a crawl runs.
* `FailWithoutPages`, in the EXTENSIONS of the ready-made crawl: why a crawl fetched no page. Scrapy
  calls it finished all the same, with exit code 0.
* `CloseAtLimit`, there in the place of Scrapy's CloseSpider: as many pages as were asked for.
* `WholeFeeds`, `WholeSpiderState`: files of Scrapy's that survive kills and full disks.
"""

from __future__ import annotations

import logging
import pickle
import time
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.extensions.closespider import CloseSpider
from scrapy.extensions.feedexport import FeedExporter
from scrapy.extensions.spiderstate import SpiderState

from frontier.errors import FeedError, StoreError
from frontier.formatting import clean, rounded
from frontier.labels.label_file import LabelFile
from frontier.labels.learning import Relearning
from frontier.plugin.crawl.embedded import EmbeddedFrontier
from frontier.plugin.crawl.in_flight import TOKEN
from frontier.plugin.crawl.session import session_of
from frontier.plugin.failures import fail_at_end, trouble_of
from frontier.plugin.settings import value
from frontier.states import State
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from frontier.plugin.crawl.session import CrawlSession

logger = logging.getLogger(__name__)

_HEARD = ("spider_opened", "spider_closed", "response_received", "item_scraped")
"""Scrapy's signals that extensions hear: by methods of the same names."""


class Extension:
    """Hears Scrapy's signals, if the setting `switch` is on or there is none.

    With FRONTIER_EXCHANGE there is none `of_whole_crawls`: one fetcher sees a part of the crawl.
    """

    switch: ClassVar[str] = ""
    of_whole_crawls: ClassVar[bool] = False

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if cls.switch and not crawler.settings.getbool(cls.switch):
            # Without a message: Scrapy would log one as a warning in every crawl.
            raise NotConfigured
        if cls.of_whole_crawls and value(crawler.settings, "FRONTIER_EXCHANGE"):
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

    @property
    def whole(self) -> EmbeddedFrontier:
        """The frontier of a crawl that is not shared, for extensions `of_whole_crawls`."""
        frontier = self.session.frontier
        assert isinstance(frontier, EmbeddedFrontier)
        return frontier


_ALWAYS = tuple(
    f"frontier/{name}"
    for name in (
        *("pages", "relevant", "recent_share", "known", "queued", "leased"),
        *("harvest_rate/", "remaining/"),
    )
)
"""Beginnings of names that are there at 0 too: where a crawl stands, and what is estimated."""


SECOND = 1.0
"""Between two times that the stats are brought up to date: for each response it would cost more
than storing the response does."""


def figures_of(session: CrawlSession) -> dict[str, float]:
    """The frontier's stats as they are now."""
    values = session.frontier.stats()
    for name, count in session.politeness.figures().items():
        values[f"frontier/politeness/{name}"] = count
    return values


class FrontierStats(Extension):
    """Scrapy extension: brings the stats up to date, at most once a second, and at the end."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._written: set[str] = set()
        self._due = 0.0

    def response_received(self) -> None:
        """Write the figures, unless they were written within the last second."""
        if time.monotonic() >= self._due:
            self._write()

    def _write(self) -> None:
        """Write the figures to the stats collector."""
        self._due = time.monotonic() + SECOND
        values = {
            name: rounded(value)
            for name, value in figures_of(self.session).items()
            if value or name.startswith(_ALWAYS)
        }
        stats: Any = self._crawler.stats
        known = stats.get_stats()
        for name in self._written - values.keys():
            known.pop(name, None)  # it is no longer known
        self._written = set(values)
        for name, figure in values.items():
            stats.set_value(name, figure)

    def spider_closed(self) -> None:
        """Write all figures once more."""
        self._write()


EVERY = 20
"""Responses between two looks at the file: a person waits a few seconds, a crawl a microsecond."""


class LabelReader(Extension):
    """Scrapy extension: brings the labels in a crawl's directory into the crawl.

    What they tell of the harvest rate is worked out when there are more of them, and at the end: of
    what was fetched until then it stays true while the crawl goes on.
    """

    of_whole_crawls = True

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
        file = LabelFile(self.whole.directory)
        self._relearning = Relearning(self.whole, file, session.codec.fingerprint_of)
        self._look()
        self._estimate()
        session.before_close.append(self._estimate)

    def response_received(self) -> None:
        """A response came."""
        self._responses += 1
        if self._responses % EVERY == 0:
            self._look()

    def _look(self) -> None:
        if self.whole.topic is None:
            return
        model = self._relearning.renewed(self.session.config)
        if model is not None:
            self.whole.topic = model
            self._estimate()

    def _estimate(self) -> None:
        try:
            rate = self._relearning.harvest_rate()
        except LinkRankError as error:  # a store that cannot be read must still be closed
            logger.error("No harvest rate of the crawl: %s", error)
            return
        if rate is not None:
            rate = rate._replace(until=min(rate.until, time.time()))
        self.whole.figures.harvest_rate = rate


REASONS = 5
"""Reasons that are listed; the most frequent come first."""
STOPPED = "shutdown"
"""Scrapy's reason of a crawl that somebody stopped, who knows why there is no page."""


def nothing_fetched(errors: Iterable[tuple[str, int]]) -> list[str]:
    """Why no page was fetched: reasons with the number of their URLs, the most frequent first."""
    reasons = [f"  {count:,} x {clean(reason, 300)}" for reason, count in errors]
    return ["Nothing was fetched: no URL that was asked for gave a page.", *reasons[:REASONS]]


class FailWithoutPages(Extension):
    """Scrapy extension: a crawl of which no page was fetched, in any run, is a failure.

    Logs why, and makes Scrapy's exit code 1.
    """

    of_whole_crawls = True
    _lines: tuple[str, ...] = ()

    def spider_opened(self) -> None:
        """Read the reasons before the store closes."""
        self.session.before_close.append(self._look)

    def _look(self) -> None:
        figures = self.whole.figures
        if figures.count(State.CRAWLED) or not figures.known:
            return
        try:
            self.whole.commit()
            self._lines = tuple(nothing_fetched(self.whole.store.error_counts().items()))
        except LinkRankError as error:
            logger.debug("It is not known why nothing was fetched: %s", error)

    def spider_closed(self, reason: str) -> None:
        """Log the reasons, unless somebody stopped the crawl."""
        if self._lines and reason != STOPPED:
            logger.warning("\n".join(self._lines))
            fail_at_end(self._crawler)


class CloseAtLimit(CloseSpider):
    """Scrapy extension: CLOSESPIDER_PAGECOUNT counts answers of the frontier's URLs, exactly.

    Scrapy's counts each robots.txt, and what is in flight when the number is reached comes on top.
    Here no more requests leave than answers are lacking; what has not left stays queued.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if self.close_on["pagecount"]:
            crawler.signals.connect(self._limit, signals.spider_opened)

    def _limit(self) -> None:
        limit = self.close_on["pagecount"]
        session_of(self.crawler).answers_lacking = lambda: limit - self.counter["pagecount"]

    def page_count(self, response: Response, request: Request, spider: Spider) -> None:
        """Count an answer, unless it is of a robots.txt or of what a callback downloads."""
        if TOKEN in request.meta:
            super().page_count(response, request, spider)


_LINES = ("jsonlines", "jsonl", "jl")
"""Feed formats of one item a line."""


class WholeFeeds(Extension):
    """Scrapy extension: mends feeds before they are appended to, and flushes them item by item.

    Scrapy keeps the last few kilobytes of a feed in the process. After `kill -9` the frontier would
    know pages as fetched whose items nobody ever sees; so every item is given to the operating
    system as soon as it is exported, before its page is committed, and at worst it is there twice.
    What a kill in the middle of a line leaves behind is cut away before the next run appends to it.
    Where an item cannot be written, the crawl stops, and the pages since the last commit are
    fetched again when it is resumed.
    """

    def _slots(self) -> Iterator[Any]:
        exporter: Any = self._crawler.get_extension(FeedExporter)
        yield from getattr(exporter, "slots", ())

    def spider_opened(self) -> None:
        """Have files of lines that will be appended to end with a whole line."""
        for slot in self._slots():
            path = getattr(slot.storage, "path", None)
            appending = getattr(slot.storage, "write_mode", "") == "ab"
            packed = slot.feed_options.get("postprocessing")
            if path and appending and not packed and slot.format in _LINES:
                mend_lines(Path(path))

    def item_scraped(self) -> None:
        """Flush the files of all feeds that are open."""
        for slot in self._slots():
            file = getattr(slot, "file", None)
            if file is None or file.closed:
                continue
            try:
                file.flush()
            except OSError as error:
                self._stop(str(getattr(slot, "uri", "a feed")), error)

    def _stop(self, uri: str, error: OSError) -> None:
        # The page of this item is not committed yet: it is to be fetched again.
        trouble_of(self._crawler).stop(
            FeedError(
                f"items cannot be written to {uri} ({error.strerror}). Check free space and "
                f"permissions: all items before are there, and the last pages are fetched again."
            )
        )


def mend_lines(path: Path) -> None:
    """Cut off what follows the last whole line of a file; the item is there again soon."""
    try:
        with path.open("r+b") as file:
            size = file.seek(0, 2)
            if not size:
                return
            with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
                end = data.rfind(b"\n") + 1
            file.truncate(end)
    except FileNotFoundError:
        return
    except OSError as error:
        logger.debug("%s was not looked at before it is appended to: %s", path, error)
        return
    if end < size:
        logger.warning("Cut %d bytes of an unfinished line off %s", size - end, path)


class WholeSpiderState(SpiderState):
    """Scrapy extension in the place of Scrapy's own: a full disk leaves the old file as it was."""

    def spider_closed(self, spider: Spider) -> None:
        """Write the spider's state into a new file, which takes the old one's place when whole."""
        path = Path(self.statefn)
        unfinished = path.with_name(f"{path.name}.new")
        try:
            unfinished.write_bytes(pickle.dumps(getattr(spider, "state", {}), protocol=4))
            unfinished.replace(path)
        except OSError as error:
            trouble_of(spider.crawler).stop(
                StoreError(f"{path} cannot be written ({error.strerror}). Check free space.")
            )
