"""Fetchers that stand still, lose the exchange or have a wrong clock: nothing is lost."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.scrapy_forks import shared_forks
from tests.support.shared_crawls import (
    ClockAhead,
    SharedCrawl,
    Web,
    plugged_in,
    serving_web,
    wait_until,
    wire_to,
)

pytestmark = pytest.mark.slow

LATENCY = 0.3
"""Seconds that a page takes: a fetcher that is disturbed has some in flight."""


@contextmanager
def crawling(tmp_path: Path, dsn: str) -> Iterator[tuple[SharedCrawl, Web]]:
    with serving_web(n_pages=200, n_hosts=8, latency=LATENCY) as web:
        yield SharedCrawl(shared_forks(), web, dsn, tmp_path), web


def under_way(web: Web, *fetchers: str) -> None:
    for who in fetchers:
        wait_until(lambda who=who: web.asked_by(who) >= 10, f"pages of {who}")  # type: ignore[misc]


def late_answers(crawl: SharedCrawl, who: str) -> int:
    return sum(int(n) for n in re.findall(r"(\d+) answers came too late", crawl.log(who)))


def test_the_late_answers_of_a_fetcher_that_was_stopped_for_ten_seconds_are_refused(
    tmp_path: Path, dsn: str
) -> None:
    with crawling(tmp_path, dsn) as (crawl, web):
        serve, sleeper, other = crawl.serve(), crawl.fetch("sleeper"), crawl.fetch("other")
        under_way(web, "sleeper", "other")
        sleeper.send(signal.SIGSTOP)
        time.sleep(10)
        sleeper.send(signal.SIGCONT)
        crawl.ended_well(sleeper, "sleeper")
        crawl.ended_well(other, "other")
        crawl.served_to_the_end(serve)
        assert late_answers(crawl, "sleeper") >= 1
        crawl.check()


def test_a_fetcher_whose_connection_is_ended_by_the_server_goes_on_with_another_one(
    tmp_path: Path, dsn: str
) -> None:
    with crawling(tmp_path, dsn) as (crawl, web):
        serve, one, other = crawl.serve(), crawl.fetch("one"), crawl.fetch("other")
        for _ in range(3):
            seen = web.asked_by("one")
            wait_until(lambda seen=seen: web.asked_by("one") > seen + 8, "pages")  # type: ignore[misc]
            ended = crawl.rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name LIKE %s AND datname = current_database()",
                f"%:{one.pid}",
            )
            assert ended == [(True,)]
        crawl.ended_well(one, "one")
        crawl.ended_well(other, "other")
        crawl.served_to_the_end(serve)
        assert "The exchange cannot be reached" in crawl.log("one")
        crawl.check(fetched_anew=False)


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


@pytest.mark.parametrize("seconds", [-30, 30])
def test_a_fetcher_whose_clock_is_wrong_takes_and_answers_as_others_do(
    tmp_path: Path, dsn: str, seconds: int
) -> None:
    with crawling(tmp_path, dsn) as (crawl, web):
        ahead = plugged_in("EXTENSIONS", ClockAhead, CLOCK_AHEAD=seconds)
        serve, wrong, right = crawl.serve(), crawl.fetch("wrong", *ahead), crawl.fetch("right")
        crawl.ended_well(wrong, "wrong")
        crawl.ended_well(right, "right")
        crawl.served_to_the_end(serve)
        assert web.asked_by("wrong") > 20
        assert web.asked_by("right") > 20
        assert late_answers(crawl, "wrong") == late_answers(crawl, "right") == 0
        crawl.check(fetched_anew=False)
