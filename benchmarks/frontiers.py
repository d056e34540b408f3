"""A frontier in a process of its own, driven without Scrapy.

`Feed` answers what is dispatched with generated pages. Run as a module it is given pages as the
plugin gives them once they are read and judged, with their text and with what their links say, in
turns; prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import web
from benchmarks.children import BenchmarkError
from frontier.backend.backend import LinkRankBackend
from frontier.config import DEFAULT_FOCUSED_STRATEGY, CrawlConfig
from frontier.records import Lease, Page, UrlRecord, VisibleText
from frontier.states import State
from frontier.store.schema import TOPIC
from frontier.urls.canonical import fingerprint
from ranking import topics
from ranking.page_update import MATCH_STEPS, MATCHES
from ranking.topics import TopicModel

BATCH = 64
_HOSTS = 1000
_FILLING_LINKS = 50
_NEW, _KNOWN = 25, 25
_WARM_UP = 256


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
    """Answers leases with pages whose links are half new and half known.

    `prefix` gives the address of a URL by its number.
    """

    backend: LinkRankBackend
    config: CrawlConfig
    address: str = ""
    met: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def request(self, number: int, depth: int) -> UrlRecord:
        """URL `number` as the plugin would describe it, with what its link says."""
        url, chance = url_at(self.address, number), self.chance.random
        return UrlRecord(
            url=url,
            fingerprint=fingerprint(url, self.config.fingerprint_key),
            canonical=url,
            slot="127.0.0.1" if self.address else host_of(number),
            depth=depth,
            anchor=f"page {number}",
            predicted=chance(),
            matches=tuple(round(MATCH_STEPS * chance() ** 4) for _ in range(MATCHES)),
            context=f"context of page {number}",
        )

    def start(self) -> None:
        """Add one seed."""
        seed = self.request(0, 0)
        seed.seed = True
        self.met = 1
        self.backend.add_seeds([seed])

    def links(self, depth: int, new: int, known: int) -> list[UrlRecord]:
        """Links of a page."""
        numbers = list(range(self.met, self.met + new))
        numbers += [int(self.met * self.chance.random() ** 2) for _ in range(known)]
        self.met += new
        return [self.request(number, depth) for number in numbers]

    def answer(self, lease: Lease, text: VisibleText | None, links: list[UrlRecord]) -> None:
        """Report a page."""
        relevance = self.chance.random() ** 3
        page = Page(
            state=State.CRAWLED,
            fetched=time.time(),
            status=200,
            final_url=lease.url,
            title="A page",
            hash=self.chance.randbytes(16),
            length=3000,
            relevance=relevance,
            text=text,
        )
        self.backend.take(lease, page, links)

    def next(self, most: int) -> list[Lease]:
        """Lease URLs, whatever their hosts."""
        leaving = self.backend.next(most, lambda _: most)
        self.backend.commit()
        return leaving

    def fill(self, urls: int) -> None:
        """Crawl until so many URLs are known."""
        while self.met < urls:
            for lease in self.next(BATCH):
                self.answer(lease, None, self.links(1, _FILLING_LINKS, 0))


def learned_topic(config: CrawlConfig, backend: LinkRankBackend) -> TopicModel:
    """The topic model, fitted to the words of the topic and stored as a crawl stores it."""
    model = topics.load_topic_model(config.topic_model)
    model.fit(config.topic, [])
    backend.remember(TOPIC, model.state())
    return model


def measured(urls: int, pages: int, turn: int, directory: Path) -> dict[str, float]:
    """Milliseconds of CPU a page: `all`, and that of `reranks`, which run in their thread.

    Raises BenchmarkError where links were refused, for then less was measured than is said.
    """
    config = CrawlConfig(
        *(DEFAULT_FOCUSED_STRATEGY, web.TOPIC), directory=directory, turn=turn, turn_growth=1000.0
    )
    feed = Feed(LinkRankBackend(config), config)
    learned_topic(config, feed.backend)
    feed.start()
    feed.fill(urls)
    _answered(feed, _WARM_UP, turn)
    whole, here = time.process_time(), time.thread_time()
    done, spent = _answered(feed, pages, turn)
    reranks = time.process_time() - whole - (time.thread_time() - here)
    known = len(feed.backend.ledger)
    feed.backend.close()
    if known != feed.met:
        raise BenchmarkError(f"{feed.met} URLs should be known, but {known} are")
    return {"all": 1000 * (spent + reranks) / done, "reranks": 1000 * reranks / done}


def _answered(feed: Feed, pages: int, turn: int) -> tuple[int, float]:
    """Answer at least so many pages; how many, and the seconds of this thread."""
    prose, done, spent = web.Prose(), 0, 0.0
    while done < pages:
        began = time.thread_time()
        batch = feed.next(turn)
        spent += time.thread_time() - began
        answers = []
        for lease in batch:
            number = int(lease.url.rpartition("/")[2])
            text = VisibleText(" ".join(prose.sentences(number)))
            answers.append((lease, text, feed.links(2, _NEW, _KNOWN)))
        began = time.thread_time()
        for lease, text, links in answers:
            feed.answer(lease, text, links)
        spent += time.thread_time() - began
        done += len(batch)
    return done, spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, required=True, help="known at the start")
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--turn", type=int, required=True)
    parser.add_argument("--directory", type=Path, required=True)
    given = parser.parse_args()
    print(json.dumps(measured(given.urls, given.pages, given.turn, given.directory)))


if __name__ == "__main__":
    main()
