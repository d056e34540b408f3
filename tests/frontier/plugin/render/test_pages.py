"""Pages that need a browser: shown in one, within bounds; with `auto` those that would gain."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from frontier.states import Mark, State
from tests.support.browser import BROWSER, needs_browser, needs_playwright
from tests.support.hostile import ALLOWED, FORBIDDEN, HostileWeb, hostile, site
from tests.support.scrapy_runs import WANDERER, Run, run_spider, scrapy

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


class Shown(NamedTuple):
    web: HostileWeb
    run: Run
    pages: dict[str, sqlite3.Row]


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
    with closing(sqlite3.connect(folder / "job" / "frontier.sqlite")) as stored:
        stored.row_factory = sqlite3.Row
        rows = stored.execute(
            "SELECT url, coalesce(state, 1) AS state, coalesce(marks, 0) AS marks "
            "FROM urls LEFT JOIN pages ON pages.id = urls.id"
        ).fetchall()
    return Shown(web, run, {row["url"].partition(str(web.port))[2]: row for row in rows})


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    with hostile({"app": site({})}) as web:
        web.cases["app"] = site(web_of_scripts(web))
        folder = tmp_path_factory.mktemp("shown")
        return crawl(folder, web, "FRONTIER_RENDER=all", "ROBOTSTXT_OBEY=1", "REDIRECT_MAX_TIMES=5")


@pytest.mark.parametrize(
    ("path", "state", "marks"),
    [
        *((path, State.CRAWLED, Mark.RENDERED) for path in ("/rude", "/restless", "/greedy")),
        ("/arrived", State.CRAWLED, Mark.RENDERED),
        ("/leaves", State.REDIRECTED, 0),
        ("/secret", State.ROBOTS, 0),
        ("/loop", State.CRAWLED, 0),
        ("/huge", State.CRAWLED, Mark.RENDERED | Mark.TRUNCATED),
        ("/in-shadow", State.ERROR, 0),
    ],
)
def test_every_page_ends_shown_or_as_it_was_downloaded_or_where_its_scripts_lead(
    path: str, state: State, marks: int, shown: Shown
) -> None:
    assert shown.run.returncode == 0, shown.run.log
    assert (shown.pages[path]["state"], shown.pages[path]["marks"]) == (state, marks)


def test_documents_are_asked_for_once_and_what_is_no_part_of_a_page_never(shown: Shown) -> None:
    as_links = dict.fromkeys(("/frame", "/file.zip"), 1)
    never = dict.fromkeys(("/secret", "/picture.png", "/popup", "/worker.js"), 0)
    expected = {"/": 1, "/rude": 1, "/shadow": 1, "/reloads": 2, **as_links, **never}
    assert {path: shown.web.paths("app").count(path) for path in expected} == expected
    assert shown.web.trespassed == []


def test_endless_redirects_and_endless_requests_end(shown: Shown) -> None:
    paths = {path for path in shown.web.paths("app") if path.startswith(("/circle", "/many"))}
    assert 1 < sum(path.startswith("/circle") for path in paths) < 10
    assert len(paths) < 160


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
    assert found.run.stats["frontier/render/browsers"] == 3


CHOOSING = WANDERER.replace("Request({url!r})", 'Request({url!r}, meta={{"playwright": False}})')


def test_a_project_says_itself_which_of_its_requests_a_browser_shows(tmp_path: Path) -> None:
    with hostile({"app": site({"/": APP})}) as web:
        found = crawl(tmp_path, web, "FRONTIER_RENDER=all", code=CHOOSING)
    assert web.paths("app") == ["/"], found.run.log


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"executable_path": "/nowhere/chromium"}, "apt-get install chromium"),
        ({"executable_path": "/bin/false"}, "does not start"),
        ({"chromium_sandbox": True}, "'chromium_sandbox': False"),
    ],
)
@pytest.mark.parametrize(("way", "state"), [("all", State.QUEUED), ("auto", State.CRAWLED)])
def test_without_a_browser_one_line_says_what_to_do_and_no_url_is_lost(
    options: dict[str, object], remedy: str, way: str, state: State, tmp_path: Path
) -> None:
    with hostile({"app": site({"/": APP})}) as web:
        setting = f"PLAYWRIGHT_LAUNCH_OPTIONS={json.dumps(options)}"
        found = crawl(tmp_path, web, f"FRONTIER_RENDER={way}", setting)
    if "frontier/render/pages" in found.run.stats:
        pytest.skip("the sandbox is allowed here")
    assert (found.run.returncode, found.run.log.count(remedy)) == (int(way == "all"), 1)
    assert found.pages["/"]["state"] == state


WORDS = "word " * 150
ITEMS = [{"href": f"/item{number}", "title": "An item"} for number in range(9)]


def whole(*links: str) -> str:
    listed = "".join(f"<a href={to}>to {to}</a>" for to in (*links, *"abcdef"))
    return f"<html><body><p>{WORDS}{links}</p>{listed}<script src=/app.js></script></body></html>"


def test_auto_shows_pages_that_would_gain_and_says_why(tmp_path: Path) -> None:
    state = json.dumps({"items": ITEMS, "body": WORDS})
    pages: dict[str, str | bytes] = {
        "/": whole("/shell", "/state", "/whole"),
        "/whole": whole("/other"),
        "/shell": APP,
        "/state": f"{APP}<script>window.STATE = {state}</script>",
        "/app.js": SCRIPT,
        "/data.json?/shell": json.dumps([f"/found{number}" for number in range(6)]),
    }
    with hostile({"app": site(pages)}) as web:
        found = crawl(tmp_path, web, "FRONTIER_RENDER=auto")
    explained = scrapy("frontier", "explain", "job", web.url("app", "/shell"), cwd=tmp_path)
    assert {path for path, page in found.pages.items() if page["marks"] & Mark.RENDERED} == {
        "/shell"
    }
    assert {"/found0", "/found5", *(item["href"] for item in ITEMS)} <= set(found.pages)
    names = ("pages", "links", "from_json")
    assert [found.run.stats[f"frontier/render/{name}"] for name in names] == [1, 6, 1]
    assert "6 links and" in explained.stdout


def test_a_shown_page_is_shown_again_only_when_its_document_has_changed(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {"/": APP, "/app.js": SCRIPT, "/data.json?/": "[]"}
    settings = ("FRONTIER_RENDER=all", "FRONTIER_REFRESH=sweep", "FRONTIER_REFRESH_MIN=1")
    with hostile({"app": site(pages)}) as web:
        first = crawl(tmp_path, web, *settings, "CLOSESPIDER_PAGECOUNT=6")
        pages["/"] = APP.replace("root>", "root class=new>")
        crawl(tmp_path, web, *settings, "CLOSESPIDER_PAGECOUNT=1")
    assert first.run.stats["frontier/render/pages"] == 1, first.run.log
    assert first.run.stats["frontier/render/unchanged"] >= 1
    assert web.paths("app").count("/app.js") == 2


@pytest.mark.parametrize(("limits", "started"), [({"pages": 2}, 3), ({"most_bytes": 1}, 5)])
def test_a_browser_is_replaced_after_some_pages_or_when_it_has_grown(
    limits: dict[str, int], started: int
) -> None:
    from frontier.plugin.render import browser, tab

    starts: list[None] = []
    options = {"executable_path": BROWSER, "chromium_sandbox": False}
    body = b"<p id=a></p><script>a.append('shown')</script>"
    document = tab.Document("http://app.test/", 200, {"content-type": "text/html"}, body, "me")

    async def show() -> list[tab.Rendered]:
        browsers = browser.Browsers(
            partial(browser.launched, options), partial(starts.append, None), **limits
        )
        pages = [await browsers.show(document) for _ in range(5)]
        await browsers.close()
        return pages

    assert ["shown</p>" in page.html for page in asyncio.run(show())] == [True] * 5
    assert len(starts) == started
