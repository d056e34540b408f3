"""Whoever looks at a served crawl, while it goes on or later, sees who fetches for it."""

from __future__ import annotations

from pathlib import Path

from frontier.errors import LinkRankError
from frontier.inspection import CrawlView
from frontier.inspection.reports import Served
from tests.support.scrapy_forks import shared_forks
from tests.support.shared_crawls import PATIENCE, SharedCrawl, serving_web, wait_until


def served(job: Path) -> Served | None:
    """None before the first fetcher has come."""
    try:
        with CrawlView.open(job) as view:
            return view.stats().served
    except LinkRankError:
        return None


def test_fetchers_are_shown_while_they_fetch_and_when_they_have(tmp_path: Path, dsn: str) -> None:
    with serving_web(n_pages=60, n_hosts=6, latency=0.5) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path)
        serve = crawl.serve()
        fetchers = [crawl.fetch("first"), crawl.fetch("second")]

        def both_hold_hosts() -> bool:
            now = served(crawl.job)
            held = [] if now is None else [one.partitions for one in now.fetchers]
            return held == [32, 32]

        wait_until(both_hold_hosts, "two fetchers with half of the partitions each")
        for one, who in zip(fetchers, ("first", "second"), strict=True):
            assert one.wait(PATIENCE) == 0, crawl.log(who)
        assert serve.wait(PATIENCE) == 0, crawl.log("serve")
    last = served(crawl.job)
    assert last is not None
    assert (last.state, last.offered, last.in_flight, last.inbox) == ("finished", 0, 0, 0)
    assert [one.state for one in last.fetchers] == ["gone", "gone"]
    said = dict(crawl.rows("SELECT fetcher, count(*) FROM said GROUP BY fetcher"))
    assert sorted(one.answers for one in last.fetchers) == sorted(said.values())
