"""Large crawls as files, and what they take in memory, in a process of its own.

`grow` writes URLs and pages straight into a store, as a crawl would have, for to crawl ten million
URLs takes hours. Then the crawl is opened, ranked and closed, and so left as a crawl leaves it; of
its pages the order is told the last `_TAUGHT` only: what the others say would change values, and
the length of no array. `measure` opens it, leases and answers some pages, and tells what memory
is resident then. Each prints one line of JSON.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import web
from benchmarks.children import resident
from benchmarks.frontiers import BATCH, Feed, learned_topic, url_at
from frontier.backend.backend import LinkRankBackend
from frontier.config import DEFAULT_FOCUSED_STRATEGY, CrawlConfig
from frontier.duplicates.finder import FinderEntry
from frontier.duplicates.minhash import SIZE, Digest
from frontier.records import LinkArrays, PageRow
from frontier.states import State
from frontier.store import Store, UrlRow
from frontier.urls.canonical import fingerprint
from frontier.utils import give_memory_back
from ranking.page_update import MATCHES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


LINKS = 20
_COMMIT = 2000
_TAUGHT = 2000
_BATCHES = 10


class BriefStore(Store):
    """Tells the last pages only to an order that has to learn everything anew, and URLs quickly."""

    address = ""

    def urls_of(self, ids: Iterable[int]) -> list[str]:
        return [url_at(self.address, number) for number in ids]

    def updates(self, first: int, before: int) -> Iterator[PageRow]:
        return super().updates(max(first, before - _TAUGHT), before)


class Writer:
    """Adds URLs and pages to a store; `address` is where the URLs are served, "" nowhere."""

    def __init__(self, store: Store, config: CrawlConfig, address: str) -> None:
        self._store = store
        self._key = config.fingerprint_key
        self._address = address
        self._chance = np.random.default_rng(7)
        loaded = store.load()
        self._urls = len(loaded.states)
        self._pages = int((loaded.states == State.CRAWLED).sum())
        if not self._urls:
            self._add_url(None)

    def grow(self, urls: int, pages: int) -> None:
        """Crawl up to so many pages, which have led to so many URLs by then."""
        first, known = self._pages, self._urls
        for page in range(first, pages):
            due = known + (urls - known) * (page + 1 - first) // (pages - first)
            self._add_page(page, max(0, due - self._urls))
            if page % _COMMIT == 0:
                self._store.commit()
        self._store.commit()

    def _add_page(self, page: int, new: int) -> None:
        """URLs are fetched in the order in which they were found."""
        met = self._urls * self._chance.random(max(0, LINKS - new)) ** 2
        targets = np.unique(met.astype(np.int32))
        news = np.arange(self._urls, self._urls + new, dtype=np.int32)
        for _ in range(new):
            self._add_url(page)
        targets = np.concatenate([news, targets[targets != page]])
        k = len(targets)
        matches = (255 * self._chance.random((k, MATCHES)) ** 4).astype(np.uint8)
        links = LinkArrays(
            targets,
            self._chance.random(k, dtype=np.float32),
            np.zeros(k, np.uint8),
            tuple(f"page {target}" for target in targets),
            matches,
            tuple(f"context of page {target}" for target in targets),
        )
        relevance = float(self._chance.random() ** 3)
        self._store.page(
            PageRow(
                url_id=page,
                state=State.CRAWLED,
                fetched=time.time(),
                lease_number=page,
                status=200,
                title="A page",
                hash=self._chance.bytes(16),
                length=3000,
                relevance=relevance,
                similarity=relevance,
                links=links,
            )
        )
        signature = self._chance.integers(0, 256, SIZE, dtype=np.uint8)
        entry = FinderEntry(page, 0, page, page, Digest(page, 500, signature))
        self._store.add_signature(page, entry.packed())

    def _add_url(self, referrer: int | None) -> None:
        number = self._urls
        url = url_at(self._address, number)
        host = self._store.add_host(url.split("/")[2].partition(":")[0])
        row = UrlRow(
            *(number, fingerprint(url, self._key), url, None),
            *(host, min(number, 3), time.time(), referrer),
            *(f"page {number}" if number else None, int(number == 0), 0),
        )
        self._store.add_urls([row])
        self._urls += 1


def grow(config: CrawlConfig, urls: int, pages: int, address: str, unsaved: float = 0.0) -> None:
    """Make the crawl one of so many URLs and pages; both only grow.

    `unsaved` is a share of them that comes on top, of which the saved scores know nothing: as in a
    crawl that runs.
    """
    with Store.open(config.directory) as store:
        Writer(store, config, address).grow(urls, pages)
    store = BriefStore.open(config.directory)
    assert isinstance(store, BriefStore)
    store.address = address
    backend = LinkRankBackend(config, store=store)
    learned_topic(config, backend)
    driver = backend.driver
    driver.order.pages_seen = driver.graph.n_pages
    driver.order.swap(driver.order.prepare(driver.graph.snapshot(), driver.evidence)())
    backend.close()
    if unsaved:
        with Store.open(config.directory) as store:
            more = (count + round(unsaved * count) for count in (urls, pages))
            Writer(store, config, address).grow(*more)


def measure(config: CrawlConfig, address: str) -> float:
    """Resident bytes of a crawl that goes on, between two re-ranks."""
    feed = Feed(LinkRankBackend(config), config, address)
    feed.met = len(feed.backend.ledger)
    for _ in range(_BATCHES):
        for lease in feed.next(BATCH):
            feed.answer(lease, None, feed.links(2, LINKS // 2, LINKS // 2))
    feed.backend.driver.reranker.close()  # waits for what is under way
    gc.collect()
    give_memory_back()  # how much of it is kept depends on the order of calls
    held = resident(os.getpid()) * 2**20
    feed.backend.close()
    return held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("grow", "measure"))
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--address", default="", help="where the URLs are served")
    parser.add_argument("--urls", type=int, default=0)
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--unsaved", type=float, default=0.0, help="share that comes on top")
    given = parser.parse_args()
    config = CrawlConfig(DEFAULT_FOCUSED_STRATEGY, web.TOPIC, directory=given.directory)
    if given.what == "grow":
        grow(config, given.urls, given.pages, given.address, given.unsaved)
        print("{}")
    else:
        print(json.dumps({"bytes": measure(config, given.address)}))


if __name__ == "__main__":
    main()
