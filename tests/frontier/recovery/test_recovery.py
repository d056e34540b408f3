"""What is intact of a broken crawl is reported, and what is readable becomes one that goes on."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest

from frontier.config import CrawlConfig
from frontier.errors import (
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreForeignError,
    StoreMissingError,
)
from frontier.records import LinkArrays, PageRow, Sample
from frontier.recovery import check, how_to_go_on, salvage
from frontier.states import Change, Mark, State
from frontier.store import Store, StoreReader
from frontier.store.rows import LeaseRow
from frontier.urls.rules import RULES
from tests.support.damages import DAMAGES, NAME
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.revisited_at import revisited
from tests.support.states import put_url, states_of
from tests.support.stored import stored_pages, stored_urls

URLS, PAGES = 400, 100
REVISITS = (0, 200, Change.NEW), (1, 304, Change.UNCHANGED)


@pytest.fixture(autouse=True)
def _few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crawls here have hundreds of rows: behind damage no more are looked for one by one."""
    monkeypatch.setattr("frontier.recovery.readable._MISSES", 1000)
    monkeypatch.setattr("frontier.store.row_groups.URLS", 64)
    monkeypatch.setattr("frontier.store.row_groups.ANSWERS", 16)


def filled(directory: Path) -> Path:
    """Write a closed crawl that has something in every table; return its file."""
    with Store.open(directory) as store:
        host = store.add_host("a.example")
        for url_id in range(URLS):
            url = f"http://a.example/{'x' * 50}{url_id}"
            put_url(store, url_id, url_id * 7, url, host=host, depth=0, discovered=1.0)
        targets = np.arange(20, dtype=np.int32)
        links = LinkArrays(targets, np.ones(20, np.float32), np.zeros(20, np.uint8), ("text",) * 20)
        for url_id in range(PAGES):
            row = {"relevance": 0.5, "title": "t" * 60, "links": links, "marks": Mark.NOINDEX}
            store.page(PageRow(url_id=url_id, state=State.CRAWLED, fetched=1.0, **row))
        store.set_setting("identity", CrawlConfig(strategy="bfs").identity)
        store.set_setting("url rules", RULES.as_json)
        store.set_setting("topic", "x")
        store.set_setting("scores:", ["score"])
        store.save_array("scores:score", 3, np.arange(URLS, dtype=np.float64))
        store.keep_sample(Sample(3, 0.5, "kept"))
        store.add_request(0, 200, 5, b"body")
        store.add_signature(3, b"bands")
        for url_id in (3, 5):
            store.keep_revisit(revisited(url_id, *REVISITS, etag=b'"e"', request=b"how"))
        store.add_refusal("too deep", "a.example", 2, "http://a.example/deep")
        store.set_politeness("a.example", 5.0, 2.0, "note")
        store.lease(LeaseRow(300, None, 0, 1.0, 2, 0.5, None))
        store.commit()
        store.release(300)
    return directory / NAME


def broken(directory: Path) -> list[str]:
    """What a check says is not intact."""
    return [one.what for one in check(directory).findings if not one.intact]


