"""Politeness in real crawls behind a proxy: domains, callbacks, dead neighbours, a restart."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from frontier.store import Store
from frontier.urls.domains import registered_domain
from frontier.web.serving import WebAnswer, WebServer
from tests.support.scrapy_runs import HOUSE, Run, run_spider
from tests.support.sites import links

HTML = [("Content-Type", "text/html")]


@dataclass
class Web:
    """Counts who is asked at once; what the hosts answer, subclasses say."""

    asked: list[tuple[str, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    at_once: Counter[str] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        host, _, path = url.removeprefix("http://").partition("/")
        self.asked.append((host, path))
        names = host, registered_domain(host)
        with self.lock:
            self.at_once.update(set(names))
            self.most |= self.at_once
        try:
            return self.page(host, path)
        finally:
            with self.lock:
                self.at_once.subtract(set(names))

    def page(self, host: str, path: str) -> WebAnswer:
        raise NotImplementedError


def crawl(
    folder: Path, web: Web, monkeypatch: pytest.MonkeyPatch, code: str, *settings: str
) -> Run:
    with WebServer(web) as server:
        monkeypatch.setenv("http_proxy", server.url)
        return run_spider(folder, code, *HOUSE, "CONCURRENT_REQUESTS_PER_DOMAIN=1", *settings)


class Wildcard(Web):
    """Names without end of one domain; robots.txt too takes a moment."""

    def page(self, host: str, path: str) -> WebAnswer:
        time.sleep(0.03)
        if path == "robots.txt":
            return WebAnswer(200, [("Content-Type", "text/plain")], b"User-agent: *\nAllow: /\n")
        targets = [f"http://w{n}.trap.example/" for n in range(12)] if host == "seed.test" else []
        return WebAnswer(200, HTML, links(*targets, "/one", text=host + path).encode())


CALLBACKS = """
    import asyncio
    import scrapy
    from frontier.plugin import compat

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["http://seed.test/"]

        async def parse(self, response):
            more = [scrapy.Request(response.urljoin(f"/more{n}")) for n in range(2)]
            await asyncio.gather(*(compat.download(self.crawler, one) for one in more))
            for one in response.follow_all(css="a"):
                yield one
"""


def test_a_domain_is_one_however_many_names_it_has_and_no_host_is_asked_twice_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = Wildcard()
    run = crawl(
        *(tmp_path, web, monkeypatch, CALLBACKS),
        *("CONCURRENT_REQUESTS=16", "ROBOTSTXT_OBEY=1", "FRONTIER_DOMAIN_CONCURRENCY=3"),
    )
    assert run.stats["finish_reason"] == "finished"
    assert run.stats["frontier/pages"] == 26
    assert len([path for _, path in web.asked if path.startswith("more")]) == 52
    assert len([path for _, path in web.asked if path == "robots.txt"]) == 13
    assert web.most["trap.example"] == 3
    assert {web.most[host] for host, _ in web.asked} == {1}


class Refusing(Web):
    def page(self, host: str, path: str) -> WebAnswer:
        return WebAnswer(429, [("Retry-After", "600")])


PATIENT = """
    import scrapy
    from scrapy import signals

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["http://busy.test/"]

        @classmethod
        def from_crawler(cls, crawler, *args, **kwargs):
            spider = super().from_crawler(crawler, *args, **kwargs)
            crawler.signals.connect(spider.nothing_to_do, signals.scheduler_empty)
            return spider

        def nothing_to_do(self):
            self.crawler.stats.inc_value("mine/asked in vain")
"""


def test_a_crawl_that_was_stopped_leaves_a_host_alone_for_the_rest_of_its_time_and_does_not_spin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = Refusing()
    settings = (f"JOBDIR={tmp_path / 'job'}", "CLOSESPIDER_TIMEOUT=1.5")
    run = crawl(tmp_path, web, monkeypatch, PATIENT, *settings)
    assert run.stats["finish_reason"] == "closespider_timeout"
    assert run.stats["frontier/queued"] == 1
    assert run.stats["frontier/politeness/refused"] == 1
    assert run.stats["mine/asked in vain"] < 20
    with closing(Store.open(tmp_path / "job")) as store:
        (row,) = store.politeness()
    assert row.slot == "busy.test"
    assert row.until is not None
    assert 500 < row.until - time.time() < 600
    again = crawl(tmp_path, web, monkeypatch, PATIENT, *settings)
    assert again.stats["finish_reason"] == "closespider_timeout"
    assert web.asked == [("busy.test", "")]
