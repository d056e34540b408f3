"""Real crawls with FRONTIER_INDEX: what is in the index when they end, go on, or are killed."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import tantivy

from frontier.search.index import FOLDER, LINKED, PAGE, IndexedPage, SearchIndex
from frontier.search.updating import update
from frontier.states import State
from frontier.store import StoreReader
from tests.support.item_crawl import QUICKLY, ItemCrawl, until
from tests.support.kept import AT_ONCE, site_of
from tests.support.scrapy_forks import settings, shared_forks
from tests.support.scrapy_runs import WANDERER, Run, run_focused, run_guest, run_spider
from tests.support.sites import Asked, Said, redirect, serving, typed

ON = "FRONTIER_INDEX=1"
GUEST = """
    import scrapy

    class Guest(scrapy.Spider):
        name = "guest"

        async def start(self):
            yield scrapy.Request({url!r})

        def parse(self, response):
            if hasattr(response, "css"):
                for link in response.css("a::attr(href)").getall():
                    yield response.follow(link)
    """
LONG = "".join(
    f"<p>What the lighthouse keeper of number {n} wrote down at night" for n in range(40)
)
PAGES = {
    "/": "<title>Start</title>"
    + "".join(f"<a href={path}>to {path[1:]}</a> " for path in (
        "/lamp", "/twin", "/note", "/asked", "/header", "/missing", "/moved", "/picture"))
    + "<p>Harbours",
    "/lamp": f"<title>Lamp</title>{LONG}",
    "/twin": f"<title>Lamp</title>{LONG}",
    "/note": typed("text/plain", "a note on paraffin"),
    "/asked": "<meta name=robots content=noindex><title>Asked</title><a href=/deep>deeper</a>",
    "/header": typed("text/html", "<p>secret by header", **{"X-Robots-Tag": "noindex"}),
    "/deep": "<title>Deep</title><p>led to by a page that is not shown",
    "/moved": redirect("/deep"),
    "/picture": b"\x89PNG",
}  # fmt: skip


def indexed(job: Path) -> dict[str, IndexedPage]:
    """Pages of the index by their paths."""
    with SearchIndex.open(job) as index:
        return {urlsplit(one.url).path: one for one in index.pages(index.ids().tolist()).values()}


def found(job: Path, field: str, word: str) -> set[str]:
    """Paths of the pages that have a word in a field."""
    with SearchIndex.open(job) as index:
        says = tantivy.Query.term_query(index.schema, field, word, "freq")
        ids, _ = index.matches(says, LINKED if field == "links" else PAGE)
        return {urlsplit(one.url).path for one in index.pages(ids).values()}


def crawled(job: Path) -> set[str]:
    """Paths of what the store knows as pages."""
    with StoreReader.open(job) as reader:
        states = reader.load().states
        rows = reader.fetch_urls(range(reader.count_urls())).values()
        return {urlsplit(one.url).path for one in rows if states[one.url_id] == State.CRAWLED}


def guest(folder: Path, *more: str) -> Run:
    with serving(PAGES) as site:
        run = run_guest(folder, GUEST.format(url=site.url + "/"), f"JOBDIR={folder / 'job'}", *more)
    assert run.returncode == 0, run.log
    return run


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guest")
    guest(folder, ON)
    return folder / "job"


def test_the_index_of_a_guest_holds_exactly_the_pages_that_were_fetched(job: Path) -> None:
    pages = indexed(job)
    assert set(pages) == {"/", "/lamp", "/twin", "/note", "/deep", "/picture"}
    assert pages["/lamp"].title == "Lamp"
    assert "keeper of number 39" in pages["/lamp"].text
    assert pages["/note"].text == "a note on paraffin"
    assert found(job, "text", "harbour") == {"/"}


def test_what_a_page_asks_not_to_show_is_in_no_file_of_the_index(job: Path) -> None:
    assert found(job, "text", "secret") == set()
    assert not any(
        b"secret by header" in one.read_bytes() for one in job.rglob("*") if one.is_file()
    )


def test_link_texts_and_twins_are_there_when_the_crawl_ends(job: Path) -> None:
    assert found(job, "links", "pictur") == {"/picture"}
    with SearchIndex.open(job) as index:
        ids = {urlsplit(one.url).path: id_ for id_, one in index.pages(index.ids()).items()}
        twins = dict(zip(ids, index.numbers(list(ids.values()))[2].tolist(), strict=True))
    named = {path: twin for path, twin in twins.items() if twin == twin}
    assert named in ({"/lamp": ids["/twin"]}, {"/twin": ids["/lamp"]})


def test_without_the_setting_there_is_no_file(tmp_path: Path) -> None:
    guest(tmp_path)
    assert not list((tmp_path / "job").glob("search*"))


def test_a_focused_crawl_is_indexed(tmp_path: Path) -> None:
    with serving(PAGES) as site:
        given = f"-a seeds={site.url}/ -a topic=lighthouse -s JOBDIR={tmp_path / 'job'}"
        run = run_focused(tmp_path, *given.split(), "-s", ON)
    assert run.returncode == 0, run.log
    assert set(indexed(tmp_path / "job")) == crawled(tmp_path / "job") - {"/asked", "/header"}


def changing(asked: Asked) -> Said:
    """A start page, one that changes, one that goes, one that asks not to be shown later on."""
    if asked.path == "/":
        return "<title>Start</title><a href=/news>News</a> <a href=/gone>Gone</a> <a href=/shy>x"
    if asked.path == "/news":
        return f"<p>A story that never ends</p><p>{'first' if asked.count == 1 else 'later'}"
    if asked.path == "/gone":
        return "<p>Here today" if asked.count == 1 else None
    if asked.path == "/shy":
        asks = "<meta name=robots content=noindex>" if asked.count > 1 else ""
        return f"{asks}<p>Seen once {asked.count}"
    return None


def test_what_changed_is_updated_and_what_went_or_asks_for_it_is_removed(tmp_path: Path) -> None:
    job = tmp_path / "job"
    revisits = "FRONTIER_REFRESH=auto", "FRONTIER_REFRESH_MIN=1", "FRONTIER_REFRESH_MAX=1"
    with serving(changing) as site:
        code = WANDERER.format(url=site.url + "/")
        run = run_spider(tmp_path, code, f"JOBDIR={job}", ON, *revisits, "CLOSESPIDER_PAGECOUNT=16")
    assert run.returncode == 0, run.log
    assert set(indexed(job)) == {"/", "/news"}
    assert (found(job, "text", "later"), found(job, "text", "first")) == ({"/news"}, set())


# -- killed -----------------------------------------------------------------------------------


MANY = 150


def test_killed_at_any_time_every_page_is_in_the_index_or_waits_for_it(tmp_path: Path) -> None:
    with serving(site_of(MANY)) as site:
        crawl = ItemCrawl(shared_forks(), site, tmp_path / "crawl", wait=QUICKLY)
        crawl.more = tuple(settings(FRONTIER_INDEX=1))
        for asked in (30, 110):
            process = crawl.start()
            until(lambda most=asked: len(site.paths) >= most)
            process.send(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL, crawl.log
        fetched = crawled(crawl.job)
        assert 0 < len(fetched) < MANY
        update(crawl.job, None)  # scrapy frontier index
        pages = set(indexed(crawl.job))
        assert pages >= fetched
        assert len(pages) <= len(fetched) + AT_ONCE, "those whose items are on their way"
        crawl.finish()
        assert set(indexed(crawl.job)) == crawled(crawl.job) == {f"/{n}" for n in range(MANY)}


def test_looking_at_the_store_all_the_time_removes_no_page_and_a_killed_crawl_goes_on(
    tmp_path: Path,
) -> None:
    with serving(site_of(MANY)) as site:
        crawl = ItemCrawl(shared_forks(), site, tmp_path / "crawl", wait=QUICKLY)
        often = {"frontier.plugin.extensions.indexing:_SYNC": 0.01}
        often |= {"frontier.plugin.extensions.indexing:_REST": 0.0}
        crawl.more = tuple(settings(FRONTIER_INDEX=1, **often))
        process = crawl.start()
        until(lambda: len(site.paths) >= 40)
        process.send(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, crawl.log
        crawl.finish()
        assert set(indexed(crawl.job)) == {f"/{n}" for n in range(MANY)}
        assert max(site.requests.values()) <= 2


def test_texts_that_were_kept_before_are_indexed_when_it_is_switched_on(tmp_path: Path) -> None:
    job = tmp_path / "job"
    with serving(PAGES) as site:
        code = GUEST.format(url=site.url + "/")
        run = run_guest(tmp_path, code, f"JOBDIR={job}", "FRONTIER_TEXT=all")
        assert run.returncode == 0, run.log
        report = update(job, None)
        assert (report.changed, report.pages) == (6, 6)
        assert set(indexed(job)) == {"/", "/lamp", "/twin", "/note", "/deep", "/picture"}
        assert update(job, None).changed == 0
        shutil.rmtree(job / FOLDER)
        run = run_guest(tmp_path, code, f"JOBDIR={job}", ON)
        assert run.returncode == 0, run.log
    assert found(job, "text", "harbour") == {"/"}
    assert set(indexed(job)) == {"/", "/lamp", "/twin", "/note", "/deep", "/picture"}


# -- refused, and broken ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((), "FRONTIER_INDEX needs a JOBDIR"),
        (("JOBDIR=job", "FRONTIER_EXCHANGE=postgresql://127.0.0.1/none"), "for a crawl of one"),
    ],
)
def test_an_index_that_cannot_be_kept_is_refused(
    tmp_path: Path, given: tuple[str, ...], says: str
) -> None:
    run = run_guest(tmp_path, GUEST.format(url="http://127.0.0.1:9/"), ON, *given)
    assert run.returncode == 1
    assert run.log.count(says) == 1


def test_a_crawl_goes_on_without_its_index_and_its_pages_wait(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / FOLDER).write_text("no index" * 1000)
    run = guest(tmp_path, ON)
    assert run.log.count("Pages are not indexed any more") == 1
    (tmp_path / "job" / FOLDER).unlink()
    update(tmp_path / "job", None)
    assert set(indexed(tmp_path / "job")) == {"/", "/lamp", "/twin", "/note", "/deep", "/picture"}
