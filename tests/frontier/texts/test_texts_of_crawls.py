"""Real crawls with FRONTIER_TEXT: what is kept when they end, revisit pages, or are killed."""

from __future__ import annotations

import signal
from pathlib import Path
from urllib.parse import urlsplit

from frontier.states import State
from frontier.store import StoreReader
from frontier.texts import StoredText, TextReader
from frontier.texts.file import FILE_NAME
from tests.support.item_crawl import QUICKLY, ItemCrawl, until
from tests.support.kept import AT_ONCE, site_of
from tests.support.scrapy_forks import settings, shared_forks
from tests.support.scrapy_runs import WANDERER, run_spider
from tests.support.sites import Asked, Said, redirect, serving, typed

ON = "FRONTIER_TEXT=all"
MANY = 150
PAGES = {
    "/": "<title>Start</title><p>Harbours and "
    + "".join(f"<a href={path}>{path}</a> " for path in (
        "/note", "/asked", "/header", "/missing", "/moved", "/picture")),
    "/note": typed("text/plain", "a note on paraffin"),
    "/asked": "<meta name=robots content=noindex><title>Asked</title><a href=/deep>deeper</a>",
    "/header": typed("text/html", "<p>secret by header", **{"X-Robots-Tag": "noindex"}),
    "/deep": "<title>Deep</title><p>led to by a page that is not shown",
    "/moved": redirect("/deep"),
    "/picture": b"\x89PNG",
}  # fmt: skip


def texts(job: Path) -> dict[str, StoredText]:
    """The texts of pages by path, each of the body that the store knows; no other page has any."""
    reader = TextReader.open(job)
    assert reader is not None
    with reader, StoreReader.open(job) as store:
        given = reader.texts_of(range(store.count_urls()))
        for url_id, (hash_, _) in given.items():
            row = store.page_row(url_id)
            assert row is not None
            assert (row.state, row.hash) == (State.CRAWLED, hash_)
        urls = store.fetch_urls(given)
        return {urlsplit(urls[url_id].url).path: text for url_id, (_, text) in given.items()}


def crawled(job: Path) -> set[str]:
    """Paths of what the store knows as pages."""
    with StoreReader.open(job) as reader:
        states = reader.load().states
        rows = reader.fetch_urls(range(reader.count_urls())).values()
        return {urlsplit(one.url).path for one in rows if states[one.url_id] == State.CRAWLED}


def test_a_guest_keeps_the_texts_of_the_pages_that_may_be_shown(tmp_path: Path) -> None:
    with serving(PAGES) as site:
        code = WANDERER.format(url=site.url + "/")
        run = run_spider(tmp_path, code, f"JOBDIR={tmp_path / 'job'}", ON)
    assert run.returncode == 0, run.log
    kept = texts(tmp_path / "job")
    assert set(kept) == {"/", "/note", "/deep", "/picture"}
    assert kept["/note"] == StoredText("", "a note on paraffin")
    assert kept["/deep"] == StoredText("Deep", "led to by a page that is not shown")
    assert b"secret by header" not in (tmp_path / "job" / FILE_NAME).read_bytes()
    assert run.stats["frontier/texts/kept"] == 4
    assert run.stats["frontier/texts/bytes"] > 0


def test_without_the_setting_there_is_no_file_and_without_a_job_none_either(tmp_path: Path) -> None:
    with serving(PAGES) as site:
        code = WANDERER.format(url=site.url + "/")
        for given in ((f"JOBDIR={tmp_path / 'job'}",), (ON,)):
            run = run_spider(tmp_path, code, *given)
            assert run.returncode == 0, run.log
            assert "frontier/texts/kept" not in run.stats
    assert not list(tmp_path.rglob(FILE_NAME))


def changing(asked: Asked) -> Said:
    """A page that stays, one that changes, one that goes, one that asks not to be shown later."""
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


def test_a_revisit_that_finds_nothing_new_writes_no_text(tmp_path: Path) -> None:
    job = tmp_path / "job"
    revisits = "FRONTIER_REFRESH=auto", "FRONTIER_REFRESH_MIN=1", "FRONTIER_REFRESH_MAX=1"
    with serving(changing) as site:
        code = WANDERER.format(url=site.url + "/")
        run = run_spider(tmp_path, code, f"JOBDIR={job}", ON, *revisits, "CLOSESPIDER_PAGECOUNT=16")
    assert run.returncode == 0, run.log
    assert {path: text.text for path, text in texts(job).items()} == {
        "/": "News Gone x",
        "/news": "A story that never ends later",
    }
    assert run.stats["frontier/texts/kept"] == 5, "four first versions, and that of the news"


def test_killed_at_any_time_each_page_has_its_text_and_the_crawl_goes_on(tmp_path: Path) -> None:
    with serving(site_of(MANY)) as site:
        crawl = ItemCrawl(shared_forks(), site, tmp_path / "crawl", wait=QUICKLY)
        crawl.more = tuple(settings(FRONTIER_TEXT="all"))
        for asked in (30, 60, 110):
            process = crawl.start()
            until(lambda most=asked: len(site.paths) >= most)
            process.send(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL, crawl.log
            fetched = crawled(crawl.job)
            assert 0 < len(fetched) < MANY
            kept = set(texts(crawl.job))
            assert kept >= fetched
            assert len(kept - fetched) <= AT_ONCE, "those whose items are on their way"
        crawl.finish()
        kept_at_end = texts(crawl.job)
        assert set(kept_at_end) == {f"/{n}" for n in range(MANY)}
        assert all(f"page {path[1:]} " in text.text for path, text in kept_at_end.items())
