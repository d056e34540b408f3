"""Fetchers that are killed: what they had taken is fetched by others, and nothing twice."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest

from tests.support.scrapy_forks import shared_forks
from tests.support.shared_crawls import PATIENCE, SharedCrawl, ends_of, serving_web, wait_until


def test_what_a_killed_fetcher_had_taken_others_fetch(tmp_path: Path, dsn: str) -> None:
    with serving_web(n_pages=60, n_hosts=6, latency=0.1) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path)
        serve = crawl.serve()
        first = crawl.fetch("first")
        wait_until(lambda: web.asked_by("first") >= 10, "pages of the first fetcher")
        second = crawl.fetch("second")
        assert first.kill() == -signal.SIGKILL
        crawl.ended_well(second, "second")
        assert serve.wait(PATIENCE) == 0, crawl.log("serve")
        crawl.check()
