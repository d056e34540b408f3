"""robots.txt in a crawl: over restarts, beside other hosts, as a project sets it."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path

import pytest

from tests.support.hostile import Ask, HostileWeb, crawl, hostile, site
from tests.support.scrapy_runs import ADDONS, run_spider
from tests.support.sites import Asked, Page, links, serving

RULES = "User-agent: *\nDisallow: /shut"
QUICK = (
    "frontier.plugin.robots:TIMEOUT=1",
    "frontier.plugin.robots:FIRST_WAIT=0.3",
    "frontier.robots.cache:RobotsCache.rest=0.1",
    "FRONTIER_BACKOFF=0.002",
)
SPIDER = """
import scrapy

class S(scrapy.Spider):
    name = "s"
    start_urls = [{start!r}]
    {more}

    def parse(self, response):
        yield from response.follow_all(css="a")
"""


class Moody:
    """A site whose robots.txt is what a test says it is."""

    def __init__(self) -> None:
        self.status, self.body = 200, RULES

    async def __call__(self, ask: Ask) -> None:
        if ask.path == "/robots.txt":
            await ask.reply(self.body, self.status, "text/plain")
        else:
            await ask.reply(f"<p>{ask.path}</p>" + '<a href="/open">a</a> <a href="/shut">b</a>')


def robots_asked(web: HostileWeb, case: str) -> int:
    return sum(one.case == case and one.path == "/robots.txt" for one in web.log)


def states(folder: Path) -> dict[str, int]:
    store = sqlite3.connect(folder / "job" / "frontier.sqlite")
    query = "SELECT url, state FROM urls JOIN pages USING (id) ORDER BY seq"
    found = {url.rpartition("/")[2]: state for url, state in store.execute(query)}
    store.close()
    return found


def test_what_could_not_be_reached_is_tried_again_when_the_crawl_goes_on(tmp_path: Path) -> None:
    moody = Moody()
    with hostile({"moody": moody}) as web:
        moody.status = 503
        crawl(tmp_path, [web.url("moody")], *QUICK)
        assert web.paths("moody") == []
        assert states(tmp_path) == {"": 5}
        moody.status = 200
        run = crawl(tmp_path, [web.url("moody")], *QUICK)
    assert run.returncode == 0
    assert web.paths("moody") == ["/", "/open"]
    assert states(tmp_path) == {"": 3, "open": 3, "shut": 5}


def test_the_last_good_file_holds_where_there_is_no_new_one(tmp_path: Path) -> None:
    moody = Moody()
    short = (*QUICK, "frontier.robots.cache:RobotsCache.lifetime=0.2")
    with hostile({"moody": moody}) as web:
        crawl(tmp_path, [web.url("moody")], *short, "CLOSESPIDER_PAGECOUNT=1")
        moody.status, moody.body = 503, ""
        time.sleep(0.3)  # the file is stale by then
        run = crawl(
            tmp_path,
            [web.url("moody")],
            *short,
            "frontier.plugin.robots:RETRIES=0",
        )
    assert run.stats["finish_reason"] == "finished"
    assert web.paths("moody") == ["/", "/open"]
    assert robots_asked(web, "moody") > 1
    assert states(tmp_path)["shut"] == 5


def test_hosts_whose_robots_txt_is_silent_hold_up_nobody(tmp_path: Path) -> None:
    pages = {f"/{n}": f"<p>page {n} of many</p>" for n in range(30)}
    pages["/"] = links(*pages)

    async def silent(ask: Ask) -> None:
        while len(ask.web.paths("quick")) < len(pages):
            await asyncio.sleep(0.02)
        await ask.reply("late", 404 if ask.path == "/robots.txt" else 200)

    cases = {f"silent {n}": silent for n in range(9)} | {"quick": site(pages)}
    with hostile(cases) as web:
        seeds = [web.url(case) for case in cases]
        settings = (
            "frontier.plugin.robots:TIMEOUT=600",
            "CONCURRENT_REQUESTS=4",
        )
        run = crawl(tmp_path, seeds, *QUICK, *settings)
    assert run.stats["frontier/pages"] == len(pages) + 9


def asked_with(folder: Path, more: str, *settings: str) -> list[str]:
    pages = {
        "/": links("/a"),
        "/a": links("/"),
        "/robots.txt": (200, {}, b"User-agent: probe\nDisallow: /a\nUser-agent: s\nDisallow: /"),
    }
    with serving(pages) as one:
        code = SPIDER.format(start=one.url + "/", more=more)
        run_spider(folder, code, "ROBOTSTXT_OBEY=1", "USER_AGENT=probe/1.0", *settings)
        return [asked.path for asked in one.asked]


def test_a_spider_keeps_to_the_rules_for_the_name_it_goes_by(tmp_path: Path) -> None:
    assert asked_with(tmp_path, "") == ["/robots.txt", "/"]


@pytest.mark.parametrize(
    ("more", "settings", "asked"),
    [
        ("", ["ROBOTSTXT_USER_AGENT=Other/2.0"], ["/robots.txt", "/", "/a", "/"]),
        ("", ["ROBOTSTXT_USER_AGENT=s"], ["/robots.txt"]),
        ("", ["USER_AGENT=Mozilla/5.0 (compatible; s/1.0)"], ["/robots.txt"]),
        ("", ["ROBOTSTXT_OBEY=0"], ["/", "/a", "/"]),
    ],
)
def test_scrapys_settings_of_robots_txt_hold(
    tmp_path: Path, more: str, settings: list[str], asked: list[str]
) -> None:
    assert asked_with(tmp_path, more, *settings) == asked


def test_a_request_may_be_exempted_as_in_scrapy(tmp_path: Path) -> None:
    code = """
    async def start(self):
        yield scrapy.Request(self.start_urls[0] + "a", meta={"dont_obey_robotstxt": True})
"""
    assert asked_with(tmp_path, code) == ["/a", "/robots.txt", "/"]


@pytest.mark.parametrize("addons", [ADDONS, "ADDONS={}"])
def test_a_robots_txt_behind_a_cookie_is_read_as_in_scrapy(tmp_path: Path, addons: str) -> None:
    def rules(asked: Asked) -> Page:
        if "seen=1" in asked.headers.get("cookie", ""):
            return 200, {}, b"User-agent: *\nDisallow: /shut"
        return 302, {"Location": "/robots.txt", "Set-Cookie": "seen=1; Path=/"}, b""

    with serving({"/": links("/shut", "/open"), "/open": "open", "/robots.txt": rules}) as one:
        code = SPIDER.format(start=one.url + "/", more="")
        run_spider(tmp_path, code, "ROBOTSTXT_OBEY=1", addons=addons)
        assert [asked.path for asked in one.asked] == ["/robots.txt", "/robots.txt", "/", "/open"]
