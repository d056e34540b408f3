"""A host that is spelled in many ways is one host to the whole crawl, and is asked as written."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from frontier.inspection import CrawlView
from frontier.web.serving import WebAnswer, WebServer
from tests.support.scrapy_runs import HOUSE, WANDERER, Run, run_spider
from tests.support.sites import links

IDN = "xn--bcher-kva.example"
SPELLED = ("bücher.example", "BÜCHER.example", f"{IDN}.", "ｂücher。example", IDN.upper())
START = WANDERER.format(url="http://bücher.example/")
FOLLOWER = """
import scrapy

class Follower(scrapy.Spider):
    name = "follower"
    start_urls = ["http://bücher.example/", "http://bücher.example./dot"]

    def parse(self, response):
        yield {"url": response.url, "slot": response.meta["download_slot"]}
        yield from response.follow_all(css="a")
"""
QUICK = ("FRONTIER_BACKOFF=0.002", "frontier.robots.cache:RobotsCache.rest=0.1")
SIXTEEN = ("CONCURRENT_REQUESTS=16", "CONCURRENT_REQUESTS_PER_DOMAIN=16")


class Site:
    """One host: a start page that links to others by all spellings, and what a test scripts."""

    def __init__(self, robots: str = "", **pages: str) -> None:
        self.robots = robots
        self.status: dict[str, int] = {}
        hrefs = [f"http://{host}/{at}" for at, host in enumerate(SPELLED)]
        self.pages = {"": links(*hrefs), "robots.txt": robots, **pages}
        self.asked: list[tuple[str, str]] = []

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        host, _, path = url.removeprefix("http://").partition("/")
        self.asked.append((host, path))
        status = self.status.get(f"{host.rstrip('.')}/{path}", self.status.get(path, 200))
        kind = "text/plain" if path == "robots.txt" else "text/html"
        page = self.pages.get(path, f"<title>{path}</title><p>Page {path}, {path * 9}</p>")
        return WebAnswer(status, [("Content-Type", f"{kind}; charset=utf-8")], page.encode())

    @property
    def paths(self) -> Counter[str]:
        return Counter(path for _, path in self.asked)


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]  # a fixture
    def run(site: Site, *settings: str, code: str = START) -> Run:
        with WebServer(site) as server:
            monkeypatch.setenv("http_proxy", server.url)
            given = (*HOUSE, *QUICK, "JOBDIR=job", "ROBOTSTXT_OBEY=1", *settings)
            return run_spider(tmp_path, code, *given)

    return run


def hosts(folder: Path) -> list[str]:
    with sqlite3.connect(folder / "job" / "frontier.sqlite") as store:
        return [name for (name,) in store.execute("SELECT name FROM hosts")]


def test_a_crawl_delay_holds_for_all_spellings_and_nothing_spins(tmp_path: Path, crawl) -> None:
    site = Site("User-agent: *\nCrawl-delay: 1.5")  # longer than a page waits in the downloader
    site.pages[""] = links(*(f"http://{host}/{at}" for at, host in enumerate(SPELLED[1:2])))
    run = crawl(site, *SIXTEEN)
    assert site.paths == Counter(["", "robots.txt", "0"])
    # At most one page leaves before its robots.txt is known, and one before the pause is over.
    assert run.stats["frontier/leases"] <= 5
    assert hosts(tmp_path) == [IDN]
    with CrawlView.open(tmp_path / "job") as view:
        assert view.stats().hosts == 1


def test_what_a_project_asks_for_is_asked_for_as_written(tmp_path: Path, crawl) -> None:
    site = Site()
    site.pages[""] = links("http://bücher.example./1", "//ｂücher.example/2")
    run = crawl(site, code=FOLLOWER)
    urls = {item["url"] for item in run.items}
    there = f"http://{IDN}"
    assert urls == {f"{there}/", f"{there}./dot", f"{there}./1", f"{there}/2"}
    assert {item["slot"] for item in run.items} == {IDN}
    assert hosts(tmp_path) == [IDN]
    assert site.paths["robots.txt"] == 1
