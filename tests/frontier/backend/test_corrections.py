"""Relevance that people correct: stored for good, learned from, and the queue ordered anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontier.store import StoreReader
from tests.support.driven_crawl import OLD, A, B, C, DrivenCrawl, Page, small_crawl

LEFT, RIGHT = "http://a.example/left", "http://b.example/right"
WEB = {A: Page({LEFT: 0.0}, 0.75), B: Page({RIGHT: 0.0}, 0.25)}


def id_of(crawl: DrivenCrawl, url: str) -> int:
    return crawl.backend.ledger.find([crawl.config.identify(url)])[0]


def relevances(directory: Path, crawl: DrivenCrawl, *urls: str) -> list[float | None]:
    with StoreReader.open(directory) as reader:
        rows = [reader.page_row(id_of(crawl, url)) for url in urls]
    return [None if row is None else row.relevance for row in rows]


def test_a_corrected_page_keeps_its_relevance_when_the_crawl_goes_on(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    crawl.backend.corrections.apply({id_of(crawl, A): 0.0, id_of(crawl, C): 1.0})
    crawl.close()
    assert relevances(tmp_path, crawl, A, B, C) == [0.0, 0.25, 1.0]


@pytest.mark.parametrize("corrected", [False, True])
def test_links_of_a_page_that_is_relevant_after_all_leave_first(*, corrected: bool) -> None:
    crawl = DrivenCrawl(None, WEB, strategy="fc-mean", topic="pages")
    crawl.seed(A, B)
    crawl.run(2)
    if corrected:
        crawl.backend.corrections.apply({id_of(crawl, A): 0.0, id_of(crawl, B): 1.0})
    first = [lease.url for lease in crawl.take(1)]
    crawl.close()
    assert first == [RIGHT if corrected else LEFT]


def test_a_url_that_is_no_page_any_more_is_not_corrected(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    before = relevances(tmp_path, crawl, OLD)
    crawl.backend.corrections.apply({id_of(crawl, OLD): 1.0})
    crawl.close()
    assert relevances(tmp_path, crawl, OLD) == before


def test_no_labels_change_nothing(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    crawl.backend.corrections.apply({})
    crawl.close()
    assert relevances(tmp_path, crawl, A, B, C) == [0.75, 0.25, 0.5]
