"""Crawls that close because they have found enough: at which page, why, and how they go on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from frontier.backend.figures import CrawlFigures
from frontier.enough import Enough
from frontier.plugin.failures import StorageErrors
from frontier.plugin.scheduler import FrontierScheduler
from frontier.records import PageRecord
from frontier.refresh.policy import RefreshPolicy
from frontier.states import State
from tests.support.driven_crawl import small_crawl
from tests.support.scrapy_runs import BY_WORD, JUDGED, Run, run_guest, run_spider
from tests.support.sites import Asked, Said, links, serving

RELEVANT = 30
"""Pages, the first of the web."""
SHARE = "FRONTIER_ENOUGH=last=20 share=0.5"


def tree(asked: Asked, most: int = 10**9) -> Said:
    """Page k leads to 2k + 1 and 2k + 2: breadth first they come in the order of their numbers."""
    k = int(asked.path[1:] or 0)
    near = [f"/{one}" for one in (2 * k + 1, 2 * k + 2) if one < most]
    words = " ".join(f"word{k}x{one}" for one in range(20))
    return links(*near, text=f"{words} {'wanted' if k < RELEVANT else 'other'}")


def crawl(folder: Path, *settings: str, pages: int = 10**9, **more: Any) -> Run:
    with serving(lambda asked: tree(asked, pages)) as site:
        code = JUDGED.format(url=f"{site.url}/0")
        run = run_spider(folder, code, *BY_WORD, "FRONTIER_SUMMARY=1", *settings, **more)
    assert run.returncode == 0, run.log
    assert "Traceback" not in run.log
    return run


def ended(run: Run) -> tuple[str, int]:
    return run.stats["finish_reason"], run.stats["frontier/pages"]


def test_it_closes_at_the_page_with_which_the_share_falls_below_and_resumes(tmp_path: Path) -> None:
    """Of 20 pages up to the k-th 50 - k were relevant: fewer than 10 at the 41st."""
    first = crawl(tmp_path, SHARE, "JOBDIR=job")
    assert ended(first) == ("enough_share", 41)
    assert first.stats["frontier/recent_share"] == pytest.approx(30 / 41), "of the last 100"
    said = "Enough: the last 20 pages brought 9 relevant ones (45 %), less than 50 %."
    assert said in first.stdout
    assert said in first.log, "who has no summary reads it there"
    assert "To resume" in first.stdout
    assert first.stats["frontier/leased"] == 0

    again = crawl(tmp_path, SHARE, "JOBDIR=job")
    assert ended(again) == ("enough_share", 61), "20 new pages, not the next one alone"
    assert "brought 0 relevant ones (0 %)" in again.stdout


def test_what_is_in_flight_is_read_before_it_closes(tmp_path: Path) -> None:
    run = crawl(tmp_path, SHARE, "JOBDIR=job", "LOG_LEVEL=DEBUG", concurrency=8)
    reason, pages = ended(run)
    assert reason == "enough_share"
    after = run.log.partition("Enough: ")[2]
    assert after.count("DEBUG: Crawled (200)") <= 2 * 8
    assert run.stats["response_received_count"] == pages
    assert run.stats["frontier/leased"] == 0, "nothing is fetched again"


def test_from_that_page_on_nothing_leaves() -> None:
    """Scrapy asks for requests until its own turn to close has come."""
    closing, trouble = SimpleNamespace(closing=True), StorageErrors(SimpleNamespace())  # type: ignore[arg-type]
    assert FrontierScheduler(closing, trouble).next_request() is None  # type: ignore[arg-type]


def test_it_closes_when_little_is_left(tmp_path: Path) -> None:
    setting = 'FRONTIER_ENOUGH={"last": 50, "left": 12}'
    run = crawl(tmp_path, setting, pages=300)
    reason, pages = ended(run)
    assert reason == "enough_left"
    high = run.stats["frontier/remaining/high"]
    assert high == 11
    assert "at most 11 relevant pages are left to fetch (90 % sure), fewer than 12." in run.stdout
    assert 50 < pages < 300
    longer = crawl(tmp_path, setting.replace("12", "11"), pages=300)
    assert ended(longer)[1] > pages


def test_a_young_crawl_goes_on_until_the_window_is_full(tmp_path: Path) -> None:
    """All queued URLs are fewer than `left` from the first page on."""
    assert ended(crawl(tmp_path, "FRONTIER_ENOUGH=last=25,left=1e6")) == ("enough_left", 25)


def test_off_by_default_a_crawl_finishes_whatever_it_finds(tmp_path: Path) -> None:
    assert ended(crawl(tmp_path, pages=100)) == ("finished", 100)


def test_a_guest_may_ask_for_it_too(tmp_path: Path) -> None:
    with serving(tree) as site:
        code = JUDGED.format(url=f"{site.url}/0")
        run = run_guest(tmp_path, code, *BY_WORD, SHARE, "CONCURRENT_REQUESTS=1")
    assert ended(run) == ("enough_share", 41)


def test_a_crawl_without_a_topic_is_refused(tmp_path: Path) -> None:
    run = run_spider(tmp_path, JUDGED.format(url="http://127.0.0.1:9/"), SHARE)
    assert run.returncode == 1
    assert "does not start: FRONTIER_ENOUGH counts relevant pages" in run.log
    assert "FRONTIER_TOPIC" in run.log
    assert "Traceback" not in run.log


def test_looks_at_known_pages_do_not_count(tmp_path: Path) -> None:
    driven = small_crawl(tmp_path, refresh=RefreshPolicy("auto"), enough=Enough(20, share=1))
    figures = CrawlFigures(driven.backend, driven.config)
    looked = PageRecord(url_id=0, state=State.CRAWLED, relevance=0.0, refetched=True)
    for _ in range(100):
        figures.page(looked)
    assert figures.enough is None
    for url_id in range(20):
        assert figures.enough is None
        figures.page(PageRecord(url_id=url_id, state=State.CRAWLED, relevance=0.0))
    assert figures.enough is not None
    driven.close()


@pytest.mark.slow
def test_a_crawl_that_only_looks_again_goes_on(tmp_path: Path) -> None:
    refresh = "FRONTIER_REFRESH=auto", "FRONTIER_REFRESH_MIN=1", "FRONTIER_REFRESH_MAX=1"
    run = crawl(tmp_path, SHARE, *refresh, "CLOSESPIDER_PAGECOUNT=60", pages=15)
    assert ended(run)[0] == "closespider_pagecount"
    assert run.stats["frontier/refresh/looks"] > 20
