"""Known pages are revisited by real crawls: conditional requests, 304, changes, items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from frontier.export import export_crawl
from frontier.inspection import CrawlView
from frontier.recovery import check
from frontier.refresh.changes import past_revisits
from frontier.states import Change, State
from frontier.store.reader import StoreReader
from tests.support.changing_web import NOISES, ChangingWeb
from tests.support.scrapy_runs import WANDERER, Run, run_focused, run_spider
from tests.support.sites import Asked, Raw, Said, Site, serving
from tests.support.spiders_together import crawl_together
from tests.support.told import tells


def soon(answers: int, way: str = "auto") -> tuple[str, ...]:
    """Settings of a crawl that looks at every page after a second and ends after some answers."""
    least, most = "FRONTIER_REFRESH_MIN=1", "FRONTIER_REFRESH_MAX=1"
    return f"FRONTIER_REFRESH={way}", least, most, f"CLOSESPIDER_PAGECOUNT={answers}"


MENU = "<nav><a href=/>Start</a> <a href=/same>Same</a> <a href=/news>News</a></nav>"


def page(asked: Asked) -> Said:
    """A start page, one that never changes, one that always does, one that goes, one that moves."""
    if asked.path == "/":
        return f"<title>Start</title>{MENU}<p><a href=/gone>Gone</a> <a href=/moved>Moved</a>"
    if asked.path == "/same":
        if asked.headers.get("if-none-match") == '"1"':
            return 304, {"ETag": '"1"'}, b""
        return 200, {"Content-Type": "text/html", "ETag": '"1"'}, b"<p>As ever it was"
    if asked.path == "/news":
        return f"{MENU}<p>A story that never ends</p><p>Part {'i' * asked.count}</p>"
    if asked.path == "/gone":
        return f"{MENU}<p>Here today" if asked.count == 1 else None
    if asked.path == "/moved" and asked.count > 1:
        return 301, {"Location": "/there"}, b""
    return f"{MENU}<p>This is {asked.path}" if asked.path in ("/moved", "/there") else None


def revisits_of(job: Path) -> dict[str, Any]:
    with StoreReader.open(job) as reader:
        urls = {
            row.url_id: row.url for row in reader.fetch_urls(range(reader.count_urls())).values()
        }
        return {urlsplit(urls[revisit.url_id]).path: revisit for revisit in reader.revisits()}


def states_of(job: Path) -> dict[str, State]:
    with StoreReader.open(job) as reader:
        rows = reader.fetch_urls(range(reader.count_urls())).values()
        states = reader.load().states
        return {urlsplit(row.url).path: State(states[row.url_id]) for row in rows}


@dataclass
class Revisited:
    """A crawl that looked at pages again."""

    site: Site
    run: Run
    job: Path


@pytest.fixture(scope="module")
def revisited(tmp_path_factory: pytest.TempPathFactory) -> Revisited:
    folder = tmp_path_factory.mktemp("revisited")
    shown = "FRONTIER_PROGRESS=1", "FRONTIER_SUMMARY=1"
    with serving(page) as site:
        code = WANDERER.format(url=site.url)
        run = run_spider(folder, code, f"JOBDIR={folder / 'job'}", *soon(17), *shown)
    assert run.returncode == 0, run.log
    return Revisited(site, run, folder / "job")


def test_a_crawl_finds_out_what_changed_what_went_and_what_moved(revisited: Revisited) -> None:
    run, job = revisited.run, revisited.job
    revisits = revisits_of(job)
    assert {
        path: Change(revisits[path].result) for path in ("/same", "/news", "/gone", "/moved")
    } == {
        "/same": Change.UNCHANGED,
        "/news": Change.CHANGED,
        "/gone": Change.GONE,
        "/moved": Change.MOVED,
    }
    states = states_of(job)
    # Either may wait for its next revisit.
    assert states["/gone"] in (State.ERROR, State.QUEUED)
    assert states["/moved"] in (State.REDIRECTED, State.QUEUED)
    assert states["/there"] is State.CRAWLED
    assert run.stats["finish_reason"] == "closespider_pagecount"
    assert run.stats["frontier/refresh/revisits"] >= 6
    assert run.stats["frontier/refresh/not_modified"] >= 1
    asked = [
        one.headers.get("if-none-match") for one in revisited.site.asked if one.path == "/same"
    ]
    assert asked[:3] == [None, '"1"', None], "one answer of 304 is checked by a full fetch"


CALLBACKS = """
import scrapy