def execute(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute(statement)


def junk_on_root(path: Path, table: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        root = connection.execute(query, (table,)).fetchone()[0]
    data = bytearray(path.read_bytes())
    data[(root - 1) * 4096 : root * 4096] = b"\xa5" * 4096
    path.write_bytes(data)


def test_a_whole_crawl_is_intact_while_it_runs_too(tmp_path: Path) -> None:
    filled(tmp_path)
    report = check(tmp_path)
    assert report.intact
    assert len(report.findings) == 39
    assert "can go on" in how_to_go_on(report, tmp_path)
    with Store.open(tmp_path) as store:
        store.set_setting("more", 1)
        store.commit()
        assert check(tmp_path).intact


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("DELETE FROM urls WHERE id = 3", "URL ids are dense from 0"),
        ("DELETE FROM pages WHERE seq = 3", "answer numbers are dense from 0"),
        ("UPDATE urls SET fp = 7 WHERE id = 3", "a fingerprint has one row"),
        ("UPDATE urls SET host = 7 WHERE id = 3", "hosts of URLs exist"),
        ("UPDATE urls SET referrer = 900 WHERE id = 3", "referrers of URLs exist"),
        ("UPDATE pages SET state = 99 WHERE seq = 3", "states of answers exist"),
        ("UPDATE pages SET id = 999 WHERE seq = 3", "answers belong to URLs"),
        ("UPDATE pages SET twin = 999 WHERE seq = 3", "twins of pages exist"),
        ("UPDATE pages SET adj = x'ffffff7f' WHERE seq = 3", "link records fit"),
        ("UPDATE pages SET anchors = x'00' WHERE seq = 3", "link records fit"),
        ("INSERT INTO leases VALUES (999, NULL, 1, 1.0, 1, 0.5, NULL, NULL, NULL)", "leases"),
        ("INSERT INTO requests VALUES (9, 999, 0, NULL)", "requests"),
        ("UPDATE revisits SET id = 999 WHERE id = 3", "revisits belong to URLs"),
        ("UPDATE revisits SET result = 99 WHERE id = 3", "revisits of pages are whole"),
        ("UPDATE revisits SET history = x'00' WHERE id = 3", "revisits of pages are whole"),
        ("UPDATE revisits SET last = 'never' WHERE id = 3", "table revisits"),
        ("UPDATE crawl SET value = '{' WHERE key = 'topic'", "settings are JSON"),
        ("UPDATE url_groups SET numbers = zeroblob(21)", "copied numbers"),
        ("UPDATE answer_groups SET links = x'00' WHERE number = 1", "copied numbers"),
        ("DELETE FROM answer_groups WHERE number = 0", "copied numbers"),
        ("UPDATE arrays SET data = x'00'", "saved arrays"),
        ("UPDATE urls SET url = x'00' WHERE id = 3", "table urls"),
        ("UPDATE pages SET title = CAST(x'c3' AS TEXT) WHERE seq = 3", "texts are UTF-8"),
        ("DELETE FROM sqlite_master WHERE name = 'samples'", "table samples"),
    ],
)
def test_what_contradicts_itself_is_named(tmp_path: Path, statement: str, named: str) -> None:
    execute(filled(tmp_path), statement)
    report = check(tmp_path)
    assert [one for one in report.findings if not one.intact and one.what.startswith(named)]
    assert "--salvage" in how_to_go_on(report, tmp_path)


@pytest.mark.parametrize("table", ["urls", "pages", "arrays", "crawl", "hosts"])
def test_a_table_of_junk_leaves_the_others(tmp_path: Path, table: str) -> None:
    junk_on_root(filled(tmp_path), table)
    found = broken(tmp_path)
    assert f"table {table}" in found
    others = {f"table {name}" for name in ("urls", "pages", "arrays", "crawl", "hosts")}
    assert not (others - {f"table {table}"}) & set(found)


def test_a_salvaged_crawl_goes_on_where_nothing_was_lost(tmp_path: Path) -> None:
    execute(filled(tmp_path / "old"), "UPDATE pages SET anchors = x'00' WHERE seq = 3")
    saved = salvage(tmp_path / "old", tmp_path / "new")
    assert (saved.urls, saved.lost_urls) == (URLS, 0)
    assert (saved.pages, saved.lost_pages) == (PAGES - 1, 1)
    assert check(tmp_path / "new").intact
    with StoreReader.open(tmp_path / "old") as old, StoreReader.open(tmp_path / "new") as new:
        assert stored_urls(new) == stored_urls(old)
        states = states_of(new)
        assert states[3] is State.QUEUED
        assert states.count(State.QUEUED) == URLS - PAGES + 1
        assert states.count(State.CRAWLED) == PAGES - 1
        page = new.page_row(4)
        assert page is not None
        assert page.links is not None
        assert page.links.targets.tolist() == list(range(20))
        assert page.links.anchors == ("text",) * 20
        assert page.marks is Mark.NOINDEX
        # What was made of the pages is made again.
        assert new.settings().keys() == {"crawl", "identity", "url rules"}
        assert new.saved_arrays("scores:")[0] == {}
        assert new.load_array("scores:score") is None
        assert new.samples() == []
        assert new.request_body(0) == b"body"
        assert list(new.signatures()) == [(3, b"bands")]
        # Page 3 is fetched as a new one.
        assert list(new.revisits()) == [revisited(5, *REVISITS, etag=b'"e"', request=b"how")]


