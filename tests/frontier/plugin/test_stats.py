"""The frontier's figures among Scrapy's stats."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontier.backend.figures import CrawlFigures
from frontier.plugin.crawl.figure_stats import stat_values
from frontier.records import PageRecord
from frontier.states import State
from tests.support.driven_crawl import WEB, A, DrivenCrawl, small_crawl
from tests.support.scrapy_runs import WANDERER, run_spider
from tests.support.sites import links, redirect, serving
from tests.support.stats_page import documented_stats

NAMES = documented_stats()


def fed(crawl: DrivenCrawl) -> CrawlFigures:
    """Figures that were told of the crawl's pages as the session tells them."""
    figures = CrawlFigures(crawl.backend, crawl.config)
    for url in crawl.fetched:
        page = crawl.web.get(url)
        if page is not None and not page.redirect and page.status:
            figures.page(PageRecord(url_id=0, state=page.state, relevance=page.relevance))
    return figures


def test_figures_follow_the_crawl(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    values = stat_values(fed(crawl))
    crawl.close()
    assert values == {
        "frontier/pages": 3,
        "frontier/queued": 2,
        "frontier/leased": 0,
        "frontier/errors": 1,
        "frontier/robots": 1,
        "frontier/filtered": 0,
        "frontier/redirects": 1,
        "frontier/traps": 0,
        "frontier/known": 8,
        "frontier/links": 10,
        "frontier/handed_out": 0,
        "frontier/passed_over": 0,
        "frontier/retries": 0,
        "frontier/duplicates/exact": 0,
        "frontier/duplicates/near": 0,
        "frontier/relevant": 2,
        "frontier/harvest_rate": 2 / 3,
        "frontier/rerank/done": 0,
        "frontier/rerank/failed": 0,
        "frontier/rerank/late": 0,
        "frontier/rerank/seconds": 0.0,
        "frontier/rerank/iterations": 0,
        "frontier/rerank/pushed": 0,
        "frontier/rerank/residual": 0.0,
        "frontier/rerank/epoch": 0,
    }


def test_a_resumed_crawl_goes_on_counting(tmp_path: Path) -> None:
    small_crawl(tmp_path, relevant=0.25).close()
    resumed = DrivenCrawl(tmp_path, WEB, strategy="bfs", topic="pages", relevant=0.25)
    figures = CrawlFigures(resumed.backend, resumed.config)
    assert (figures.judged, figures.relevant, figures.fetched) == (3, 3, 0)
    figures.page(PageRecord(url_id=0, state=State.CRAWLED, relevance=0.125))
    assert (figures.harvest_rate, figures.fetched) == (0.75, 1)
    resumed.close()


@pytest.mark.parametrize("relevant", [0.1, 0.3, 0.7])
def test_a_page_at_the_threshold_stays_relevant_when_resumed(
    tmp_path: Path, relevant: float
) -> None:
    """The evidence holds 32 bits of a relevance, of which some lie below the number meant."""
    web = {A: type(WEB[A])(relevance=relevant)}
    crawl = DrivenCrawl(tmp_path, web, topic="pages")
    crawl.seed(A)
    crawl.run()
    crawl.close()
    resumed = DrivenCrawl(tmp_path, web, topic="pages", relevant=relevant)
    assert CrawlFigures(resumed.backend, resumed.config).relevant == 1
    resumed.close()


def test_pages_that_failed_are_not_judged(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    figures = CrawlFigures(crawl.backend, crawl.config)
    figures.page(PageRecord(url_id=0, state=State.ERROR, status=404))
    assert (figures.fetched, figures.judged, figures.harvest_rate) == (0, 0, None)
    crawl.close()


def test_without_a_topic_there_is_no_harvest(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path, topic="")
    figures = CrawlFigures(crawl.backend, crawl.config)
    figures.page(PageRecord(url_id=0, state=State.CRAWLED))
    values = stat_values(figures)
    crawl.close()
    assert figures.fetched == 1
    assert not {"frontier/relevant", "frontier/harvest_rate"} & set(values)


def test_a_re_rank_shows(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path, WEB, strategy="pagerank", rerank_min_pages=1)
    crawl.seed(A)
    crawl.run()
    values = stat_values(CrawlFigures(crawl.backend, crawl.config))
    crawl.close()
    assert values["frontier/rerank/done"] == values["frontier/rerank/epoch"] > 0
    assert values["frontier/rerank/iterations"] > 0


def test_stats_of_a_real_crawl_are_documented_and_add_up(tmp_path: Path) -> None:
    tries = iter((503, 200))
    pages = {
        "/": links("/a", "/b", "/gone", "/moved", "/shaky"),
        "/a": links("/b"),
        "/b": links("/"),
        "/moved": redirect("/a"),
        "/shaky": lambda asked: (next(tries), {"Content-Type": "text/html"}, b"<p>topic</p>"),
    }
    with serving(pages) as site:
        run = run_spider(
            tmp_path, WANDERER.format(url=f"{site.url}/"), "FRONTIER_TOPIC=topic", "RETRY_TIMES=1"
        )
    own = {name: value for name, value in run.stats.items() if name.startswith("frontier/")}
    assert set(own) <= NAMES
    counts = {name.removeprefix("frontier/"): value for name, value in own.items()}
    assert (counts["pages"], counts["errors"], counts["redirects"]) == (4, 1, 1)
    assert (counts["queued"], counts["leased"], counts["known"]) == (0, 0, 6)
    assert (counts["handed_out"], counts["retries"]) == (7, 1)
    assert counts["links"] == 8
    assert counts["harvest_rate"] == counts["relevant"] / 4
