"""FRONTIER_RENDER=auto: a browser where it pays, links of JSON without one, reasons for both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frontier.states import Mark, State
from tests.frontier.plugin.render.test_pages import DIRECT, crawl
from tests.support.browser import needs_browser, needs_playwright
from tests.support.hostile import hostile, site
from tests.support.scrapy_runs import scrapy

pytestmark = [pytest.mark.slow, needs_browser, needs_playwright]

WORDS = "word " * 150
SHELL = "<html><body><div id=root></div><script src=/app.js></script></body></html>"
SCRIPT = """
fetch("/data.json").then((found) => found.json()).then((links) => {
  document.getElementById("root").innerHTML = "<p>Shown by a script</p>" +
    links.map((to) => `<a href="${to}">to ${to}</a>`).join("");
});
"""
ITEMS = [{"href": f"/item{number}", "title": "An item"} for number in range(9)]
STATE = {"items": ITEMS, "body": WORDS}
IN_STATE = (
    f"<html><body><div id=root></div><script>window.STATE = {json.dumps(STATE)}</script>"
    "<script src=/state.js></script></body></html>"
)


def whole(links: list[str]) -> str:
    listed = "".join(f"<a href={to}>to {to}</a>" for to in links)
    return f"<html><body><p>{WORDS}{links}</p>{listed}<script src=/app.js></script></body></html>"


PAGES: dict[str, str | bytes] = {
    "/": whole(["/shell", "/state", *(f"/whole{number}" for number in range(6))]),
    "/shell": SHELL,
    "/state": IN_STATE,
    "/app.js": SCRIPT,
    "/state.js": "",
    "/data.json": json.dumps([f"/found{number}" for number in range(6)]),
    **{f"/whole{number}": whole([f"/w{number}{at}" for at in range(6)]) for number in range(6)},
}


def test_pages_that_would_gain_are_shown_and_others_are_not(tmp_path: Path) -> None:
    with hostile({"app": site(PAGES)}) as web:
        found = crawl(tmp_path, web, "FRONTIER_RENDER=auto")
        explained = scrapy("frontier", "explain", "job", web.url("app", "/shell"), cwd=tmp_path)
        listed = scrapy("frontier", "url", "job", web.url("app", "/shell"), cwd=tmp_path)
    assert found.run.returncode == 0, found.run.log
    rendered = {path for path, page in found.pages.items() if (page["marks"] or 0) & Mark.RENDERED}
    assert rendered == {"/shell"}
    assert {f"/found{number}" for number in range(6)} <= set(found.pages)
    assert {f"/item{number}" for number in range(9)} <= set(found.pages)
    stats = {name: found.run.stats.get(f"frontier/render/{name}") for name in ("pages", "links")}
    assert stats == {"pages": 1, "links": 6}
    assert found.run.stats["frontier/render/from_json"] == 1
    assert "6 links and 16 words more" in explained.stdout, explained
    assert "rendered" in listed.stdout


def test_a_web_that_needs_no_browser_starts_none(tmp_path: Path) -> None:
    pages = {path: page for path, page in PAGES.items() if path not in ("/shell", "/state")}
    with hostile({"app": site(pages)}) as web:
        found = crawl(tmp_path, web, "FRONTIER_RENDER=auto")
    assert "frontier/render/browsers" not in found.run.stats


def test_without_a_browser_pages_are_used_as_they_are_and_one_line_says_so(tmp_path: Path) -> None:
    links = [f"/shell{number}" for number in range(3)]
    pages: dict[str, str | bytes] = {"/": whole(links), **dict.fromkeys(links, SHELL)}
    nowhere = json.dumps({"executable_path": "/nowhere/chromium"})
    with hostile({"app": site(pages)}) as web:
        setting = f"PLAYWRIGHT_LAUNCH_OPTIONS={nowhere}"
        found = crawl(tmp_path, web, "FRONTIER_RENDER=auto", setting)
    assert found.run.returncode == 0
    assert [found.pages[path]["state"] for path in links] == [State.CRAWLED] * 3
    assert found.run.log.count("apt-get install chromium") == 1


def test_a_shown_page_is_shown_again_only_when_its_document_has_changed(tmp_path: Path) -> None:
    pages = {"/": SHELL, "/app.js": SCRIPT, "/data.json": "[]"}
    settings = ("FRONTIER_RENDER=all", "FRONTIER_REFRESH=sweep", "FRONTIER_REFRESH_MIN=1")
    with hostile({"app": site({})}) as web:
        web.cases["app"] = site(pages)
        first = crawl(tmp_path, web, *settings, "CLOSESPIDER_PAGECOUNT=3")
        shown = web.paths("app").count("/app.js")
        web.cases["app"] = site({**pages, "/": SHELL.replace("root>", "root class=new>")})
        crawl(tmp_path, web, *settings, "CLOSESPIDER_PAGECOUNT=1")
    assert first.run.stats["frontier/render/pages"] == shown == 1, first.run.log
    assert first.run.stats["frontier/render/unchanged"] >= 1
    assert web.paths("app").count("/app.js") == 2


def test_a_resumed_crawl_knows_what_a_browser_brought(tmp_path: Path) -> None:
    assert DIRECT  # the same options in both runs
    links = [f"/shell{number}" for number in range(8)]
    pages: dict[str, str | bytes] = {"/": whole(links), **dict.fromkeys(links, SHELL)}
    pages |= {"/app.js": SCRIPT, "/data.json": "[]"}
    with hostile({"app": site(pages)}) as web:
        crawl(tmp_path, web, "FRONTIER_RENDER=auto", "CLOSESPIDER_PAGECOUNT=4")
        found = crawl(tmp_path, web, "FRONTIER_RENDER=auto")
    assert found.run.returncode == 0, found.run.log
    assert all(found.pages[path]["state"] == State.CRAWLED for path in links)