class Caller(scrapy.Spider):
    name = "caller"

    async def start(self):
        own = {{"X-Own": "1"}}
        yield scrapy.Request({url!r} + "/same", self.same, headers=own, cb_kwargs={{"word": "w"}})
        yield scrapy.Request({url!r} + "/news", self.news, errback=self.lost)
        yield scrapy.Request({url!r} + "/form", self.news, method="POST", body=b"x=1")

    def same(self, response, word):
        yield {{"same": word, "status": response.status}}

    def news(self, response):
        yield {{"news": response.url}}

    def lost(self, failure):
        yield {{"lost": str(failure)}}
"""


def test_a_page_is_asked_for_again_as_its_spider_asked_and_posts_are_not(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Said:
        return "<p>A form" if asked.path == "/form" else page(asked)

    with serving(answer) as site:
        run = run_spider(tmp_path, CALLBACKS.format(url=site.url), *soon(9))
    assert run.returncode == 0, run.log
    asked = [one for one in site.asked if one.path == "/same"]
    assert len(asked) >= 3
    assert {one.headers["x-own"] for one in asked} == {"1"}
    assert {one["status"] for one in run.items if "same" in one} == {200}, "304 is no callback's"
    assert {one["same"] for one in run.items if "same" in one} == {"w"}
    assert not [one for one in run.items if "lost" in one]
    assert sum("news" in one for one in run.items) > 2
    assert site.requests["POST /form x=1"] == 1


def test_a_crawl_that_does_not_refresh_ends_and_a_second_run_looks_at_what_it_fetched(
    tmp_path: Path,
) -> None:
    with serving(page) as site:
        code = WANDERER.format(url=site.url)
        first = run_spider(tmp_path, code, "JOBDIR=job")
        assert first.returncode == 0, first.log
        assert first.stats["finish_reason"] == "finished"
        assert max(site.requests.values()) == 1
        assert not any("if-none-match" in one.headers for one in site.asked)
        before = len(site.asked)
        again = run_spider(tmp_path, code, "JOBDIR=job", *soon(8, "sweep"))
    assert again.returncode == 0, again.log
    assert {one.path for one in site.asked[before:]} >= {"/", "/same", "/news", "/gone"}


def test_the_ready_made_crawl_writes_what_changed_into_its_items(tmp_path: Path) -> None:
    settings = [part for one in soon(16) for part in ("-s", one)]
    with serving(page) as site:
        seeds = f"seeds={site.url}/"
        run = run_focused(tmp_path, "-a", seeds, "-a", "topic=lighthouses", *settings)
    by_path: dict[str, list[Any]] = {}
    for item in run.items:
        by_path.setdefault(item["url"].rsplit("/", 1)[1], []).append(item)
    assert [one["change"] for one in by_path["news"]][:2] == ["new", "changed"]
    assert by_path["news"][1]["previous_fetch"] == by_path["news"][0]["fetched_at"]
    assert 0 < by_path["news"][1]["changed_share"] < 1
    assert [one["change"] for one in by_path["gone"]] == ["new", "gone"]
    assert [one["change"] for one in by_path["moved"]][:2] == ["new", "moved"]


def test_a_crawl_shows_both_halves_and_then_what_changed(
    revisited: Revisited, tmp_path: Path
) -> None:
    run, job = revisited.run, revisited.job
    assert tells(run.log, "pages", "new", "revisited", "changed")
    revisits = run.stats["frontier/refresh/revisits"]
    assert tells(run.stdout, "pages fetched", 6)
    assert tells(run.stdout, "revisited", f"{revisits:,}", "1 gone", "1 moved")
    with CrawlView.open(job) as view:
        report, stats = view.changes(), view.stats().refresh
    changed = {(one.change, urlsplit(one.url).path): one for one in report.changes}
    assert {path for change, path in changed if change == "new"} >= {"/same", "/there"}
    assert {path for change, path in changed if change == "changed"} == {"/news"}
    assert {path for change, path in changed if change == "gone"} == {"/gone"}
    assert changed["moved", "/moved"].moved_to == f"{revisited.site.url}/there"
    assert stats is not None
    assert (stats.revisits, stats.gone, stats.moved) == (revisits, 1, 1)
    assert check(job).intact
    assert export_crawl(job, "csv", tmp_path / "x.csv").nodes == 6


def test_beside_scrapys_http_cache_revisits_find_the_same(tmp_path: Path) -> None:
    policy = "HTTPCACHE_POLICY=scrapy.extensions.httpcache.RFC2616Policy"
    cache = "HTTPCACHE_ENABLED=1", f"HTTPCACHE_DIR={tmp_path / 'cache'}", policy
    with serving(page) as site:
        code = WANDERER.format(url=site.url)
        run = run_spider(tmp_path, code, "JOBDIR=job", *soon(17), *cache)
    assert run.returncode == 0, run.log
    revisits = revisits_of(tmp_path / "job")
    assert {path: Change(revisits[path].result) for path in ("/same", "/news", "/gone")} == {
        "/same": Change.UNCHANGED,
        "/news": Change.CHANGED,
        "/gone": Change.GONE,
    }
    assert run.stats["httpcache/revalidate"] >= 1


PAGES = {"/closed": 403, "/login": 401, "/notice": 302, "/huge": 200}
HOSTS = {"/gate": 500, "/busy": 503, "/many": 429, "/slow": 408, "/proxy": 502, "/hangs": 0}
FEW = "RETRY_TIMES=2", "DOWNLOAD_MAXSIZE=10000", "CLOSESPIDER_TIMEOUT=6"


def failing(bad: dict[str, int]) -> Callable[[Asked], Said]:
    """A start page, and others that are there once and fail from then on."""

    def answer(asked: Asked) -> Said:
        if asked.path == "/":
            return "".join(f"<a href={path}>x</a> " for path in bad)
        if asked.count == 1:
            return f"<p>This is {asked.path}"
        status = bad[asked.path]
        body = b"x" * 20_000 if status == 200 else b"<p>Odd"
        return (status, {"Location": "/notice-board"}, body) if status else Raw()

    return answer


def revisits_are_few(bad: dict[str, int], site: Site, job: Path) -> None:
    """Each revisit was retried at most twice, and followed by a pause of its page or its host."""
    asked = Counter(one.path for one in site.asked)
    revisits = revisits_of(job)
    failed = {
        path: sum(one.change is Change.FAILED for one in past_revisits(revisits[path].history))
        for path in bad
    }
    if bad is PAGES:
        assert all(1 <= failed[path] <= 6 for path in bad), "one a second is the most"
        assert failed["/closed"] <= 3, "each pause after an error is twice as long"
        assert all(asked[path] == 1 + failed[path] for path in bad)
        assert asked["/"] >= 3, "its host does not rest"
    else:
        assert max(failed.values()) == 1, "then its host rests"
        assert all(asked[path] == 1 + 3 * failed[path] for path in bad), "two retries"
    assert "/notice-board" not in asked


@pytest.mark.slow
@pytest.mark.parametrize("pace", [(), ("FRONTIER_BACKOFF=0.01",)])
@pytest.mark.parametrize("bad", [PAGES, HOSTS])
def test_a_revisit_that_fails_is_retried_as_often_as_any_page_and_then_left_alone(
    tmp_path: Path, bad: dict[str, int], pace: tuple[str, ...]
) -> None:
    with serving(failing(bad), keeps_alive=False) as site:
        code = WANDERER.format(url=site.url)
        run = run_spider(tmp_path, code, "JOBDIR=job", *soon(0), *FEW, *pace)
    assert run.returncode == 0, run.log
    revisits_are_few(bad, site, tmp_path / "job")


@pytest.mark.slow
@pytest.mark.parametrize("bad", [PAGES, HOSTS])
def test_revisits_that_fail_are_as_few_with_several_fetchers(
    tmp_path: Path, dsn: str, bad: dict[str, int]
) -> None:
    with serving(failing(bad), keeps_alive=False) as site:
        code = WANDERER.format(url=site.url)
        together = crawl_together(tmp_path / "all", dsn, code, *soon(0), *FEW, endless=True)
    assert together.reasons == {"closespider_timeout"}
    revisits_are_few(bad, site, together.job)


@pytest.mark.slow
def test_amid_noise_a_crawl_finds_what_truly_changed(tmp_path: Path) -> None:
    web = ChangingWeb(4, noises=NOISES, pages=6, rate=0.15)
    shown: dict[str, list[bool]] = {}
    unseen: set[int] = set()

    def changing(asked: Asked) -> Said:
        if asked.path == "/":
            return "".join(f"<a href=/page/{number}>x</a> " for number in range(len(web)))
        if not asked.path.startswith("/page/"):
            return None
        number = int(asked.path.rpartition("/")[2].partition("?")[0])
        if asked.count == 1:
            shown[asked.path] = [False]
        else:
            unseen.update(web.pass_time() if number == 0 else ())
            shown[asked.path].append(number in unseen)
            unseen.discard(number)
        return web.page(number)

    with serving(changing) as site:
        code = WANDERER.format(url=site.url)
        run = run_spider(tmp_path, code, "JOBDIR=job", *soon(100, "sweep"), "DEPTH_LIMIT=1")
    assert run.returncode == 0, run.log
    revisits = revisits_of(tmp_path / "job")
    found, true = set(), set()
    for path, changed in shown.items():
        past = past_revisits(revisits[path].history)
        found |= {(path, at) for at, one in enumerate(past) if one.change is Change.CHANGED}
        true |= {(path, at) for at, one in enumerate(changed[: len(past)]) if one}
    assert len(true) >= 5
    assert len(found & true) >= 0.9 * len(found)
    assert len(found & true) >= 0.95 * len(true)
