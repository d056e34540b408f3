"""The frontier's figures among Scrapy's stats."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from frontier.backend.progress.figures import CrawlFigures
from frontier.estimates import HarvestRate
from frontier.inspection.stats import stat_values
from frontier.plugin.extensions.stats import FrontierStats
from frontier.records import Page
from frontier.refresh.policy import RefreshPolicy
from frontier.states import State
from frontier.verdict import Verdict
from tests.support.driven_crawl import WEB, A, DrivenCrawl, small_crawl
from tests.support.scrapy_runs import WANDERER, run_spider
from tests.support.sites import links, redirect, serving
from tests.support.stats_page import documented_stats

NAMES = documented_stats()


def count(
    figures: CrawlFigures,
    state: State = State.CRAWLED,
    relevance: float | None = None,
    *,
    refetched: bool = False,
) -> None:
    page = Page(state=state, fetched=1.0, relevance=relevance)
    figures.page(0, page, Verdict([], refetched=refetched))


def fed(crawl: DrivenCrawl) -> CrawlFigures:
    """Figures that were told of the crawl's pages as the session tells them."""
    figures = CrawlFigures(crawl.backend, crawl.config)
    for url in crawl.fetched:
        page = crawl.web.get(url)
        if page is not None and not page.redirect and page.status:
            count(figures, state=page.state, relevance=page.relevance)
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
        "frontier/leases": 0,
        "frontier/passed_over": 0,
        "frontier/retries": 0,
        "frontier/duplicates/exact": 0,
        "frontier/duplicates/near": 0,
        "frontier/relevant": 2,
        "frontier/recent_share": 2 / 3,
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
    assert (figures.pages, figures.pages_of_run) == (3, 0)
    assert (figures.harvest.pages, figures.harvest.relevant) == (3, 3)
    count(figures, relevance=0.125)
    assert (figures.harvest.pages, figures.harvest.relevant) == (4, 3)
    count(figures, relevance=1.0, refetched=True)
    assert figures.harvest.pages == 4, "a page that is fetched again is one page"
    resumed.close()


def test_pages_of_a_run_that_refreshes_are_those_it_was_told_of_once(tmp_path: Path) -> None:
    """Those that wait for a revisit, went or moved are not in the state that pages are in."""
    crawl = small_crawl(tmp_path, refresh=RefreshPolicy("auto"))
    figures = fed(crawl)
    assert (figures.pages, figures.pages_of_run) == (3, 3)
    count(figures, refetched=True)
    count(figures)
    assert (figures.pages, figures.pages_of_run) == (3, 4)
    crawl.close()


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
    assert CrawlFigures(resumed.backend, resumed.config).harvest.relevant == 1
    resumed.close()


def test_pages_that_failed_are_not_judged(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    figures = CrawlFigures(crawl.backend, crawl.config)
    count(figures, state=State.ERROR)
    assert figures.harvest.pages == 0
    crawl.close()


def test_without_a_topic_nothing_is_relevant(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path, topic="")
    figures = CrawlFigures(crawl.backend, crawl.config)
    count(figures)
    values = stat_values(figures)
    crawl.close()
    assert figures.harvest.pages == 0
    assert "frontier/relevant" not in values


def test_a_harvest_rate_is_told_while_it_is_known(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    figures = fed(crawl)
    figures.harvest_rate = HarvestRate(0.25, 0.125, 0.5, 12, 1_793_700_000.0)
    values = stat_values(figures)
    crawl.close()
    told = {name: value for name, value in values.items() if "harvest" in name}
    assert told == {
        "frontier/harvest_rate/estimate": 0.25,
        "frontier/harvest_rate/low": 0.125,
        "frontier/harvest_rate/high": 0.5,
        "frontier/harvest_rate/labelled": 12,
        "frontier/harvest_rate/until": 1_793_700_000.0,
    }
    assert set(told) <= NAMES


def stats_collector() -> MemoryStatsCollector:
    # Scrapy 2.13 makes no crawler without a reactor.
    return MemoryStatsCollector(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]


def test_figures_are_written_once_a_second_and_what_is_no_longer_known_is_withdrawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr("frontier.plugin.extensions.stats.time.monotonic", lambda: now[0])
    values = {"frontier/pages": 1.0, "frontier/harvest_rate/low": 0.5}
    session = SimpleNamespace(
        frontier=SimpleNamespace(stats=lambda: dict(values)),
        politeness=SimpleNamespace(figures=dict),
    )
    monkeypatch.setattr(FrontierStats, "session", session)
    collector = stats_collector()
    collector.set_value("mine", 1)
    stats = FrontierStats(SimpleNamespace(stats=collector))  # type: ignore[arg-type]  # as much of a crawler as is needed
    stats.response_received()
    assert collector.get_stats() == {"mine": 1, **values}
    del values["frontier/harvest_rate/low"]
    stats.response_received()
    now[0] += 0.25
    stats.response_received()
    assert collector.get_value("frontier/harvest_rate/low") == 0.5
    now[0] += 0.75
    stats.response_received()
    assert collector.get_stats() == {"mine": 1, **values}
    values["frontier/pages"] = 2.0
    stats.response_received()
    assert collector.get_value("frontier/pages") == 1.0
    stats.spider_closed()
    assert collector.get_stats() == {"mine": 1, **values}


def test_counts_of_nothing_are_left_out_and_fractions_rounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = {
        "frontier/pages": 0,
        "frontier/queued": 0,
        "frontier/errors": 0,
        "frontier/rerank/residual": 0.0,
        "frontier/rerank/seconds": 0.047681423999961225,
        "frontier/harvest_rate/low": 0,
        "frontier/harvest_rate/estimate": 12345.678,
        "frontier/harvest_rate/until": float("inf"),
    }
    session = SimpleNamespace(
        frontier=SimpleNamespace(stats=lambda: dict(values)),
        politeness=SimpleNamespace(figures=lambda: {"dead": 0, "slowed": np.int64(2)}),
    )
    monkeypatch.setattr(FrontierStats, "session", session)
    collector = stats_collector()
    FrontierStats(SimpleNamespace(stats=collector)).spider_closed()  # type: ignore[arg-type]  # likewise
    assert collector.get_stats() == {
        "frontier/pages": 0,
        "frontier/queued": 0,
        "frontier/rerank/seconds": 0.0476814,
        "frontier/harvest_rate/low": 0,
        "frontier/harvest_rate/estimate": 12346,
        "frontier/harvest_rate/until": float("inf"),
        "frontier/politeness/slowed": 2,
    }


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
    assert (counts["leases"], counts["retries"]) == (7, 1)
    assert counts["links"] == 8
    assert 0 <= counts["relevant"] <= 4
    assert counts["recent_share"] == counts["relevant"] / 4
    assert not [name for name in counts if "harvest" in name], "nobody labelled anything"
    answers = counts["pages"] + counts["redirects"] + counts["errors"]
    assert answers + counts["queued"] + counts["leased"] == counts["known"]
    always = {"pages", "relevant", "recent_share", "queued", "leased"}
    assert [name for name, value in counts.items() if not value and name not in always] == []
