"""The frontier of a fetcher, which `scrapy frontier serve` owns at the other end of an exchange.

A fetcher waits for the owner of the order, and logs that each minute; it ends when no URL is left,
or when it is refused.
"""

from __future__ import annotations

import logging
import math
import os
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from frontier.backend.revisits.results import UNMODIFIED
from frontier.errors import ExchangeError, SettingsError
from frontier.exchange import wire
from frontier.exchange.exchange_thread import ExchangeThread, MessageListener
from frontier.exchange.fetcher_config import config_as_json
from frontier.exchange.fetcher_figures import RemoteFigures
from frontier.exchange.host_notes import POLITENESS, ROBOTS, FetcherHostNotes
from frontier.exchange.remote import RemoteBackend
from frontier.exchange.topic_sync import topic_state
from frontier.exchange.wire import WIRE_VERSION
from frontier.plugin import compat
from frontier.plugin.failures import ClosingError, refuse_late
from frontier.plugin.settings import value
from frontier.robots import origin_of
from frontier.urls.rules import UrlRules
from ranking import topics

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.interfaces import IReactorFromThreads

    from frontier.config import CrawlConfig
    from frontier.exchange.fetcher_side import PublishedState, TakenUrl
    from frontier.exchange.notes import Note
    from frontier.politeness import PolitenessPolicy
    from frontier.records import Canonical, Lease, Page, UrlRecord
    from frontier.verdict import Verdict
    from ranking.topics import TopicModel

logger = logging.getLogger(__name__)

REFUSED = "refused"
"""Scrapy's `finish_reason` of a fetcher that is not admitted."""
LOST = "exchange_failed"
"""The same where the exchange cannot be used any more."""
_LOG_EVERY = 60.0
"""Seconds between two log lines while no process owns the order."""
_STANDARD_FILTER = "scrapy.dupefilters.RFPDupeFilter"


ReadExamples = Callable[["Crawler", str], Awaitable[list[str]]]
"""Returns the text of every example that a setting names."""


class HasUrlRules(Protocol):
    """Makes URLs canonical by rules that the crawl has."""

    url_rules: UrlRules


