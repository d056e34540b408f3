"""A fetcher of which nobody owns the order waits for it, and ends as it is asked to."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.support.scrapy_forks import shared_forks
from tests.support.shared_crawls import PATIENCE, SharedCrawl, serving_web, wait_until


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


def test_a_fetcher_that_waited_crawls_once_the_order_is_served(tmp_path: Path, dsn: str) -> None:
    with serving_web(n_pages=12, n_hosts=2) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path)
        serve = crawl.serve()
        serve.send(signal.SIGINT)
        assert serve.wait(PATIENCE) == 0, crawl.log("serve")
        fetcher = crawl.fetch("fetcher")
        wait_until(lambda: "Waiting for the frontier" in crawl.log("fetcher"), "word of waiting")
        serve = crawl.serve()
        crawl.ended_well(fetcher, "fetcher")
        crawl.served_to_the_end(serve)
        crawl.check(fetched_anew=False)
