"""Pages that need a browser: shown in one, within bounds, and nothing else of the crawl changes."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from frontier.states import Mark, State
from tests.support.browser import needs_browser, needs_playwright
from tests.support.hostile import ALLOWED, FORBIDDEN, HostileWeb, hostile, site
from tests.support.scrapy_runs import WANDERER, Run, run_spider

pytestmark = [pytest.mark.slow, needs_browser, needs_playwright]

APP = "<html><head><title>App</title><script src=/app.js></script></head><body><div id=root></div>"
SCRIPT = """
window.addEventListener("DOMContentLoaded", async () => {
  const bad = "http://FORBIDDEN:PORT", path = location.pathname;
  for (const url of [bad + "/fetch", "http://private.test:PORT/named"])
    fetch(url, {mode: "no-cors"}).catch(() => {});
  try { new WebSocket("ws://FORBIDDEN:PORT/socket"); } catch (e) {}
  try { await navigator.serviceWorker.register("/worker.js"); } catch (e) {}
  new Image().src = "/picture.png";
  document.body.append(Object.assign(document.createElement("iframe"), {src: "/frame"}));
  const links = await (await fetch("/data.json?" + path)).json();
  document.getElementById("root").innerHTML =
    `<p>Shown by a script: ${path}</p>` + links.map((to) => `<a href="${to}">${to}</a>`).join("");
  if (path === "/rude") {
    alert("stay"); window.open("/popup"); confirm("stay?");
    document.body.append(Object.assign(document.createElement("iframe"), {src: "/file.zip"}));
  }
  if (path === "/leaves") location.href = "/arrived";
  if (path === "/forbidden-next") location.href = "/secret";
  if (path.startsWith("/circle")) location.href = "/circle" + (Number(path.slice(7)) + 1);
  if (path === "/reloads") location.reload();
  if (path === "/restless") setInterval(() => document.body.append("x"), 50);
  if (path === "/greedy") for (let at = 0; at < 400; at++) fetch("/many?" + at);
});
"""
LOOP = "<p>What stands in the document</p><script>while (true) {}</script>"
SHADOW = """<my-part></my-part><script>
customElements.define("my-part", class extends HTMLElement { constructor() { super();
  this.attachShadow({mode: "open"}).innerHTML = "<p>Shadow</p><a href=/in-shadow>s</a>"; } });
</script>"""
PATHS = (
    *("/rude", "/leaves", "/forbidden-next", "/circle1", "/reloads", "/restless", "/greedy"),
    *("/loop", "/shadow", "/huge"),
)
HUGE = "<p>grows</p><script>document.body.append('x '.repeat(3e6))</script>"
DIRECT = json.dumps({"chromium_sandbox": False})


@dataclass
class Shown:
    web: HostileWeb
    run: Run
    pages: dict[str, dict[str, Any]]


def web_of_scripts(web: HostileWeb) -> dict[str, str | bytes]:
    script = SCRIPT.replace("FORBIDDEN", FORBIDDEN).replace("PORT", str(web.port))
    pages: dict[str, str | bytes] = dict.fromkeys(("/", *PATHS), APP)
    pages |= {f"/circle{number}": APP for number in range(2, 60)}
    pages |= {f"/data.json?{path}": "[]" for path in pages}
    pages |= {"/loop": LOOP, "/shadow": SHADOW, "/huge": HUGE, "/app.js": script}
    pages |= {"/data.json?/": json.dumps(PATHS), "/robots.txt": "User-agent: *\nDisallow: /secret"}
    return pages | {"/arrived": "<p>Arrived</p>", "/secret": "<p>Secret</p>"}


def crawl(folder: Path, web: HostileWeb, *settings: str, code: str = WANDERER) -> Shown:
    run = run_spider(
        folder,
        code.format(url=web.url("app")),
        f"FRONTIER_ALLOW_NETWORKS={ALLOWED}",
        "DNS_RESOLVER=tests.support.fake_dns.Resolver",
        f"PLAYWRIGHT_LAUNCH_OPTIONS={DIRECT}",
        f"JOBDIR={folder / 'job'}",
        "FRONTIER_DUPLICATE_SIMILARITY=1",
        *settings,
        concurrency=4,
    )
    with sqlite3.connect(folder / "job" / "frontier.sqlite") as stored:
        stored.row_factory = sqlite3.Row
        rows = stored.execute(
            "SELECT url, coalesce(state, 1) AS state, marks, length, title "
            "FROM urls LEFT JOIN pages ON pages.id = urls.id"
        ).fetchall()
    stored.close()
    return Shown(web, run, {row["url"].partition(str(web.port))[2]: dict(row) for row in rows})


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    with hostile({"app": site({})}) as web:
        web.cases["app"] = site(web_of_scripts(web))
        folder = tmp_path_factory.mktemp("shown")
        return crawl(folder, web, "FRONTIER_RENDER=all", "ROBOTSTXT_OBEY=1", "REDIRECT_MAX_TIMES=5")


def test_text_and_links_are_those_that_scripts_make(shown: Shown) -> None:
    assert shown.run.returncode == 0, shown.run.log
    assert set(PATHS) <= set(shown.pages)
    assert shown.pages["/rude"]["length"] == len("App Shown by a script: /rude") - len("App ")
    assert shown.pages["/rude"]["marks"] & Mark.RENDERED
    assert "/in-shadow" in shown.pages


def test_a_document_is_asked_for_once_whoever_shows_it(shown: Shown) -> None:
    paths = shown.web.paths("app")
    assert [paths.count(path) for path in ("/", "/rude", "/shadow", "/restless")] == [1] * 4
    assert paths.count("/reloads") == 2


def test_no_script_reaches_a_private_address(shown: Shown) -> None:
    assert shown.web.trespassed == []


def test_pictures_frames_popups_downloads_and_workers_are_not_asked_for(shown: Shown) -> None:
    paths = shown.web.paths("app")
    assert not {"/picture.png", "/popup", "/worker.js"} & set(paths)
    assert [paths.count(path) for path in ("/frame", "/file.zip")] == [1, 1]  # as links, once


def test_an_address_that_scripts_lead_to_is_a_redirect_that_obeys_robots_txt(shown: Shown) -> None:
    assert shown.pages["/leaves"]["state"] == State.REDIRECTED
    assert shown.pages["/arrived"]["state"] == State.CRAWLED
    assert shown.pages["/secret"]["state"] == State.ROBOTS
    assert "/secret" not in shown.web.paths("app")


def test_endless_redirects_and_pages_without_rest_end(shown: Shown) -> None:
    circles = [path for path in shown.web.paths("app") if path.startswith("/circle")]
    assert 1 < len(circles) < 10
    assert shown.pages["/restless"]["marks"] & Mark.RENDERED
    many = [path for path in shown.web.paths("app") if path.startswith("/many")]
    assert 0 < max(map(many.count, many)) <= 3  # browsers
    assert len(set(many)) <= 150


def test_a_page_that_computes_without_end_counts_as_downloaded(shown: Shown) -> None:
    assert shown.pages["/loop"]["state"] == State.CRAWLED
    assert not shown.pages["/loop"]["marks"] & Mark.RENDERED
    assert shown.run.stats["frontier/render/failed"] >= 1


def test_of_a_page_that_grows_beyond_the_limit_the_beginning_is_read(shown: Shown) -> None:
    assert shown.pages["/huge"]["marks"] & Mark.TRUNCATED


KILLER = """
import os, signal
from pathlib import Path
import scrapy
from frontier.plugin import Links, page_of

