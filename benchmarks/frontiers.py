"""A Frontera backend in a process of its own, driven through `FrontierManager` without Scrapy.

Fills a frontier, times it and prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from frontera.core.manager import FrontierManager
from frontera.core.models import Request, Response
from frontera.settings import Settings

from benchmarks import web
from frontier.backend.backend import LinkRankBackend
from frontier.backend.components import UnchangedUrls, frontera_settings
from frontier.config import DEFAULT_FOCUSED_STRATEGY, CrawlConfig
from frontier.records import HandedOut, PageRecord, UrlRecord
from frontier.states import State
from frontier.store.keys import TOPIC
from frontier.urls.canonical import fingerprint
from ranking import topics
from ranking.topics import TopicModel

BATCH = 64
LINKS = 20
_HOSTS = 1000
_FILLING_LINKS = 50


def host_of(number: int) -> str:
    """Host of a URL by its number."""
    return f"host{number % _HOSTS}.example"


def url_of(number: int) -> str:
    """The URL itself."""
    return f"http://{host_of(number)}{web.page_path(number)}"


def url_at(address: str, number: int) -> str:
    """The URL itself, served at `address`; "" if nowhere."""
    return f"{address}{web.page_path(number)}" if address else url_of(number)


@dataclass
class Feed:
    """Answers hand-outs with pages whose links are half new and half known.

    `prefix` gives the address of a URL by its number.
    """

    manager: Any
    config: CrawlConfig
    address: str = ""
    met: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def request(self, number: int, depth: int) -> Request:
        """A request for URL `number`, as the plugin would describe it.

        A backend of Frontera's reads its meta, ours has a record, which is a request too.
        """
        host = host_of(number)
        url = url_at(self.address, number)
        record = UrlRecord(
            url=url,
            fingerprint=fingerprint(url, self.config.fingerprint_key),
            canonical=url,
            slot="127.0.0.1" if self.address else host,
            depth=depth,
            anchor=f"page {number}",
            promise=self.chance.random(),
        )
        if isinstance(self.manager.backend, LinkRankBackend):
            return record
        about = {b"fingerprint": record.fingerprint, b"domain": {b"name": host.encode()}}
        return Request(url, meta=about)

    def start(self) -> None:
        """Add one seed."""
        seed = self.request(0, 0)
        if isinstance(seed, UrlRecord):
            seed.seed = True
        else:
            seed.meta[b"depth"] = 0
        self.met = 1
        self.manager.add_seeds([seed])

    def links(self, depth: int, new: int, known: int) -> list[Request]:
        """Links of a page."""
        numbers = list(range(self.met, self.met + new))
        numbers += [int(self.met * self.chance.random() ** 2) for _ in range(known)]
        self.met += new
        return [self.request(number, depth) for number in numbers]

    def answer(self, handed: Request, links: list[Request]) -> None:
        """Report a page."""
        relevance = self.chance.random() ** 3
        # A backend of Frontera's makes no record of its hand-outs.
        page = handed.page if isinstance(handed, HandedOut) else PageRecord(url_id=0)
        page.ended(State.CRAWLED, time.time(), status=200, final_url=handed.url)
        page.title, page.hash, page.length = "A page", self.chance.randbytes(16), 3000
        page.relevance = relevance
        self.manager.page_crawled(Response(handed.url, 200, request=handed))
        self.manager.links_extracted(handed, links)

    def fill(self, urls: int) -> None:
        """Crawl until so many URLs are known."""
        while self.met < urls:
            for handed in self.manager.get_next_requests(BATCH):
                self.answer(handed, self.links(1, _FILLING_LINKS, 0))


def timed(feed: Feed, batches: int) -> dict[str, float]:
    """Links a second over whole rounds, and milliseconds of the hand-outs alone."""
    handouts, inside, count = [], 0.0, 0
    for _ in range(batches):
        began = time.perf_counter()
        batch = feed.manager.get_next_requests(BATCH)
        handouts.append(time.perf_counter() - began)
        inside += handouts[-1]
        # Making the links is the caller's work, in both.
        answers = [(handed, feed.links(2, LINKS // 2, LINKS // 2)) for handed in batch]
        began = time.perf_counter()
        for handed, links in answers:
            feed.answer(handed, links)
            count += len(links)
        inside += time.perf_counter() - began
    return {
        "rate": count / inside,
        "median": 1000 * median(handouts),
        "p95": 1000 * quantiles(handouts, n=20)[-1],
        "worst": 1000 * max(handouts),
    }


def ours(config: CrawlConfig) -> Any:
    """The backend of this library behind Frontera's manager."""
    return FrontierManager.from_settings(frontera_settings(config))


def learned_topic(config: CrawlConfig, backend: Any) -> TopicModel:
    """The topic model, fitted to the words of the topic and stored as a crawl stores it."""
    model = topics.load_topic_model(config.topic_model)
    model.fit(config.topic, [])
    backend.remember(TOPIC, model.state())
    return model


def _memory() -> Any:
    attributes = {
        "BACKEND": "frontera.contrib.backends.memory.BFS",
        "CANONICAL_SOLVER": f"{UnchangedUrls.__module__}.{UnchangedUrls.__name__}",
        "MIDDLEWARES": [],
    }
    return FrontierManager.from_settings(Settings(attributes=attributes))


def _config(directory: Path | None) -> CrawlConfig:
    return CrawlConfig(DEFAULT_FOCUSED_STRATEGY, topic=web.TOPIC, directory=directory)


def _run(which: str, urls: int, batches: int, directory: Path | None) -> dict[str, float]:
    config = _config(directory)
    feed = Feed(_memory() if which == "memory" else ours(config), config)
    began = time.perf_counter()
    feed.start()
    feed.fill(urls)
    filling = time.perf_counter() - began
    result = timed(feed, batches)
    feed.manager.stop()
    return {**result, "filling": filling}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=("ours", "memory"))
    parser.add_argument("--urls", type=int, required=True)
    parser.add_argument("--batches", type=int, default=100)
    parser.add_argument("--directory", type=Path)
    given = parser.parse_args()
    print(json.dumps(_run(given.which, given.urls, given.batches, given.directory)))


if __name__ == "__main__":
    main()