class SharedFrontier(RemoteBackend, MessageListener):
    """One fetcher's end of the exchange."""

    opening = ""
    leaves_open = True
    """The coordinator decides which requests are made."""
    most_in_flight = math.inf
    """It offers no more URLs than may be in flight."""
    few_hosts = None
    """It alone knows all hosts."""

    def __init__(
        self, crawler: Crawler, config: CrawlConfig, codec: HasUrlRules, read: ReadExamples
    ) -> None:
        """Connect; `read` reads the examples that a setting names.

        Raises ExchangeError, or SettingsError for what processes cannot share.
        """
        settings = crawler.settings
        _require_shareable(crawler)
        self._crawler = crawler
        self._config = config
        self._codec = codec
        self._read = read
        places = settings.getint("CONCURRENT_REQUESTS") or 16
        thread = ExchangeThread(
            value(settings, "FRONTIER_EXCHANGE"),
            f"{socket.gethostname()}:{os.getpid()}",
            self._info(),
            places,
            _call_in_reactor,
            self._needs,
        )
        super().__init__(thread, places)
        self.notes = FetcherHostNotes(thread.put_note)
        self.figures = RemoteFigures(self, config)
        self.topic: TopicModel | None = None
        self._has_warned = False
        self._admitted: Deferred[None] = Deferred()
        self._seeds_ended = self._reads_examples = False
        self._logged = float("-inf")
        self._politeness: PolitenessPolicy | None = None

    def _info(self) -> dict[str, Any]:
        settings, spider = self._crawler.settings, self._crawler.spider
        return {
            "wire": WIRE_VERSION,
            "spider": getattr(spider, "name", ""),
            "config": config_as_json(self._config),
            "per_host": settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or 1,
            "pauses": settings.getfloat("DOWNLOAD_DELAY") > 0,
        }

    def open(self, politeness: PolitenessPolicy) -> None:
        """Start the exchange's thread, now that there is a spider."""
        self._politeness = politeness
        self.set_waits(politeness.wait, politeness.max_wait_seconds)
        self._thread.start(self)

    def stats(self) -> dict[str, float]:
        """Return the figures by the names of Scrapy's stats."""
        return self.figures.stats()

    # -- the beginning -------------------------------------------------------------------------

    async def begin(self) -> None:
        """Wait until this fetcher is admitted, and there is a topic."""
        await maybe_deferred_to_future(self._admitted)

    def seeds_ended(self) -> None:
        """The spider has no more seeds."""
        self.commit()
        self._seeds_ended = True

    def take(
        self, lease: Lease, page: Page, links: list[UrlRecord], canonical: Canonical | None = None
    ) -> Verdict:
        """Send a page with its links, and count it."""
        verdict = super().take(lease, page, links, canonical)
        if page.status != UNMODIFIED:
            self.figures.page(page)
        return verdict

    # -- called by the exchange's thread -------------------------------------------------------

    def _needs(self, urls: Sequence[TakenUrl]) -> dict[str, list[str]]:
        """Return the names of the notes that some URLs need, by kind; not in the crawl's thread."""
        origins = {origin for url in urls if (origin := origin_of(url.lease.url)) is not None}
        fences = {url.lease.slot: url.fence for url in urls}
        return {
            ROBOTS: self.notes.unknown(origins),
            POLITENESS: self.slots_without_notes(fences),
        }

    def on_urls(self, taken: list[TakenUrl], topic: Note | None, notes: list[Note]) -> None:
        if topic is not None:
            model = topics.load_topic_model(self._config.topic_model)
            model.restore(topic_state(topic))
            self.topic = model
            missing: str = getattr(model, "missing", "")
            if missing and not self._has_warned:
                logger.warning("%s", missing)
                self._has_warned = True
        pauses = self.notes.receive(notes)
        if self._politeness is not None:
            for pause in pauses:
                self._politeness.restore(pause)
        self.receive(taken)
        compat.wake(self._crawler)

    def on_state(self, state: PublishedState | None, verdict: str | None, received: int) -> None:
        if verdict:
            self._end(ExchangeError(verdict), REFUSED)
            return
        away: dict[str, Any] = {"phase": "away"}
        crawl = state.crawl if state is not None and state.is_alive else away
        self.crawl_state, self._received = crawl, received
        if "url_rules" not in crawl or verdict is None:
            self._log_waiting()
            return
        self._codec.url_rules = UrlRules.stored(crawl["url_rules"])
        if crawl["topic"] is not None:
            if not self._admitted.called:
                self._admitted.callback(None)
        elif crawl["example_reader"] == self._thread.me and not self._reads_examples:
            self._reads_examples = True
            deferred_from_coro(self._send_examples())
        compat.wake(self._crawler)

    def _log_waiting(self) -> None:
        if time.monotonic() - self._logged >= _LOG_EVERY:
            self._logged = time.monotonic()
            logger.info(
                "Waiting for the frontier: nobody serves this exchange now. Start "
                "`scrapy frontier serve JOBDIR --exchange ...`; Ctrl-C ends this fetcher"
            )

    async def _send_examples(self) -> None:
        """Read the examples for all fetchers."""
        try:
            wanted = await self._read(self._crawler, self._config.examples)
            unwanted = await self._read(self._crawler, self._config.not_examples)
        except ClosingError:
            return
        except Exception as error:
            self._end(ExchangeError(str(error)), "no_topic")
            return
        self.send(wire.EXAMPLES, {"wanted": wanted, "unwanted": unwanted})

    def on_renewal(self, changed: set[int]) -> None:
        slots = self.slots_in(changed) if changed else set()
        if slots and self._politeness is not None:
            self._politeness.forget(slots.__contains__)
        # With every renewal: the last seed may come when all other fetchers have ended.
        self._thread.set_idle(idle=self._seeds_ended and self.is_idle)

    def on_late_answers(self, seqs: set[int]) -> None:
        self.figures.late += len(seqs)
        logger.info("%d answers came too late: their URLs are other fetchers'", len(seqs))

    def on_failure(self, error: ExchangeError) -> None:
        self._end(error, LOST)

    def _end(self, error: ExchangeError, reason: str) -> None:
        self.crawl_state, self._received = {"phase": "stopped"}, 0
        refuse_late(self._crawler, error)
        compat.close_spider(self._crawler, reason)


def _call_in_reactor(function: Any, *arguments: Any) -> None:
    from twisted.internet import reactor

    threads: IReactorFromThreads = reactor
    threads.callFromThread(function, *arguments)


def _require_shareable(crawler: Crawler) -> None:
    """Refuse components that keep in one process what all processes would have to know."""
    chosen = crawler.settings["DUPEFILTER_CLASS"]
    path = chosen if isinstance(chosen, str) else f"{chosen.__module__}.{chosen.__qualname__}"
    if path != _STANDARD_FILTER:
        raise SettingsError(
            f"DUPEFILTER_CLASS is {path}, which knows the requests of one process; "
            f"FRONTIER_EXCHANGE has several. Remove that setting, or crawl without an exchange."
        )
    if crawler.settings.get("JOBDIR"):
        logger.warning(
            "JOBDIR is for what Scrapy keeps of this process: the crawl itself is in the JOBDIR of "
            "`scrapy frontier serve`"
        )
