"""Fetchers that come, wait, stand still or are killed: hosts are asked politely, none is lost."""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from frontier.backend.rules.crash_suspects import ALONE
from tests.support.scrapy_forks import Forked, settings, shared_forks
from tests.support.shared_crawls import (
    PATIENCE,
    ClockAhead,
    Poison,
    SharedCrawl,
    Web,
    ends_of,
    plugged_in,
    serving_web,
    wait_until,
    wire_to,
)

KILLS = 30
AT_ONCE = 5
"""Fetchers: half of all partitions belong to some that are dead."""


@pytest.mark.slow
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
def test_30_kills_of_fetchers_at_random_moments_lose_nothing(tmp_path: Path, dsn: str) -> None:
    with serving_web(n_pages=700, n_hosts=40, latency=0.3) as web:
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
        while 0 not in ends and len(ends) < 3 + ALONE:
            ends.append(crawl.fetch(f"fetcher{len(ends)}").wait(PATIENCE))
        assert ends == [*[-signal.SIGKILL] * (1 + ALONE), 0]
        crawl.served_to_the_end(serve)
        assert {web.url(poison): "ERROR"} == {
            url: end for url, end in crawl.ends().items() if end != "CRAWLED"
        }
        assert len(crawl.ends()) == web.n_pages


# -- several fetchers ask a host as seldom as one may, also while it is handed over --


DELAY = 2.0
UNDER_WAY = 0.5
"""Seconds that a request takes to the log of the web, more or less, on a busy machine."""
ROBOTS = f"User-agent: *\nCrawl-delay: {DELAY:g}\n"
BY_ROBOTS = settings(ROBOTSTXT_OBEY=1, FRONTIER_CRAWL_DELAY_CAP=30)


@pytest.mark.slow
def test_no_host_is_asked_sooner_than_its_delay_while_fetchers_come_stop_and_die(
    tmp_path: Path, dsn: str
) -> None:
    with serving_web(n_pages=96, n_hosts=12, robots=ROBOTS) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path, tuple(BY_ROBOTS))
        serve, first = crawl.serve(), crawl.fetch("first")
        wait_until(lambda: web.asked_by("first") >= 10, "pages of the first fetcher")
        second = crawl.fetch("second")  # it is given half of the hosts
        wait_until(lambda: web.asked_by("second") >= 5, "pages of the second fetcher")
        third = crawl.fetch("third")
        wait_until(lambda: web.asked_by("third") >= 5, "pages of the third fetcher")
        first.kill()
        second.send(signal.SIGINT)  # it gives its hosts back at once
        crawl.ended_well(third, "third")
        crawl.served_to_the_end(serve)
        crawl.check()
        pages = {one.host for one in web.pages if one.who == "first"}
        assert pages & {one.host for one in web.pages if one.who == "third"}, "none changed hands"
        assert web.sooner(DELAY - UNDER_WAY) == []


# -- fetchers that stand still, lose the exchange or have a wrong clock: nothing is lost --


LATENCY = 0.3
"""Seconds that a page takes: a fetcher that is disturbed has some in flight."""


@contextmanager
def crawling(tmp_path: Path, dsn: str) -> Iterator[tuple[SharedCrawl, Web]]:
    with serving_web(n_pages=120, n_hosts=8, latency=LATENCY) as web:
        yield SharedCrawl(shared_forks(), web, dsn, tmp_path), web


def under_way(web: Web, *fetchers: str) -> None:
    for who in fetchers:
        wait_until(lambda who=who: web.asked_by(who) >= 10, f"pages of {who}")  # type: ignore[misc]


@pytest.mark.slow
def test_a_fetcher_that_hears_nothing_of_the_exchange_asks_no_host_after_its_leases(
    tmp_path: Path, dsn: str
) -> None:
    with crawling(tmp_path, dsn) as (crawl, web), wire_to(dsn) as (wire, by_wire):
        serve, deaf, other = crawl.serve(), crawl.fetch("deaf", dsn=by_wire), crawl.fetch("other")
        under_way(web, "deaf", "other")
        wire.stop()
        stopped = time.monotonic()
        time.sleep(10)
        wire.go_on()
        goes_on = time.monotonic()
        wire.cut()
        crawl.ended_well(deaf, "deaf")
        crawl.ended_well(other, "other")
        crawl.served_to_the_end(serve)
        deafly = [one for one in web.pages if one.who == "deaf" and one.began < goes_on]
        assert max(one.began for one in deafly) < stopped + 5.0
        crawl.check()


# -- a fetcher of which nobody owns the order waits for it, and ends as it is asked to --


def test_without_an_owner_of_the_order_a_fetcher_says_that_it_waits_until_ctrl_c(
    tmp_path: Path, dsn: str
) -> None:
    with serving_web(n_pages=6, n_hosts=2) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path)
        serve = crawl.serve()
        serve.send(signal.SIGINT)
        assert serve.wait(PATIENCE) == 0, crawl.log("serve")
        fetcher = crawl.fetch("fetcher")
        wait_until(lambda: "Waiting for the frontier" in crawl.log("fetcher"), "word of waiting")
        fetcher.send(signal.SIGINT)
        assert fetcher.wait(PATIENCE) == 0, crawl.log("fetcher")
        assert "Spider closed (shutdown)" in crawl.log("fetcher")
        assert web.asked == []


def late_answers(crawl: SharedCrawl, who: str) -> int:
    return sum(int(n) for n in re.findall(r"(\d+) answers came too late", crawl.log(who)))


@pytest.mark.slow
def test_a_fetcher_whose_clock_is_wrong_takes_and_answers_as_others_do(
    tmp_path: Path, dsn: str
) -> None:
    with crawling(tmp_path, dsn) as (crawl, web):
        ahead = plugged_in("EXTENSIONS", ClockAhead, CLOCK_AHEAD=-30)
        serve, wrong, right = crawl.serve(), crawl.fetch("wrong", *ahead), crawl.fetch("right")
        crawl.ended_well(wrong, "wrong")
        crawl.ended_well(right, "right")
        crawl.served_to_the_end(serve)
        assert web.asked_by("wrong") > 20
        assert web.asked_by("right") > 20
        assert late_answers(crawl, "wrong") == late_answers(crawl, "right") == 0
        crawl.check(fetched_anew=False)
