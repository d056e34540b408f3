"""Pages drawn at random in a stored crawl, and the harvest rate by their labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from frontier.config import CrawlConfig
from frontier.estimates import Drawn, harvest_rate
from frontier.inspection import CrawlView
from frontier.labels import at_random
from frontier.labels.at_random import drawn_pages, rate_of_crawl, sampled_pages
from frontier.labels.label_file import Label, LabelFile, append_labels
from frontier.labels.learning import Relearning
from frontier.store import Store, StoreReader
from frontier.topic.samples import draw_of, lot_of
from tests.support.driven_crawl import FETCHED, NEXT, A, DrivenCrawl, Page

URLS = [f"http://a.example/{at}" for at in range(30)]
WEB = {A: Page(dict.fromkeys(URLS, 0.5)), **{url: Page({}, 0.25) for url in URLS}}
RELEVANT = {url: 0.25 + 0.75 * (at % 3 == 0) for at, url in enumerate(URLS)}


def crawl_of(
    directory: Path, pages: int = 30, relevance: Mapping[str, float] | None = None
) -> DrivenCrawl:
    """A crawl that has kept the texts of all its pages but the first, judged .25 or as told."""
    crawl = DrivenCrawl(directory, WEB, strategy="bfs", topic="pages")
    if crawl.backend.resumed:
        crawl._now = FETCHED + 100
    else:
        crawl.seed(A)
    crawl.run(pages + 1)
    ledger = crawl.backend.ledger
    for url in crawl.fetched:
        (page,) = ledger.find([crawl.config.identify(url)])
        if url != A:
            number = int(ledger.fingerprint.array[page])
            crawl.backend.samples.offer(
                page, number, (relevance or {}).get(url, 0.25), f"text of {url}"
            )
    return crawl


def by_lot(urls: list[str]) -> list[str]:
    return sorted(urls, key=lambda url: lot_of(CrawlConfig().identify(url)))


def test_pages_are_drawn_by_lot_and_relevance_and_know_when_they_were_fetched(
    tmp_path: Path,
) -> None:
    crawl = crawl_of(tmp_path, relevance=RELEVANT)
    pages = _drawn(crawl)
    order = [crawl.backend.url(page.url_id) for page in pages]
    number = CrawlConfig().identify
    assert order == sorted(URLS, key=lambda url: draw_of(number(url), RELEVANT[url]))
    assert order != by_lot(URLS)
    assert {page.weight for page in pages} == {0.25, 1.0}
    assert sorted(pages.values()) == [FETCHED + 1 + at for at in range(30)]
    crawl.close()


def _drawn(crawl: DrivenCrawl) -> dict[at_random.Sampled, float]:
    crawl.backend.commit()
    return drawn_in(crawl.backend.store)


def drawn_in(store: Store) -> dict[at_random.Sampled, float]:
    return drawn_pages(store, sampled_pages(store, store.sampled_relevance()))


def test_the_rate_is_that_of_labels_in_the_file_heard_by_the_crawl_or_not(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    order = by_lot(URLS)
    relearning = Relearning(crawl.backend, LabelFile(tmp_path), crawl.config.identify)
    assert relearning.harvest_rate() is None
    append_labels(tmp_path, [Label(url, wanted=at % 4 == 0) for at, url in enumerate(order[:12])])
    append_labels(tmp_path, [Label(order[20], wanted=True), Label(NEXT, wanted=True)])
    draws = [draw_of(CrawlConfig().identify(url), 0.25) for url in order[:12]]
    expected = harvest_rate(
        [Drawn(draw, 0.25, 0.0, at % 4 == 0) for at, draw in enumerate(draws)], complete=False
    )
    assert relearning.harvest_rate() is None, "it has not looked"
    relearning.apply_labels()
    assert expected is not None
    assert relearning.harvest_rate() == expected
    crawl.close()
    with StoreReader.open(tmp_path) as reader:
        assert rate_of_crawl(reader, crawl.config, tmp_path) == expected
    with CrawlView.open(tmp_path) as view:
        told = view.stats().harvest_rate
    assert told is not None
    assert (told.estimate, told.low, told.high, told.labelled) == expected[:4]
    assert told.until is None


def test_a_crawl_that_goes_on_tells_of_the_pages_it_had(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 15)
    first = [url for url in crawl.fetched if url != A]
    append_labels(tmp_path, [Label(url, wanted=True) for url in by_lot(first)[:12]])
    crawl.close()
    resumed = crawl_of(tmp_path)
    relearning = Relearning(resumed.backend, LabelFile(tmp_path), resumed.config.identify)
    relearning.apply_labels()
    told = relearning.harvest_rate()
    assert told is not None
    assert told.labelled == 12
    assert told.until >= FETCHED + 100
    resumed.close()
