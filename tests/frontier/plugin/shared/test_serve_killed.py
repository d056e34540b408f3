"""The owner of the order is killed, at any moment: the next one goes on, and nothing is lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.scrapy_forks import ROOT, shared_forks
from tests.support.shared_crawls import PATIENCE, SharedCrawl, serving_web

KILLS = 6
ONE_BY_ONE = "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1"
DIES = """
import os, signal, sys
from scrapy.cmdline import execute
from frontier.exchange.owner_side import OwnerExchange
update, left = OwnerExchange.update_feed, int(sys.argv.pop(1))

def die(self, done, offers, withdrawn):
    global left
    update(self, done, offers, withdrawn)
    left -= bool(done or offers or withdrawn)
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

OwnerExchange.update_feed = die
execute(["scrapy", *sys.argv[1:]])
"""
"""The command, which dies in the n-th turn in which anything happens: the crawl's own file is
written by then, and what goes to PostgreSQL is not committed."""


def dies(crawl: SharedCrawl, turn: int) -> int:
    """Serve until that turn; returns the exit code."""
    arguments = ["frontier", "serve", str(crawl.job), "--exchange", crawl.dsn]
    command = [sys.executable, "-c", DIES, str(turn), *arguments]
    with (crawl.folder / "dies.log").open("ab") as log:
        return subprocess.run(
            command, cwd=ROOT, stdout=log, stderr=log, check=False, timeout=PATIENCE
        ).returncode


@contextmanager
def two_fetchers(tmp_path: Path, dsn: str, n_pages: int, latency: float) -> Iterator[SharedCrawl]:
    """A crawl that nobody serves any more, whose fetchers must end well once somebody does."""
    with serving_web(n_pages, n_hosts=4, latency=latency) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path, ONE_BY_ONE)
        crawl.serve().kill()
        fetchers = {who: crawl.fetch(who) for who in ("first", "second")}
        yield crawl
        serve = crawl.serve()
        for who, fetcher in fetchers.items():
            crawl.ended_well(fetcher, who)
        assert serve.wait(PATIENCE) == 0, crawl.log("serve")
        crawl.check()
        for trouble in ("Traceback", " ERROR: "):
            assert trouble not in crawl.log("serve")


def test_killed_between_the_two_commits_nothing_is_lost_or_applied_twice(
    tmp_path: Path, dsn: str
) -> None:
    with two_fetchers(tmp_path, dsn, n_pages=30, latency=0.02) as crawl:
        for turn in (1, 3):
            assert dies(crawl, turn) == -signal.SIGKILL, crawl.log("dies")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kills_at_random_moments_lose_nothing(tmp_path: Path, dsn: str) -> None:
    rng = random.Random(2)
    with two_fetchers(tmp_path, dsn, n_pages=120, latency=0.3) as crawl:
        for _ in range(KILLS):
            serve = crawl.serve()
            time.sleep(rng.uniform(0.05, 1.5))
            assert serve.kill() == -signal.SIGKILL, crawl.log("serve")
