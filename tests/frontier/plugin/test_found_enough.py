"""Crawls that close because they have found enough: at which page, why, and how they go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from frontier.backend.progress.figures import CrawlFigures
from frontier.enough import Enough
from frontier.plugin.failures import StorageErrors
from frontier.plugin.scheduler import FrontierScheduler
from frontier.records import Page
from frontier.refresh.policy import RefreshPolicy
from frontier.states import State
from frontier.verdict import Verdict
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
    run = crawl(tmp_path, setting, pages=160)
    reason, pages = ended(run)
    assert reason == "enough_left"
    high = run.stats["frontier/remaining/high"]
    assert high == 11
    assert "at most 11 relevant pages are left to fetch (90 % sure), fewer than 12." in run.stdout
    assert 50 < pages < 160
    longer = crawl(tmp_path, setting.replace("12", "11"), pages=160)
    assert ended(longer)[1] > pages


@pytest.mark.parametrize(("relevant", "ended_by"), [(19, "finished"), (20, "enough_left")])
def test_of_few_relevant_pages_it_is_not_known_how_many_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relevant: int, ended_by: str
) -> None:
    monkeypatch.setitem(globals(), "RELEVANT", relevant)
    run = crawl(tmp_path, "FRONTIER_ENOUGH=last=20,left=1e6", pages=120)
    assert ended(run)[0] == ended_by
    few = "not known: only 19 pages judged relevant, 20 are needed"
    assert (few in run.stdout) == (relevant == 19)


def test_no_number_is_enough_while_relevant_pages_lead_to_others(tmp_path: Path) -> None:
    """All queued URLs are fewer than `left` from the first page on."""
    reason, pages = ended(crawl(tmp_path, "FRONTIER_ENOUGH=last=25,left=1e6"))
    assert reason == "enough_left"
    assert pages > 2 * RELEVANT, "the last relevant page leads to pages up to this one"


def judged(number: object, *targets: str, relevant: bool = True) -> Said:
    """A page whose text is its own."""
    name = "".join(chr(ord("a") + ord(digit) % 26) for digit in str(number))
    words = " ".join(f"{name}{chr(97 + at)}" for at in range(20))
    return links(*targets, text=f"{words} {'wanted' if relevant else 'other'}")


def listing(asked: Asked, *, items: int, relevant: bool = True) -> Said:
    """Parts of a list without end, each with items and a link to the next part."""
    _, _, number = asked.path.partition("=")
    if asked.path.startswith("/item"):
        return judged(asked.path)
    part = int(number or 0)
    each = [f"/item/{part * items + one}" for one in range(items)]
    return judged(asked.path, *each, f"/list?page={part + 1}", relevant=relevant)


def chain(asked: Asked) -> Said:
    number = int(asked.path[1:] or 0)
    return judged(f"link{number}", f"/{number + 1}")


@pytest.mark.parametrize(
    "web",
    [
        partial(listing, items=10),
        partial(listing, items=10, relevant=False),
        partial(listing, items=80),
        chain,
    ],
)
@pytest.mark.parametrize("concurrency", [2, 8])  # with 1 Scrapy 2.13 pauses after each page
def test_what_is_left_of_a_list_in_parts_is_not_known(
    tmp_path: Path, web: Callable[[Asked], Said], concurrency: int
) -> None:
    """Not more than the next part is ever queued."""
    settings = "FRONTIER_ENOUGH=last=20 left=1000 share=0.02", "CLOSESPIDER_PAGECOUNT=120"
    with serving(web) as site:
        code = JUDGED.format(url=f"{site.url}/")
        more = "FRONTIER_SUMMARY=1", "FRONTIER_TRAP_BUDGET=100000"
        run = run_spider(tmp_path, code, *BY_WORD, *settings, *more, concurrency=concurrency)
    assert ended(run)[0] == "closespider_pagecount"
    assert "est. relevant unfetched  not known: relevant pages still lead to new ones" in run.stdout
    assert run.stats["frontier/remaining/growth"] >= 0.5
    assert "frontier/remaining/high" not in run.stats


SLOW = 60
"""Pages of the slow host; all of them are relevant."""
KINDS: dict[str, tuple[str, ...]] = {
    "fast": (),
    "with a delay": ('DOWNLOAD_SLOTS={"slow.test": {"delay": 5}}',),
    "with a Crawl-delay": ("ROBOTSTXT_OBEY=1", "FRONTIER_CRAWL_DELAY_CAP=60"),
    "that rests": ("FRONTIER_BACKOFF=1", "FRONTIER_RETRY_AFTER_CAP=3600"),
    "that takes its time": ("CONCURRENT_REQUESTS_PER_DOMAIN=1",),
}
"""Of a host, and the settings by which it is so."""


def two_hosts(asked: Asked, kind: str) -> Said:
    """A tree whose first pages are relevant, and a host that the first of them leads to."""
    at = urlsplit(asked.path)
    if at.path == "/robots.txt":
        slow = at.netloc == "slow.test" and kind == "with a Crawl-delay"
        return (200, {}, b"User-agent: *\nCrawl-delay: 20") if slow else None
    if at.netloc == "fast.test":
        k = int(at.path[1:] or 0)
        near = [f"/{2 * k + 1}", f"/{2 * k + 2}", *(["http://slow.test/"] if not k else [])]
        return judged(f"fast{k}", *near, relevant=k < RELEVANT)
    if kind == "that rests" and asked.path != "http://slow.test/":
        return 503, {"Retry-After": "600"}, b"later"
    if kind == "that takes its time" and at.path != "/":
        time.sleep(1)
    return judged(at.path, *(f"/{one}" for one in range(SLOW if at.path == "/" else 0)))


@pytest.mark.parametrize("limit", ["left=250", "share=0.1"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_host_that_is_slow_or_rests_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, limit: str
) -> None:
    """Where all of it was fetched the crawl closes."""
    with serving(lambda asked: two_hosts(asked, kind)) as site:
        monkeypatch.setenv("http_proxy", site.url)
        monkeypatch.setenv("no_proxy", "")
        code = JUDGED.format(url="http://fast.test/")
        settings = f"FRONTIER_ENOUGH=last=50 {limit}", "CLOSESPIDER_PAGECOUNT=300"
        more = "FRONTIER_SUMMARY=1", "FRONTIER_TRAP_BUDGET=100000", *KINDS[kind]
        run = run_spider(tmp_path, code, *BY_WORD, *settings, *more, concurrency=8)
        slow = sum(urlsplit(path).netloc == "slow.test" for path in site.paths)
    if kind == "fast":
        assert ended(run)[0] == f"enough_{limit.partition('=')[0]}"
        assert slow == 1 + SLOW
        assert not run.stats.get("frontier/remaining/unsearched_hosts")
    else:
        assert ended(run)[0] == "closespider_pagecount"
        assert slow < SLOW // 2
        assert run.stats["frontier/remaining/unsearched_hosts"] == 1
        told = "not known: 1 host with URLs that look relevant waits, such as slow.test"
        assert told in run.stdout


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
    page = Page(state=State.CRAWLED, fetched=1.0, relevance=0.0)
    for _ in range(100):
        figures.page(0, page, Verdict([], refetched=True))
    assert figures.enough is None
    for url_id in range(20):
        assert figures.enough is None
        figures.page(url_id, page, Verdict([]))
    assert figures.enough is not None
    driven.close()


@pytest.mark.slow
def test_a_crawl_that_only_revisits_again_goes_on(tmp_path: Path) -> None:
    refresh = "FRONTIER_REFRESH=auto", "FRONTIER_REFRESH_MIN=1", "FRONTIER_REFRESH_MAX=1"
    run = crawl(tmp_path, SHARE, *refresh, "CLOSESPIDER_PAGECOUNT=60", pages=15)
    assert ended(run)[0] == "closespider_pagecount"
    assert run.stats["frontier/refresh/revisits"] > 20
