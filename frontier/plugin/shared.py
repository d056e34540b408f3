"""The frontier of a fetcher: what `scrapy frontier serve` owns, at the other end of an exchange.

A fetcher waits for who owns the order,
and says so each minute; it ends when nothing is left, or when it is refused.
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

from frontier.backend.revisit_results import UNMODIFIED
from frontier.errors import ExchangeError, SettingsError
from frontier.exchange import schema, wire
from frontier.exchange.fetchers import config_as_json
from frontier.exchange.link import ExchangeLink, Listener
from frontier.exchange.notes import POLITENESS, ROBOTS, topic_state
from frontier.exchange.remote import RemoteBackend, RemoteFigures, RemoteNotes
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
    from frontier.exchange.fetcher_side import BrainState, Note, Taken
    from frontier.politeness import PolitenessPolicy
    from frontier.records import Canonical, Lease, UrlRecord
    from ranking.topics import TopicModel

logger = logging.getLogger(__name__)

REFUSED = "refused"
"""Scrapy's `finish_reason` of a fetcher that the owner of the order does not admit."""
LOST = "exchange_failed"
"""The same where the exchange cannot be used any more."""
_SAID_EVERY = 60.0
"""Seconds between two lines of the log while nobody owns the order."""
_STANDARD_FILTER = "scrapy.dupefilters.RFPDupeFilter"


ReadExamples = Callable[["Crawler", str], Awaitable[list[str]]]
"""Gives the text of every example that a setting names."""


class HasUrlRules(Protocol):
    """Whoever makes URLs canonical."""

    url_rules: UrlRules


