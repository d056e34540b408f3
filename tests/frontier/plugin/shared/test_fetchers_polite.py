"""Several fetchers ask a host as seldom as one may, also while it is handed over."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support.scrapy_forks import settings, shared_forks
from tests.support.shared_crawls import SharedCrawl, serving_web, wait_until

pytestmark = pytest.mark.slow

DELAY = 2.0
UNDER_WAY = 0.5
"""Seconds that a request takes to the log of the web, more or less, on a busy machine."""
BY_SETTING = settings(DOWNLOAD_DELAY=DELAY, RANDOMIZE_DOWNLOAD_DELAY=0)
BY_ROBOTS = settings(ROBOTSTXT_OBEY=1, FRONTIER_CRAWL_DELAY_CAP=30)


@pytest.mark.parametrize(
    ("more", "robots"),
    [(BY_SETTING, ""), (BY_ROBOTS, f"User-agent: *\nCrawl-delay: {DELAY:g}\n")],
    ids=["DOWNLOAD_DELAY", "Crawl-delay"],
)
def test_no_host_is_asked_sooner_than_its_delay_while_fetchers_come_stop_and_die(
    tmp_path: Path, dsn: str, more: list[str], robots: str
) -> None:
    with serving_web(n_pages=160, n_hosts=16, robots=robots) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path, tuple(more))
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