def test_a_page_whose_items_were_under_way_is_fetched_again_from_what_is_salvaged(
    tmp_path: Path,
) -> None:
    path = filled(tmp_path / "old")
    execute(path, "INSERT INTO leases VALUES (7, NULL, 1, 1.0, 1, 0.5, NULL, NULL, NULL)")
    assert check(tmp_path / "old").intact
    salvage(tmp_path / "old", tmp_path / "new")
    assert check(tmp_path / "new").intact
    with StoreReader.open(tmp_path / "new") as new:
        assert states_of(new)[7:9] == [State.QUEUED, State.CRAWLED]
        assert new.page_row(7) is not None


@pytest.mark.parametrize("damage", ["result = 99", "history = x'00'", "revisits = 'many'"])
def test_revisits_that_are_damaged_or_of_a_lost_page_are_left_out(
    tmp_path: Path, damage: str
) -> None:
    path = filled(tmp_path / "old")
    execute(path, f"UPDATE revisits SET {damage} WHERE id = 3")
    execute(path, "DELETE FROM urls WHERE id = 2")
    salvage(tmp_path / "old", tmp_path / "new")
    assert check(tmp_path / "new").intact
    with StoreReader.open(tmp_path / "new") as new:
        assert [revisit.url_id for revisit in new.revisits()] == [4]
        assert new.urls_of([4]) == [f"http://a.example/{'x' * 50}5"]


def test_links_to_what_is_lost_are_left_out_and_the_rest_is_renumbered(tmp_path: Path) -> None:
    execute(filled(tmp_path / "old"), "DELETE FROM urls WHERE id = 5")
    saved = salvage(tmp_path / "old", tmp_path / "new")
    assert (saved.urls, saved.lost_urls) == (URLS - 1, 1)
    assert saved.pages == PAGES - 1
    assert check(tmp_path / "new").intact
    with StoreReader.open(tmp_path / "new") as new:
        assert new.urls_of([5]) == [f"http://a.example/{'x' * 50}6"]
        page = new.page_row(5)
        assert page is not None
        assert page.links is not None
        assert page.links.targets.tolist() == list(range(19))
        assert new.saved_arrays("scores:")[0] == {}


@pytest.mark.parametrize("order", ["bfs", "apprentice", "topic-hits"])
def test_crawls_of_every_kind_of_order_and_size_are_intact(tmp_path: Path, order: str) -> None:
    """Small, middle and large; while they run, and when they were closed."""
    names = [f"http://h{number % 5}.example/{number}" for number in range(1000)]
    web = {
        name: Page({names[(61 * at + one) % 1000]: 0.5 for one in range(60)}, at % 10 / 10)
        for at, name in enumerate(names)
    }
    crawl = DrivenCrawl(tmp_path, web, strategy=order, topic="page", rerank_min_pages=2)
    crawl.seed(names[0])
    for pages, least in ((1, 2), (10, 500), (18, 900)):
        crawl.run(pages)
        assert len(crawl.backend.ledger) >= least
        assert broken(tmp_path) == []
    crawl.close()
    assert broken(tmp_path) == []


def test_a_crawl_that_runs_is_not_salvaged(tmp_path: Path) -> None:
    filled(tmp_path / "old")
    with Store.open(tmp_path / "old"), pytest.raises(StoreBusyError, match=f"{os.getpid()}"):
        salvage(tmp_path / "old", tmp_path / "new")


def test_nothing_is_written_over(tmp_path: Path) -> None:
    filled(tmp_path / "old")
    filled(tmp_path / "new")
    with pytest.raises(StoreForeignError, match="not empty"):
        salvage(tmp_path / "old", tmp_path / "new")


def test_a_directory_without_a_crawl_is_not_damaged(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError, match="No crawl"):
        check(tmp_path)


def test_a_directory_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    for opens in (check, Store.open):
        with pytest.raises(StoreForeignError, match="is a directory"):
            opens(tmp_path)


CONFIG = {"strategy": "apprentice", "topic": "pages", "rerank_min_pages": 5}
WEB_PAGES = 60