def below(process):
    for task in Path(f"/proc/{{process}}/task").glob("*/children"):
        for child in task.read_text().split():
            yield int(child)
            yield from below(child)

class Killer(scrapy.Spider):
    name = "killer"
    killed = 0

    async def start(self):
        yield scrapy.Request({url!r})

    def parse(self, response):
        if self.killed < 2:
            self.killed += 1
            for process in list(below(os.getpid())):
                if "chrom" in Path(f"/proc/{{process}}/comm").read_text():
                    os.kill(process, signal.SIGKILL)
        yield Links(page_of(response, self.crawler).content.links)
"""


def test_a_browser_that_is_killed_is_replaced_and_no_page_is_lost(tmp_path: Path) -> None:
    links = [f"/page{number}" for number in range(12)]
    with hostile({"app": site({})}) as web:
        pages: dict[str, str | bytes] = dict.fromkeys(("/", *links), APP)
        pages |= {f"/data.json?{path}": "[]" for path in pages} | {"/app.js": SCRIPT}
        web.cases["app"] = site(pages | {"/data.json?/": json.dumps(links)})
        found = crawl(tmp_path, web, "FRONTIER_RENDER=all", code=KILLER)
    assert found.run.returncode == 0, found.run.log
    assert all(found.pages[path]["marks"] & Mark.RENDERED for path in ("/", *links))
    assert found.run.stats["frontier/render/pages"] == 13
    assert found.run.stats["frontier/render/browsers"] == 3


CHOOSING = WANDERER.replace("Request({url!r})", 'Request({url!r}, meta={{"playwright": False}})')


def test_a_project_says_itself_which_of_its_requests_a_browser_shows(tmp_path: Path) -> None:
    with hostile({"app": site({"/": APP})}) as web:
        found = crawl(tmp_path, web, "FRONTIER_RENDER=all", code=CHOOSING)
    assert "/app.js" not in web.paths("app")
    assert "frontier/render/pages" not in found.run.stats


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"executable_path": "/nowhere/chromium"}, "apt-get install chromium"),
        ({"executable_path": "/bin/false"}, "does not start"),
        ({"chromium_sandbox": True}, "'chromium_sandbox': False"),
    ],
)
def test_without_a_browser_a_crawl_ends_with_what_to_do_and_keeps_its_urls(
    options: dict[str, object], remedy: str, tmp_path: Path
) -> None:
    with hostile({"app": site({"/": APP})}) as web:
        setting = f"PLAYWRIGHT_LAUNCH_OPTIONS={json.dumps(options)}"
        found = crawl(tmp_path, web, "FRONTIER_RENDER=all", setting)
    if "frontier/render/pages" in found.run.stats:
        pytest.skip("the sandbox is allowed here")
    assert found.run.returncode == 1
    assert remedy in found.run.log
    assert "Traceback" not in found.run.log
    assert found.pages["/"]["state"] == State.QUEUED
