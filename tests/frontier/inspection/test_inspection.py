"""What can be seen of a crawl, closed, running or resumed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frontier.errors import StoreForeignError, StoreMissingError
from frontier.inspection import CrawlView
from frontier.inspection.reports import EndCount, HostCount, TopRow
from frontier.states import STATES, State
from frontier.store.schema import SCHEMA_VERSION
from ranking.orders import ORDERS
from tests.support.driven_crawl import (
    CLOSED,
    GONE,
    LATER,
    NEXT,
    OLD,
    WEB,
    A,
    B,
    C,
    DrivenCrawl,
    Page,
    small_crawl,
)


def urls(rows: list[TopRow]) -> list[str]:
    return [row.url for row in rows]


def test_stats_count_states_links_hosts_and_reasons(job: Path) -> None:
    with CrawlView.open(job) as view:
        stats = view.stats()
    assert stats.known == 8
    assert stats.states == {
        **dict.fromkeys(STATES, 0),
        "queued": 2,
        "crawled": 3,
        "error": 1,
        "robots": 1,
        "redirected": 1,
    }
    assert (stats.pages, stats.links, stats.hosts) == (3, 10, 3)
    assert stats.errors == (EndCount(1, "HTTP 404"), EndCount(1, "forbidden by robots.txt"))
    assert stats.top_hosts == (
        HostCount("b.example", 1, 3),
        HostCount("c.example", 1, 3),
        HostCount("a.example", 1, 2),
    )


def test_stats_name_what_the_crawl_was_asked_to_do(job: Path) -> None:
    with CrawlView.open(job) as view:
        stats = view.stats()
    assert (stats.strategy, stats.topic, stats.schema_version) == ("bfs", "pages", SCHEMA_VERSION)
    assert (stats.random_seed, stats.epoch, stats.directory) == (0, 0, str(job))
    assert stats.last_page == "2026-11-03T10:00:05Z"
    assert stats.started is not None


def test_relevant_pages_are_among_those_that_were_judged(job: Path) -> None:
    """The redirect has a relevance too, but a guessed one."""
    with CrawlView.open(job) as view:
        stats = view.stats()
    assert (stats.judged, stats.relevant, stats.harvest_rate) == (3, 2, None)
    assert stats.mean_relevance == 0.5
    assert stats.in_doubt == 0, "the third has 0.25"
    assert stats.recent_share == stats.relevant / stats.judged


def test_an_empty_crawl_has_figures_too(tmp_path: Path) -> None:
    DrivenCrawl(tmp_path, WEB).close()
    with CrawlView.open(tmp_path) as view:
        stats = view.stats()
        assert view.top(5) == []
    assert (stats.known, stats.started, stats.last_page) == (0, None, None)
    assert (stats.harvest_rate, stats.mean_relevance, stats.top_hosts) == (None, None, ())


@pytest.mark.parametrize("order", ORDERS)
def test_top_lists_what_a_resumed_crawl_hands_out(tmp_path: Path, order: str) -> None:
    crawl = DrivenCrawl(tmp_path, WEB, strategy=order, topic="pages", rerank_min_pages=1)
    crawl.seed(A)
    crawl.run(3)
    crawl.close()
    with CrawlView.open(tmp_path) as view:
        listed = [(row.url, row.value) for row in view.top(100)]
    resumed = DrivenCrawl(tmp_path, WEB, strategy=order, topic="pages", rerank_min_pages=1)
    lease = []
    while (request := resumed.lease_next()) is not None:
        lease.append((request.url, request.priority))
    resumed.close()
    assert listed == lease


@pytest.mark.parametrize("order", ORDERS)
def test_a_running_crawl_is_seen_as_it_is(tmp_path: Path, order: str) -> None:
    crawl = DrivenCrawl(tmp_path, WEB, strategy=order, topic="pages")
    crawl.seed(A)
    crawl.run(3)
    lease = crawl.lease_next()
    assert lease is not None
    with CrawlView.open(tmp_path) as view, CrawlView.beside(tmp_path, crawl.backend) as own:
        states = view.stats().states
        report = view.url(lease.url)
        seen, known = view.top(100), own.top(100)
    crawl.close()
    assert (states["leased"], states["queued"]) == (1, len(seen))
    assert (report.state, report.lease_number) == ("leased", 4)
    assert report.priority_at_lease == lease.priority
    assert urls(seen) == urls(known)
    np.testing.assert_allclose(values(seen), values(known), rtol=1e-6)


@pytest.mark.parametrize("state", [State.ERROR, State.ROBOTS, State.FILTERED, State.TRAP])
def test_what_was_leased_in_vain_weighs_the_same_in_a_crawl_that_goes_on(
    tmp_path: Path, state: State
) -> None:
    shut = [f"http://shut.example/{number}" for number in range(6)]
    refused = dict.fromkeys(shut, Page(error="no", status=0, state=state))
    web = {A: Page(dict.fromkeys(shut, 0.5), 0.5), **refused}
    crawl = DrivenCrawl(tmp_path, web, strategy="apprentice", topic="pages")
    crawl.seed(A)
    crawl.run(4)
    crawl.backend.commit()
    with CrawlView.open(tmp_path) as view, CrawlView.beside(tmp_path, crawl.backend) as own:
        seen, known = view.top(100), own.top(100)
    crawl.close()
    assert len(seen) == 3
    np.testing.assert_allclose(values(seen), values(known), rtol=1e-12)


def values(rows: list[TopRow]) -> list[float]:
    return [row.value for row in rows if row.value is not None]


def test_looking_in_changes_nothing(job: Path) -> None:
    before = {file.name: file.read_bytes() for file in job.iterdir()}
    with CrawlView.open(job) as view:
        view.stats()
        view.top(3)
        view.url(A)
    assert {file.name: file.read_bytes() for file in job.iterdir()} == before


def test_what_is_not_queued_has_the_priority_of_its_leased(job: Path) -> None:
    with CrawlView.open(job) as view:
        rows = view.top(5, State.CRAWLED)
    assert [(row.url, row.value) for row in rows] == [(A, 1e12), (B, -1.0), (C, -4.0)]
    assert [row.title for row in rows] == ["Page A", "Page B", "Page C"]


def test_top_by_relevance(job: Path) -> None:
    with CrawlView.open(job) as view:
        rows = view.top(2, State.CRAWLED, "relevance")
    assert [(row.rank, row.url, row.value) for row in rows] == [(1, A, 0.75), (2, C, 0.5)]


def test_what_a_spider_marked_urgent_stands_above_every_priority(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    crawl.ask("http://d.example/", priority_class=3)
    crawl.close()
    with CrawlView.open(tmp_path) as view:
        rows = view.top(2)
    assert [(row.url, row.priority_class) for row in rows] == [("http://d.example/", 3), (NEXT, 0)]
    assert rows[0].priority is not None
    assert rows[0].priority < rows[1].priority  # type: ignore[operator]  # both are queued


def test_everything_known_of_a_fetched_page(job: Path) -> None:
    with CrawlView.open(job) as view:
        report = view.url(C)
    assert (report.url, report.state, report.status, report.title) == (C, "crawled", 200, "Page C")
    assert (report.depth, report.seed, report.host) == (2, False, "c.example")
    assert (report.referrer, report.anchor) == (B, f"to {C}")
    assert (report.fetched, report.attempts) == ("2026-11-03T10:00:04Z", 1)
    assert (report.relevance, report.predicted, report.text_length) == (0.5, 1.0, 100)
    assert (report.content_hash, report.out_links) == ("0102" * 8, 3)
    assert (report.priority, report.priority_at_lease) == (None, -4.0)
    assert (report.lease_number, report.answer) == (5, 5)
    assert report.redirects_from == (OLD,)
    links = [(one.url, one.words, one.redirect, one.anchor) for one in report.in_links]
    assert links == [(B, 1.0, False, f"to {C}"), (OLD, 0.25, True, None)]


def test_everything_known_of_a_queued_url(job: Path) -> None:
    with CrawlView.open(job) as view:
        report = view.url(LATER)
    assert (report.state, report.priority, report.predicted) == ("queued", -7.0, 0.125)
    assert [link.nofollow for link in report.in_links] == [True]
    unknown = "leased", "fetched", "status", "error", "title", "content_hash", "relevance"
    unknown += "priority_at_lease", "lease_number", "answer", "out_links", "redirects_to"
    assert {getattr(report, name) for name in unknown} == {None}
    assert report.attempts == 0


def test_a_redirect_a_failure_and_a_refusal(job: Path) -> None:
    with CrawlView.open(job) as view:
        moved, gone, refused = view.url(OLD), view.url(GONE), view.url(CLOSED)
    assert (moved.state, moved.status, moved.redirects_to) == ("redirected", 301, C)
    assert (gone.state, gone.status, gone.error) == ("error", 404, "HTTP 404")
    assert (refused.state, refused.error) == ("robots", "forbidden by robots.txt")
    assert refused.out_links is None


@pytest.mark.parametrize(
    "spelling",
    ["http://c.example", "HTTP://C.EXAMPLE/#top", "c.example", " http://c.example/ ", C],
)
def test_a_url_is_found_however_it_is_spelled(job: Path, spelling: str) -> None:
    with CrawlView.open(job) as view:
        assert view.url(spelling).url == C


def test_a_request_with_a_fingerprint_of_its_own_is_found_by_its_text(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    crawl.ask("http://d.example/form?b=1&a=2", fingerprint=5)
    crawl.close()
    with CrawlView.open(tmp_path) as view:
        assert view.url("http://d.example/form?a=2&b=1").fingerprint == f"{5:016x}"


def test_a_directory_without_a_crawl(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError, match=r"frontier\.sqlite"):
        CrawlView.open(tmp_path)
    (tmp_path / "frontier.sqlite").write_bytes(b"something else, longer than a header" * 9)
    with pytest.raises(StoreForeignError):
        CrawlView.open(tmp_path)
