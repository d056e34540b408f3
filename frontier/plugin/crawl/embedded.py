"""The frontier of a crawl that has it to itself: order, file and topic are in this process.

A fetcher's is `frontier.plugin.shared`; of either a session knows `frontier.protocol`.

The topic is learned before the crawl, of its words and of pages that are wanted or are not: URLs,
fetched through Scrapy's downloader like any page (robots.txt, delays and retries apply) but outside
the crawl, or text files. What was learned is stored with the crawl, so that a resumed one fetches
and fits nothing.
"""

from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http import TextResponse

from frontier.backend.backend import LinkRankBackend
from frontier.backend.first_requests import FirstRequests
from frontier.backend.progress.figures import CrawlFigures
from frontier.backend.progress.snapshots import Snapshots
from frontier.backend.revisits.results import UNMODIFIED
from frontier.config import IN_FLIGHT_GROWTH
from frontier.errors import PageError, StoreError, described
from frontier.inspection.stats import stat_values
from frontier.labels.learning import Refitting, doubts, fitted_topic, known_topic, opening
from frontier.parsing.reader import ReadingLimits
from frontier.plugin import compat
from frontier.plugin.crawl.leaving import FEW_HOSTS
from frontier.plugin.crawl.page_reader import ResponseReader
from frontier.plugin.failures import ClosingError, require_open, trouble_of
from frontier.states import Change
from frontier.urls.hosts import with_ascii_host
from frontier.urls.url_lists import parse_lines, read_text_file, split_urls, text_of, url_fault
from ranking.errors import TopicError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.config import CrawlConfig
    from frontier.plugin.crawl.request_codec import RequestCodec
    from frontier.politeness import PolitenessPolicy
    from frontier.records import Canonical, Lease, Page, UrlRecord
    from frontier.verdict import Verdict
    from ranking.topics import TopicModel

logger = logging.getLogger(__name__)


class EmbeddedFrontier(LinkRankBackend):
    """Opens the store, and takes up the crawl where it was left, if it was."""

    opening = ""
    """What the crawl begins with, in a line; "" before it does."""
    leaves_open = False
    """Whether it is decided elsewhere which requests are made."""

    def __init__(self, crawler: Crawler, config: CrawlConfig, codec: RequestCodec) -> None:
        super().__init__(config, identify=codec.fingerprint_of)
        self._crawler, self.notes = crawler, self.store
        codec.url_rules = self.url_rules
        self.topic: TopicModel | None = known_topic(config, self)
        self.figures = CrawlFigures(self, config)
        if not self.store.temporary:
            self.snapshots = Snapshots(self, self.figures, config)
        self.again = FirstRequests().again
        self._refitting = Refitting(self, config)

    def open(self, politeness: PolitenessPolicy) -> None:
        """The spider is there: be watched."""
        trouble_of(self._crawler).watch(self.store)
        self.figures.forecast.heed_pauses(politeness.wait)
        if self.snapshots is not None:
            self.snapshots.name_dead_hosts(politeness.given_up)

    @property
    def few_hosts(self) -> list[str] | None:
        """Slots of all URLs that were met, None where these are many."""
        names = self.ledger.host_names
        return names if len(names) <= FEW_HOSTS else None

    @property
    def most_in_flight(self) -> float:
        """Requests that may be in flight: what has left is not repriced by what answers teach."""
        config = self._config
        if not config.focused:
            return math.inf
        return max(config.max_in_flight, IN_FLIGHT_GROWTH * self.driver.graph.n_pages)

    async def begin(self) -> None:
        """Have a topic model before the first seed, unless the crawl has one or has no topic."""
        if self._config.focused and self.topic is None:
            self.topic = await learned_topic(self._crawler, self._config, self)
        first, questions = opening(self._config, self, self.topic), doubts(self.topic)
        logger.info("%s", first)
        for question in questions:
            logger.warning("%s", question)
        self.opening = "\n".join((first, *questions))

    def seeds_ended(self) -> None:
        """The spider has no more seeds."""

    def take(
        self, lease: Lease, page: Page, links: list[UrlRecord], canonical: Canonical | None = None
    ) -> Verdict:
        """Take in a page, count it, and let the topic model learn from it when it is time to."""
        verdict = super().take(lease, page, links, canonical)
        # A notice is not the text of its page, and an unmodified page was not read.
        if verdict.change is not Change.NOTICE and page.status != UNMODIFIED:
            self.figures.page(lease.url_id, page, verdict)
            self._refitting.fetched(lease, page, verdict, self.topic)
        return verdict

    def stats(self) -> dict[str, float]:
        """The figures, by the names of Scrapy's stats."""
        return stat_values(self.figures)


async def learned_topic(
    crawler: Crawler, config: CrawlConfig, backend: LinkRankBackend
) -> TopicModel:
    """Fetch the examples, fit the model to them and to the topic, and store it.

    Raises TopicError if there is nothing to learn from.
    """
    wanted = await example_texts(crawler, config.examples)
    unwanted = await example_texts(crawler, config.not_examples)
    return fitted_topic(config, backend, wanted, unwanted)


async def example_texts(crawler: Crawler, source: str) -> list[str]:
    """Text of every example that can be read; the others are named in the log and counted.

    Raises TopicError if none of them can be read.
    """
    texts = [text async for text in _texts(crawler, source)] if source else []
    if source and not texts:
        raise TopicError(
            f"Expected examples in {source}, but none of them could be read; the log says why for "
            f'each. Correct them, or leave them out and give words: -a topic="..."'
        )
    return texts


async def _texts(crawler: Crawler, source: str) -> AsyncIterator[str]:
    for entry, folder in _entries(source):
        try:
            text = await _text_of(crawler, entry, folder)
        except (StoreError, ClosingError):
            raise
        except Exception as error:
            logger.warning("Example %s is not used: %s", entry, described(error))
            crawler.stats.inc_value("frontier/examples/failed")
            continue
        crawler.stats.inc_value("frontier/examples/used")
        yield text


def _entries(source: str) -> list[tuple[str, Path]]:
    """Entries of a file or of a list of URLs, with the folder that paths are relative to."""
    if url_fault(split_urls(source)[0]) is None:
        return [(entry, Path()) for entry in split_urls(source)]
    listing = parse_lines(read_text_file(source, "examples"))
    paths = [text for _, text, _ in listing.skipped]
    return [(entry, Path(source).parent) for entry in (*listing.urls, *paths)]


async def _text_of(crawler: Crawler, entry: str, folder: Path) -> str:
    if url_fault(entry) is None:
        meta = {"download_maxsize": ReadingLimits().body, "allow_offsite": True}
        request = Request(with_ascii_host(entry), meta=meta, dont_filter=True)
        require_open(crawler)
        try:
            response = await compat.download(crawler, request)
        finally:
            require_open(crawler)  # an example that is missing for that is no reason to do without
        text = _visible_text(response)
    else:
        text = text_of((folder / entry).read_bytes(), errors="replace")
    if not text.strip():
        raise TopicError("it holds no text")
    return text


def _visible_text(response: Response) -> str:
    if response.status >= 400:
        raise TopicError(f"the server answered {response.status}")
    if not isinstance(response, TextResponse):
        raise TopicError("it is neither HTML nor text")
    try:
        page = ResponseReader().read(response)
    except PageError as error:
        raise TopicError(str(error)) from None
    return f"{page.title}\n{page.text}"
