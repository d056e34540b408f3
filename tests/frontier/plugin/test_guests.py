"""A project with the one line asks hosts as it did without: how many at once, how often, for how
long, and what its errbacks hear. How long crawls take is measured by `python -m benchmarks guests`.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from scrapy import version_info
from scrapy.settings import Settings
from scrapy.settings import default_settings as scrapys
from scrapy.spiders import Spider
from scrapy.utils.test import get_crawler

import crawler.settings as house
from frontier.plugin.settings import SETTINGS
from tests.support.scrapy_runs import Run, run_guest
from tests.support.sites import Asked, Page, links, redirect, serving
from tests.support.told import tells

NEEDS_ERRBACKS = pytest.mark.skipif(
    version_info < (2, 14), reason="this Scrapy ignores what an errback yields"
)
LEFT_ALONE = ("CONCURRENT_REQUESTS_PER_DOMAIN", "ROBOTSTXT_OBEY", "METAREFRESH_MAXDELAY")
WAYS = (False, True)
"""Without the line, and with it."""


@pytest.mark.skipif(version_info < (2, 14), reason="this Scrapy needs a reactor for that")
@pytest.mark.parametrize("name", LEFT_ALONE)
def test_scrapys_defaults_hold_in_a_plugged_in_project_and_the_ready_made_one_sets_its_own(
    name: str,
) -> None:
    line = {"ADDONS": {"frontier.plugin.LinkRankAddon": 500}}
    crawler = get_crawler(Spider, line)
    settings: Settings = crawler.settings
    assert settings.get(name) == getattr(scrapys, name)
    assert getattr(house, name) != getattr(scrapys, name)


def test_what_the_ready_made_project_asks_of_the_frontier_are_settings_that_exist() -> None:
    known = {one.name for one in SETTINGS}
    assert {name for name in dir(house) if name.startswith("FRONTIER_")} <= known


LISTED = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"

        async def start(self):
            for url in {urls!r}:
                yield scrapy.Request(url, errback=self.failed)

        def parse(self, response):
            times = response.meta.get("retry_times", 0)
            meta = sorted(key for key in response.meta if "retry" in key)
            yield {{"url": response.url, "status": response.status, "times": times, "meta": meta}}

        def failed(self, failure):
            response = getattr(failure.value, "response", None)
            names = [one.__name__ for one in failure.type.__mro__
                     if not one.__module__.startswith(("frontier", "ranking"))]
            yield {{"url": failure.request.url, "error": names[0],
                   "status": response and response.status,
                   "times": failure.request.meta.get("retry_times", 0)}}
"""


def seen(run: Run) -> list[str]:
    """What callbacks and errbacks saw, in no order."""
    assert run.stats["finish_reason"] == "finished", run.log[-3000:]
    return sorted(json.dumps(item, sort_keys=True) for item in run.items)


def test_as_many_requests_are_at_a_host_at_once_as_scrapy_allows(tmp_path: Path) -> None:
    eight = threading.Barrier(8)

    def together(asked: Asked) -> Page:
        eight.wait(timeout=30)
        return 200, {}, b"one of eight"

    pages = {f"/{number}": together for number in range(16)}
    with serving(pages) as site:
        code = LISTED.format(urls=[site.url + path for path in pages])
        run = run_guest(tmp_path, code)
        assert len(seen(run)) == 16
        assert not eight.broken
        assert len(site.paths) == len(site.asked) == 16  # robots.txt is not asked for


FORBIDS = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /b")


@pytest.mark.parametrize(
    ("unreachable", "paths"), [("allow", ["/a", "/b"]), ("disallow", []), ("", ["/a", "/b"])]
)
def test_a_robots_txt_that_fails_forbids_what_the_project_says_by_default_nothing(
    tmp_path: Path, unreachable: str, paths: list[str]
) -> None:
    settings = ["ROBOTSTXT_OBEY=1", "frontier.plugin.robots:RETRIES=0"]
    settings += [f"FRONTIER_ROBOTS_UNREACHABLE={unreachable}"] if unreachable else []
    with serving({"/robots.txt": (503, {}, b""), "/a": "a", "/b": "b"}) as site:
        run = run_guest(tmp_path, LISTED.format(urls=[site.url + "/a", site.url + "/b"]), *settings)
        seen(run)
        assert sorted(site.paths) == paths


@NEEDS_ERRBACKS
@pytest.mark.parametrize("line", WAYS)
def test_a_robots_txt_that_fails_at_first_is_asked_for_again_and_its_rules_hold(
    tmp_path: Path, line: bool
) -> None:
    def moody(asked: Asked) -> Page:
        return (503, {}, b"") if asked.count < 3 else FORBIDS

    with serving({"/robots.txt": moody, "/a": "a", "/b": "b"}) as site:
        code = LISTED.format(urls=[site.url + "/a", site.url + "/b"])
        run = run_guest(tmp_path, code, "ROBOTSTXT_OBEY=1", line=line)
        assert site.paths == ["/a"]
        assert {item.get("error") for item in run.items} == {None, "IgnoreRequest"}


def test_what_is_not_allow_or_disallow_is_refused_at_the_start(tmp_path: Path) -> None:
    run = run_guest(tmp_path, LISTED.format(urls=[]), "FRONTIER_ROBOTS_UNREACHABLE=maybe")
    assert run.returncode == 1
    assert tells(run.log, "FRONTIER_ROBOTS_UNREACHABLE", "allow", "disallow", "maybe")


def test_a_crawl_delay_is_not_heeded_where_scrapy_does_not(tmp_path: Path) -> None:
    robots = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nCrawl-delay: 3600")
    with serving({"/robots.txt": robots, "/a": "a", "/b": "b", "/c": redirect("/a")}) as site:
        code = LISTED.format(urls=[site.url + path for path in ("/a", "/b", "/c")])
        seen(run_guest(tmp_path, code, "ROBOTSTXT_OBEY=1"))
        assert {"/a", "/b", "/c"} == set(site.paths)


WAITING = """
    import asyncio
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = [{url!r}]

        async def parse(self, response):
            self.came = asyncio.Event()
            for number in range(2):
                yield response.follow(f"/{{number}}", self.page)

        async def page(self, response):
            if hasattr(self, "waiting"):
                self.came.set()
                return
            self.waiting = True
            try:
                await asyncio.wait_for(self.came.wait(), 4)
            except asyncio.TimeoutError:
                yield {{"came": False}}
            else:
                yield {{"came": True}}
"""


def test_a_callback_that_waits_for_another_page_gets_it(tmp_path: Path) -> None:
    with serving({"/": links(), "/0": links(), "/1": links()}) as site:
        code = WAITING.format(url=site.url + "/")
        run = run_guest(tmp_path, code, "CONCURRENT_REQUESTS=1")
        assert run.items == [{"came": True}]
