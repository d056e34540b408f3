"""PostgreSQL crashes, is emptied or gets another owner while a crawl goes on."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from crawler.private_postgres import PrivatePostgres
from tests.support.scrapy_forks import Forked, shared_forks
from tests.support.shared_crawls import PATIENCE, SharedCrawl, serving_web, wait_until

CRASHES = 4
EMPTY = "DROP SCHEMA frontier CASCADE"
ONE_BY_ONE = "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1"


@dataclass
class Served(SharedCrawl):
    """A crawl and who serves it now."""

    serving: Forked = field(init=False)


@contextmanager
def two_fetchers(tmp_path: Path, dsn: str, n_pages: int, latency: float) -> Iterator[Served]:
    """A crawl that is served; its fetchers must end well."""
    with serving_web(n_pages, n_hosts=4, latency=latency) as web:
        crawl = Served(shared_forks(), web, dsn, tmp_path, ONE_BY_ONE)
        crawl.serving = crawl.serve()
        fetchers = {who: crawl.fetch(who) for who in ("first", "second")}
        wait_until(lambda: len(web.pages) >= 4, "pages")
        yield crawl
        for who, fetcher in fetchers.items():
            crawl.ended_well(fetcher, who)
        assert crawl.serving.wait(PATIENCE) == 0, crawl.log("serve")
        for trouble in ("Traceback", " ERROR: "):
            assert trouble not in crawl.log("serve")


def check_anew(crawl: SharedCrawl, times: int) -> None:
    """As `check`, where the witness in PostgreSQL has gone with what it watched."""
    assert crawl.ends() == {crawl.web.url(one): "CRAWLED" for one in range(crawl.web.n_pages)}
    left = "SELECT (SELECT count(*) FROM frontier.feed), (SELECT count(*) FROM frontier.inbox)"
    assert crawl.rows(left) == [(0, 0)]
    # What was taken, on offer or answered and not yet taken in, each time.
    assert len(crawl.web.pages) <= crawl.web.n_pages + times * 16


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_crashes_of_postgresql_lose_nothing(
    tmp_path: Path, postgres: PrivatePostgres, dsn: str
) -> None:
    rng = random.Random(3)
    with two_fetchers(tmp_path, dsn, n_pages=160, latency=0.2) as crawl:
        for _ in range(CRASHES):
            time.sleep(rng.uniform(0.1, 1.5))
            postgres.stop("immediate")
            time.sleep(rng.uniform(0.0, 0.5))
            postgres.start()
        assert crawl.serving.ends() is False
    crawl.check()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_an_exchange_that_is_emptied_again_and_again_loses_nothing(
    tmp_path: Path, dsn: str
) -> None:
    rng = random.Random(4)
    with two_fetchers(tmp_path, dsn, n_pages=300, latency=0.2) as crawl:
        for one in range(2):
            time.sleep(rng.uniform(5.5, 8.0))
            if one % 2:
                crawl.rows(EMPTY)
            else:
                crawl.serving.kill()
                crawl.serving = crawl.serve("--wipe")
    check_anew(crawl, times=2)


@pytest.mark.slow
def test_of_two_owners_the_older_one_stops_and_leaves_its_jobdir_in_order(
    tmp_path: Path, dsn: str
) -> None:
    with serving_web(n_pages=40, n_hosts=4, latency=0.1) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path, ONE_BY_ONE)
        crawl.serve().kill()
        other = tmp_path / "other"
        other.mkdir()
        shutil.copytree(crawl.job, other / "job")
        older = crawl.serve()
        first = crawl.fetch("first")
        wait_until(lambda: len(web.pages) >= 8, "pages")
        younger = SharedCrawl(crawl.forks, web, dsn, other, _watched=True)
        took_over = younger.serve()
        stopped(crawl, older)
        back = crawl.serve()
        stopped(younger, took_over)
        first.send(signal.SIGINT)
        first.wait(PATIENCE)
        second = crawl.fetch("second")
        crawl.ended_well(second, "second")
        assert back.wait(PATIENCE) == 0, crawl.log("serve")
        check_anew(crawl, times=2)


def stopped(crawl: SharedCrawl, serve: Forked) -> None:
    """Another one has taken its place."""
    assert serve.wait(PATIENCE) == 1, crawl.log("serve")
    log = crawl.log("serve")
    assert "owns this exchange by now" in log
    assert "Traceback" not in log
