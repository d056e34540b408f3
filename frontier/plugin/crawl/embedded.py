"""The frontier of a crawl that has it to itself: backend, file and topic are in this process.

A fetcher's is `frontier.plugin.shared.frontier`; a session knows of either only what is here.
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any

from frontera.core.manager import FrontierManager

from frontier.backend.components import frontera_settings
from frontier.backend.figures import CrawlFigures
from frontier.backend.first_requests import FirstRequests
from frontier.config import IN_FLIGHT_GROWTH
from frontier.labels.learning import Refitting, known_topic
from frontier.plugin.crawl.topic_setup import doubts, learned_topic, opening
from frontier.plugin.storage_errors import trouble_of
from frontier.states import State

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from frontier.backend.backend import LinkRankBackend
    from frontier.config import CrawlConfig
    from frontier.plugin.crawl.request_codec import RequestCodec
    from frontier.politeness import PolitenessPolicy
    from frontier.records import HandedOut
    from ranking.topics import TopicModel

logger = logging.getLogger(__name__)

_STATES = {
    "frontier/pages": State.CRAWLED,
    "frontier/queued": State.QUEUED,
    "frontier/leased": State.LEASED,
    "frontier/errors": State.ERROR,
    "frontier/robots": State.ROBOTS,
    "frontier/filtered": State.FILTERED,
    "frontier/redirects": State.REDIRECTED,
    "frontier/traps": State.TRAP,
}


def refused_stat(reason: str) -> str:
    """Name of the stat that counts the links refused for a reason."""
    return f"frontier/refused/{'_'.join(reason.replace('/', ' ').split())}"


def stat_values(figures: CrawlFigures) -> dict[str, float]:
    """The stats that follow from the figures of a crawl; about 5 us."""
    values: dict[str, float] = {name: figures.count(state) for name, state in _STATES.items()}
    values |= {f"frontier/rerank/{name}": value for name, value in figures.reranks().items()}
    values |= {
        "frontier/rerank/epoch": figures.epoch,
        "frontier/known": figures.known,
        "frontier/links": figures.links,
        "frontier/handed_out": figures.handed_out,
        "frontier/passed_over": figures.passed_over,
        "frontier/retries": figures.retries,
        "frontier/duplicates/exact": figures.duplicates.exact,
        "frontier/duplicates/near": figures.duplicates.near,
    }
    values |= {refused_stat(reason): links for reason, links in figures.refused().items()}
    if figures.harvest.pages:
        values["frontier/relevant"] = figures.harvest.relevant
    rate = figures.harvest_rate
    if rate is not None:
        values |= {f"frontier/harvest_rate/{name}": value for name, value in rate._asdict().items()}
    if figures.deaths.set_aside:
        values["frontier/deaths/set_aside"] = figures.deaths.set_aside
    if figures.deaths.given_up:
        values["frontier/deaths/given_up"] = len(figures.deaths.given_up)
    return values


class EmbeddedFrontier:
    """Opens the store, and takes up the crawl where it was left, if it was."""

    opening = ""
    """What the crawl begins with, in a line; "" before it does."""
    leaves_open = False
    """Whether it is decided elsewhere which requests are made."""

    def __init__(self, crawler: Crawler, config: CrawlConfig, codec: RequestCodec) -> None:
        self._crawler = crawler
        self._config = config
        settings = frontera_settings(config, identify=codec.fingerprint_of)
        self.manager: Any = FrontierManager.from_settings(settings)
        self.backend: LinkRankBackend = self.manager.backend
        codec.url_rules = self.backend.url_rules
        self.topic: TopicModel | None = known_topic(config, self.backend)
        self.figures = CrawlFigures(self.backend, config)
        self.backend.canonical_pages.restored = self.figures.stands
        self.first_requests = FirstRequests()
        self._refitting = Refitting(self.backend, config)

    @property
    def notes(self) -> Any:
        """Where those who judge hosts keep what they know."""
        return self.backend.store

    def open(self, politeness: PolitenessPolicy, patience: float) -> None:
        """The spider is there: be watched."""
        trouble_of(self._crawler).watch(self.backend.store)

    @property
    def most_in_flight(self) -> float:
        """Requests that may be in flight: what has left is not repriced by what answers teach."""
        config = self._config
        if not config.focused:
            return math.inf
        return max(config.max_in_flight, IN_FLIGHT_GROWTH * self.backend.driver.graph.n_pages)

    async def begin(self) -> None:
        """Have a topic model before the first seed, unless the crawl has one or has no topic."""
        if self._config.focused and self.topic is None:
            self.topic = await learned_topic(self._crawler, self._config, self.backend)
        first, questions = opening(self._config, self.backend, self.topic), doubts(self.topic)
        logger.info("%s", first)
        for question in questions:
            logger.warning("%s", question)
        self.opening = "\n".join((first, *questions))

    async def begun(self) -> None:
        """The first seed is told, and may leave before the next one."""

    def seeds_told(self) -> None:
        """The spider has no more seeds."""

    def fetched(self, handed: HandedOut, text: str) -> None:
        """Take in the text of a page that was told to the backend."""
        self._refitting.fetched(handed, text, self.topic)

    def stats(self) -> dict[str, float]:
        """The figures, by the names of Scrapy's stats."""
        return stat_values(self.figures)
