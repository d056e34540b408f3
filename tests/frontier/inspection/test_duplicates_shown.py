"""Whoever looks into a crawl is told of duplicates: stats, one URL, its explanation, exports."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from frontier.inspection import CrawlView
from frontier.inspection.rendering import rendered
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.told import tells

SEED, FIRST = "http://seed.example/", "http://first.example/"
COPY, NEARLY = "http://copy.example/", "http://nearly.example/"


def text_of(number: int) -> str:
    return " ".join(f"word{one}" for one in random.Random(number).choices(range(3000), k=300))


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("duplicates")
    web = {
        SEED: Page({FIRST: 0.9}, relevance=0.5, text=text_of(0)),
        FIRST: Page({COPY: 0.9}, relevance=0.9, text=text_of(1)),
        COPY: Page({NEARLY: 0.9}, relevance=0.9, text=text_of(1)),
        NEARLY: Page(relevance=0.9, text=text_of(1) + " and so on"),
    }
    crawl = DrivenCrawl(directory, web, topic="words")
    crawl.seed(SEED)
    crawl.run()
    crawl.close()
    return directory


def test_stats_count_pages_by_mark(job: Path) -> None:
    with CrawlView.open(job) as view:
        stats = view.stats()
    assert stats.marks == {"duplicate": 1, "near duplicate": 1}
    assert (stats.judged, stats.relevant) == (4, 2)
    for mark in stats.marks:
        assert tells(rendered(stats), 1, mark)


@pytest.mark.parametrize(("url", "mark"), [(COPY, "duplicate"), (NEARLY, "near duplicate")])
def test_a_page_names_its_mark_and_its_twin(job: Path, url: str, mark: str) -> None:
    with CrawlView.open(job) as view:
        report, said = view.url(url), view.explain(url)
    assert (report.marks, report.twin, report.relevance) == ((mark,), FIRST, 0.0)
    assert FIRST in [line.split()[-1] for line in rendered(report) if line]
    assert tells(said.because, FIRST)