class SharedFrontier(RemoteBackend, Listener):
    """One fetcher's end of the exchange."""

    opening = ""
    leaves_open = True
    """Whoever owns the order decides which requests are made."""
    most_in_flight = math.inf
    """Nor is more offered than may be in flight."""
    few_hosts = None
    """Nor is it known here which hosts there are."""

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
        self.notes = RemoteNotes()
        link = ExchangeLink(
            value(settings, "FRONTIER_EXCHANGE"),
            f"{socket.gethostname()}:{os.getpid()}",
            self._about(),
            places,
            _call_in_reactor,
            self._needs,
        )
        schema.check(link.connection)
        super().__init__(link, places)
        self.notes.link = link
        self.figures = RemoteFigures(self, config)
        self.topic: TopicModel | None = None
        self._has_warned = False
        self._admitted: Deferred[None] = Deferred()
        self._seeds_ended = self._teaches = False
        self._said = float("-inf")
        self._politeness: PolitenessPolicy | None = None

    def _about(self) -> dict[str, Any]:
        settings, spider = self._crawler.settings, self._crawler.spider
        return {
            "wire": WIRE_VERSION,
            "spider": getattr(spider, "name", ""),
            "config": config_as_json(self._config),
            "per_host": settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or 1,
            "pauses": settings.getfloat("DOWNLOAD_DELAY") > 0,
        }

    def open(self, politeness: PolitenessPolicy) -> None:
        """The spider is there: begin to talk."""
        self._politeness = politeness
        self.wait_as(politeness.wait, politeness.max_wait_seconds)
        self._link.start(self)

    def stats(self) -> dict[str, float]:
        """The figures, by the names of Scrapy's stats."""
        return self.figures.stats()

    # -- the beginning -------------------------------------------------------------------------

    async def begin(self) -> None:
        """Wait until the owner of the order has admitted this fetcher, and there is a topic."""
        await maybe_deferred_to_future(self._admitted)

    def seeds_ended(self) -> None:
        """The spider has no more seeds."""
        self.commit()
        self._seeds_ended = True

    def take(
        self, lease: Lease, links: list[UrlRecord], canonical: Canonical | None = None
    ) -> None:
        """Take a page and where it leads, and count it."""
        super().take(lease, links, canonical)
        if lease.page.status != UNMODIFIED:
            self.figures.page(lease.page)

    # -- what comes ----------------------------------------------------------------------------

    def _needs(self, urls: Sequence[Taken]) -> dict[str, list[str]]:
        """Say, in the thread of the link, which notes are needed for some URLs."""
        origins = {origin for one in urls if (origin := origin_of(one.lease.url)) is not None}
        return {
            ROBOTS: self.notes.unknown(origins),
            POLITENESS: self.unheard({one.lease.slot: one.fence for one in urls}),
        }

    def deliver(self, taken: list[Taken], topic: Note | None, notes: list[Note]) -> None:
        if topic is not None:
            model = topics.load_topic_model(self._config.topic_model)
            model.restore(topic_state(topic))
            self.topic = model
            missing: str = getattr(model, "missing", "")
            if missing and not self._has_warned:
                logger.warning("%s", missing)
                self._has_warned = True
        pauses = self.notes.take(notes)
        if self._politeness is not None:
            for pause in pauses:
                self._politeness.restore(pause)
        self.receive(taken)
        compat.wake(self._crawler)

    def hear(self, brain: BrainState | None, verdict: str | None, known: int) -> None:
        if verdict:
            self._end(ExchangeError(verdict), REFUSED)
            return
        away: dict[str, Any] = {"state": "away"}
        told = brain.told if brain is not None and brain.is_alive else away
        self.note_state(told, known)
        if "url_rules" not in told or verdict is None:
            self._say_waiting()
            return
        self._codec.url_rules = UrlRules.stored(told["url_rules"])
        if told["topic"] is not None:
            if not self._admitted.called:
                self._admitted.callback(None)
        elif told["teacher"] == self._link.me and not self._teaches:
            self._teaches = True
            deferred_from_coro(self._teach())
        compat.wake(self._crawler)

    def _say_waiting(self) -> None:
        if time.monotonic() - self._said >= _SAID_EVERY:
            self._said = time.monotonic()
            logger.info(
                "Waiting for the frontier: nobody serves this exchange now. Start "
                "`scrapy frontier serve JOBDIR --exchange ...`; Ctrl-C ends this fetcher"
            )

    async def _teach(self) -> None:
        """Read the examples for all fetchers."""
        try:
            wanted = await self._read(self._crawler, self._config.examples)
            unwanted = await self._read(self._crawler, self._config.not_examples)
        except ClosingError:
            return
        except Exception as error:
            self._end(ExchangeError(str(error)), "no_topic")
            return
        self._link.say(wire.EXAMPLES, {"wanted": wanted, "unwanted": unwanted})

    def renewed(self, changed: set[int]) -> None:
        slots = self.slots_in(changed) if changed else set()
        if slots and self._politeness is not None:
            self._politeness.forget(slots.__contains__)
        # Not only when there is news: the last seed may be told when all others have ended.
        self._link.set_idle(idle=self._seeds_ended and self.is_idle)

    def refuse(self, seqs: set[int]) -> None:
        self.figures.late += len(seqs)
        logger.info("%d answers came too late: their URLs are other fetchers'", len(seqs))

    def fail(self, error: ExchangeError) -> None:
        self._end(error, LOST)

    def _end(self, error: ExchangeError, reason: str) -> None:
        self.note_state({"state": "stopped"}, 0)
        refuse_late(self._crawler, error)
        compat.close_spider(self._crawler, reason)


def _call_in_reactor(function: Any, *arguments: Any) -> None:
    from twisted.internet import reactor

    threads: IReactorFromThreads = reactor
    threads.callFromThread(function, *arguments)


def _require_shareable(crawler: Crawler) -> None:
    """Refuse what keeps in one process what all would have to know."""
    chosen = crawler.settings["DUPEFILTER_CLASS"]
    path = chosen if isinstance(chosen, str) else f"{chosen.__module__}.{chosen.__qualname__}"
    if path != _STANDARD_FILTER:
        raise SettingsError(
            f"DUPEFILTER_CLASS is {path}, which knows what one process has asked for; with "
            f"FRONTIER_EXCHANGE several do. Remove that setting, or crawl without an exchange."
        )
    if crawler.settings.get("JOBDIR"):
        logger.warning(
            "JOBDIR is for what Scrapy keeps of this process: the crawl itself is in the JOBDIR of "
            "`scrapy frontier serve`"
        )