def web() -> dict[str, Page]:
    """Pages that lead to many others, some of them on other hosts, with texts."""
    names = [f"http://h{number % 7}.example/page{number}" for number in range(WEB_PAGES)]
    chance = random.Random(3)

    def page(number: int) -> Page:
        near = [2 * number + 1, 2 * number + 2, *(chance.randrange(WEB_PAGES) for _ in range(8))]
        links = {names[one]: chance.random() for one in near if one < WEB_PAGES}
        matches = {url: (chance.randrange(256), 0, 0) for url in links}
        text = " ".join(f"word{chance.randrange(5000)}" for _ in range(60))
        return Page(links, chance.random(), f"Page {number}", matches=matches, text=text)

    return {name: page(number) for number, name in enumerate(names)}


WEB = web()
FIRST = next(iter(WEB))


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A crawl that was closed half-way, and one that was killed."""
    folder = tmp_path_factory.mktemp("pristine")
    crawl = DrivenCrawl(folder / "running", WEB, **CONFIG)
    crawl.seed(FIRST)
    crawl.run(25)
    crawl.lease_next()
    shutil.copytree(folder / "running", folder / "killed")
    crawl.close()
    (folder / "running").rename(folder / "closed")
    return {name: folder / name for name in ("closed", "killed")}


def goes_on(job: Path) -> None:
    """Crawl to the end, and find everything that can be found from what is there."""
    crawl = DrivenCrawl(job, WEB, **CONFIG, accept_changes=True)
    crawl.seed(FIRST)
    crawl.run(3 * WEB_PAGES)
    crawl.close()
    with StoreReader.open(job) as reader:
        states = states_of(reader)
    assert set(states) <= {State.CRAWLED, State.ERROR}


@pytest.mark.parametrize("state", ["closed", "killed"])
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_crawl_is_reported_and_what_is_salvaged_goes_on(
    crawls: dict[str, Path], tmp_path: Path, name: str, state: str
) -> None:
    for seed in range(2):
        old, new = tmp_path / f"old{seed}", tmp_path / f"new{seed}"
        shutil.copytree(crawls[state], old)
        (old / "frontier.pid").unlink(missing_ok=True)
        DAMAGES[name](old, random.Random(seed))
        try:
            intact = check(old).intact
            salvage(old, new)
        except StoreError as error:
            assert str(old) in str(error)  # noqa: PT017 - an error is one of two ends
            # What tells of the tables lies on the first pages.
            assert "flipped" in name or name in ("cut short", "pages zeroed")
            continue
        report = check(new)
        assert report.intact, [one for one in report.findings if not one.intact]
        goes_on(new)
        if intact:
            with suppress(StoreDamagedError):  # scores that no order can have
                goes_on(old)


def test_behind_a_broken_page_of_the_file_the_rows_are_read(tmp_path: Path) -> None:
    path = filled(tmp_path / "old")
    data = bytearray(path.read_bytes())
    at = data.index(b"x" * 50 + b"200")  # on a page with some forty URLs
    data[at // 4096 * 4096 : at // 4096 * 4096 + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    assert "table urls" in broken(tmp_path / "old")
    saved = salvage(tmp_path / "old", tmp_path / "new")
    assert URLS - 60 < saved.urls < URLS - 20
    assert saved.lost_urls == URLS - saved.urls
    assert check(tmp_path / "new").intact
    with StoreReader.open(tmp_path / "new") as new:
        assert new.urls_of([saved.urls - 1]) == [f"http://a.example/{'x' * 50}{URLS - 1}"]


def test_a_crawl_that_is_whole_loses_nothing_closed_or_killed(
    crawls: dict[str, Path], tmp_path: Path
) -> None:
    for state, pristine in crawls.items():
        shutil.copytree(pristine, tmp_path / state)
        saved = salvage(tmp_path / state, tmp_path / f"new {state}")
        assert (saved.lost_urls, saved.lost_pages) == (0, 0)
        with StoreReader.open(pristine) as old, StoreReader.open(tmp_path / f"new {state}") as new:
            assert saved.urls == old.count_urls() == new.count_urls()
            assert stored_pages(new) == stored_pages(old)
            assert new.settings()["identity"] == old.settings()["identity"]


def test_a_start_that_meets_damage_says_how_to_recover(tmp_path: Path) -> None:
    execute(filled(tmp_path), f"UPDATE pages SET adj = x'00' WHERE seq = {PAGES - 1}")
    with pytest.raises(StoreDamagedError, match=rf"check {tmp_path} --salvage NEWDIR"):
        DrivenCrawl(tmp_path, {}, strategy="bfs")
