"""Fetchers that are killed: what they had taken is fetched by others, and nothing twice."""

from __future__ import annotations

import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.scrapy_forks import Forked, shared_forks
from tests.support.shared_crawls import (
    PATIENCE,
    Poison,
    SharedCrawl,
    ends_of,
    plugged_in,
    serving_web,
    wait_until,
)

KILLS = 100
AT_ONCE = 5
"""Fetchers: half of all partitions belong to some that are dead."""


def test_what_a_killed_fetcher_had_taken_others_fetch(tmp_path: Path, dsn: str) -> None:
    with serving_web(n_pages=24, n_hosts=4, latency=0.1) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path)
        serve = crawl.serve()
        first = crawl.fetch("first")
        wait_until(lambda: web.asked_by("first") >= 5, "pages of the first fetcher")
        second = crawl.fetch("second")
        assert first.kill() == -signal.SIGKILL
        crawl.ended_well(second, "second")
        crawl.served_to_the_end(serve)
        crawl.check()


@dataclass
class Killer:
    """Keeps some fetchers running, none of them for long."""

    crawl: SharedCrawl
    chance: random.Random
    started: int = 0
    kills: int = 0

    def kill(self, serve: Forked, most: int) -> None:
        running: list[tuple[float, Forked]] = []
        deadline = time.monotonic() + 6 * PATIENCE
        while self.kills < most and not serve.ends() and time.monotonic() < deadline:
            while len(running) < AT_ONCE:
                running.append((time.monotonic() + self.chance.uniform(0.2, 8.0), self.start()))
            running.sort(key=lambda one: one[0])
            ends_at, fetcher = running.pop(0)
            time.sleep(max(0.0, ends_at - time.monotonic()))
            self.kills += fetcher.kill() == -signal.SIGKILL
        for _, fetcher in running:
            self.kills += fetcher.kill() == -signal.SIGKILL

    def start(self) -> Forked:
        self.started += 1
        return self.crawl.fetch(f"fetcher{self.started}")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_100_kills_of_fetchers_at_random_moments_lose_nothing(tmp_path: Path, dsn: str) -> None:
    with serving_web(n_pages=2000, n_hosts=40, latency=0.3) as web:
        # Nothing is set aside for having been in flight at so many deaths.
        crawl = SharedCrawl(
            shared_forks(), web, dsn, tmp_path, ("-s", "frontier.config:CrawlConfig.max_crashes=0")
        )
        serve = crawl.serve()
        killer = Killer(crawl, random.Random(1))
        killer.kill(serve, KILLS)
        assert killer.kills >= KILLS
        assert not serve.ends(), "the web is too small"
        web.latency = 0.0
        crawl.ended_well(killer.start(), f"fetcher{killer.started}")
        crawl.served_to_the_end(serve)
        crawl.check()
        assert ends_of(crawl.embedded()) == crawl.ends()


@pytest.mark.slow
def test_a_page_that_kills_each_of_its_fetchers_ends_as_an_error_and_nothing_else_does(
    tmp_path: Path, dsn: str
) -> None:
    with serving_web(n_pages=30, n_hosts=3) as web:
        poison = 29  # it leads to nothing that is not known by other ways
        once = {"frontier.config:CrawlConfig.max_crashes": 1}
        deadly = plugged_in("SPIDER_MIDDLEWARES", Poison, POISON=f"/{poison}", **once)
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path, tuple(deadly))
        serve = crawl.serve()
        ends: list[int] = []
        while 0 not in ends and len(ends) < 6:
            ends.append(crawl.fetch(f"fetcher{len(ends)}").wait(PATIENCE))
        assert ends == [-signal.SIGKILL, -signal.SIGKILL, 0]
        crawl.served_to_the_end(serve)
        assert {web.url(poison): "ERROR"} == {
            url: end for url, end in crawl.ends().items() if end != "CRAWLED"
        }
        assert len(crawl.ends()) == web.n_pages
