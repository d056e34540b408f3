"""However large a crawl is, its export holds a few hundred rows of it at a time."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from frontier.config import CrawlConfig
from frontier.export.crawled import CrawledGraph
from frontier.export.formats import FORMATS
from frontier.records import Links, PageRecord
from frontier.states import State
from frontier.store import Store, StoreReader
from frontier.store.keys import IDENTITY, URL_RULES

LINKS = 20


def large_crawl(directory: Path, pages: int) -> Path:
    """A crawl of so many pages with 20 links each, of which half lead to new URLs."""
    rng = np.random.default_rng(1)
    with Store.open(directory) as store:
        store.set_setting(IDENTITY, CrawlConfig("ppr").identity)
        store.set_setting(URL_RULES, CrawlConfig("ppr").url_rules.as_json)
        host = store.add_host("a.example")
        n = 1 + pages * LINKS // 2
        for number in range(n):
            url = f"http://a.example/{number:040}"
            store.add_url(number, number, url, host=host, depth=1, found=1.0, seed=number == 0)
        for page in range(pages):
            new = np.arange(1 + page * 10, 11 + page * 10)
            targets = np.concatenate([new, rng.integers(0, n, LINKS // 2)]).astype(np.int32)
            texts = tuple(f"a link to {target} with some words" for target in targets)
            flags = np.zeros(LINKS, np.uint8)
            links = Links(targets, np.zeros(LINKS, np.float32), flags, texts)
            store.page(
                PageRecord(
                    url_id=page, state=State.CRAWLED, fetched=1.0, title="t" * 50, links=links
                )
            )
            if page % 100 == 0:
                store.commit()
    return directory


def peak_of(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def peak_of_writing(directory: Path, name: str) -> int:
    with StoreReader.open(directory) as reader:
        graph = CrawledGraph(reader)
        return peak_of(lambda: FORMATS[name](graph, directory / f"x.{name}"))


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of 100,000 URLs and 200,000 links."""
    return large_crawl(tmp_path_factory.mktemp("crawl"), 10_000)


def test_a_small_part_of_the_rows_is_held(tmp_path: Path) -> None:
    directory = large_crawl(tmp_path, 200)
    for name in ("csv", "edges"):
        peak = peak_of_writing(directory, name)
        assert peak < 2e6, (name, peak)
