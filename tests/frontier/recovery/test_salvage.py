"""Whatever happens to a crawl's files: a clear word, and what is salvaged goes on."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from frontier.errors import StoreError
from frontier.records import Links, PageRecord
from frontier.recovery.check import check
from frontier.recovery.salvage import salvage
from frontier.states import State
from frontier.store import Store, StoreReader
from frontier.store.blobs import split
from tests.support.damages import DAMAGES, NAME, PAGE, WAL
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.states import states_of

CONFIG = {"strategy": "apprentice", "topic": "pages", "rerank_min_pages": 5}
PAGES = 150


def web() -> dict[str, Page]:
    """Pages that lead to many others, some of them on other hosts, with texts."""
    names = [f"http://h{number % 7}.example/page{number}" for number in range(PAGES)]
    chance = random.Random(3)

    def page(number: int) -> Page:
        near = [2 * number + 1, 2 * number + 2, *(chance.randrange(PAGES) for _ in range(8))]
        links = {names[one]: chance.random() for one in near if one < PAGES}
        cues = {url: (chance.randrange(256), 0, 0) for url in links}
        text = " ".join(f"word{chance.randrange(5000)}" for _ in range(60))
        return Page(links, chance.random(), f"Page {number}", cues=cues, text=text)

    return {name: page(number) for number, name in enumerate(names)}


WEB = web()
FIRST = next(iter(WEB))


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A crawl that was closed half-way, and one that was killed."""
    folder = tmp_path_factory.mktemp("pristine")
    crawl = DrivenCrawl(folder / "running", WEB, **CONFIG)
    crawl.seed(FIRST)
    crawl.run(60)
    crawl.hand_out()
    shutil.copytree(folder / "running", folder / "killed")
    crawl.close()
    (folder / "running").rename(folder / "closed")
    return {name: folder / name for name in ("closed", "killed")}


def goes_on(job: Path) -> None:
    """Crawl to the end, and find everything that can be found from what is there."""
    crawl = DrivenCrawl(job, WEB, **CONFIG, accept_changes=True)
    crawl.seed(FIRST)
    crawl.run(3 * PAGES)
    crawl.close()
    with StoreReader.open(job) as reader:
        states = states_of(reader)
    assert set(states) <= {State.CRAWLED, State.ERROR}


@pytest.mark.parametrize("state", ["closed", "killed"])
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_crawl_is_told_of_and_what_is_salvaged_goes_on(
    crawls: dict[str, Path], tmp_path: Path, name: str, state: str
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    shutil.copytree(crawls[state], old)
    (old / "frontier.pid").unlink(missing_ok=True)
    DAMAGES[name](old, random.Random(1))
    intact = check(old).intact
    saved = salvage(old, new)
    report = check(new)
    assert report.intact, [one for one in report.findings if not one.intact]
    assert not intact or not saved.left_out
    goes_on(new)


def test_of_what_holds_no_crawl_nothing_is_salvaged_and_its_path_is_told(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / NAME).write_bytes(b"SQLite format 3\0" + bytes(PAGE))
    with pytest.raises(StoreError, match="old"):
        salvage(tmp_path / "old", tmp_path / "new")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed crawl whose tables are trees of three levels, grown as a crawl grows."""
    folder = tmp_path_factory.mktemp("large")
    promises, flags = np.ones(20, np.float32), np.zeros(20, np.uint8)
    with Store.open(folder) as store:
        host = store.add_host("a.example")
        for page in range(1000):
            ids = np.arange(20 * page, 20 * page + 20, dtype=np.int32)
            for number in ids.tolist():
                url = f"http://a.example/{LONG}{number}/"
                store.add_url(number, number * 7919, url, host=host, depth=0, found=1.0)
            row = {"relevance": 0.5, "links": Links(ids, promises, flags)}
            store.page(PageRecord(url_id=page, state=State.CRAWLED, fetched=1.0, **row))
            if page % 10 == 0:
                store.commit()
    return folder / NAME


LONG = "x" * 60


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.97, 0.995])
def test_of_a_file_that_was_cut_short_every_url_is_taken_that_is_there(
    large: Path, tmp_path: Path, share: float
) -> None:
    data = large.read_bytes()
    data = data[: round(share * len(data))]
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / NAME).write_bytes(data)
    there = set(re.findall(LONG.encode() + rb"(\d+)/", data))
    saved = salvage(tmp_path / "old", tmp_path / "new")
    # A row on the last page may be cut in two.
    assert len(there) - PAGE // len(LONG) <= saved.urls <= len(there)
    assert saved.urls > 0.5 * share * 20_000
    assert not saved.exact
    assert check(tmp_path / "new").intact


def test_a_file_without_its_first_page_is_read_with_that_of_an_empty_crawl(
    large: Path, tmp_path: Path
) -> None:
    data = bytearray(large.read_bytes())
    data[100:PAGE] = bytes(PAGE - 100)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / NAME).write_bytes(data)
    saved = salvage(tmp_path / "old", tmp_path / "new")
    assert (saved.urls, saved.pages) == (20_000, 1000)
    assert check(tmp_path / "new").intact


def committed(job: Path) -> tuple[int, int]:
    with StoreReader.open(job) as reader:
        return reader.count_urls(), len(list(reader.iter_pages()))


def test_what_a_cut_wal_had_held_is_counted_as_lost(tmp_path: Path) -> None:
    """Where it was noted, and else it is said that nobody knows."""
    crawl = DrivenCrawl(tmp_path / "job", WEB, **CONFIG)
    crawl.seed(FIRST)
    crawl.run(20)
    urls, pages = committed(tmp_path / "job")
    for noted in (True, False):
        old, new = tmp_path / f"old{noted}", tmp_path / f"new{noted}"
        shutil.copytree(tmp_path / "job", old)
        wal = old / WAL
        wal.write_bytes(wal.read_bytes()[: wal.stat().st_size // 2])
        if not noted:
            (old / "frontier.mark").unlink()
        saved = salvage(old, new)
        assert saved.pages < pages
        assert saved.exact == noted
        if noted:
            assert (saved.urls + saved.lost_urls, saved.pages + saved.lost_pages) == (urls, pages)
    crawl.close()


def test_a_crawl_that_is_whole_has_lost_nothing_closed_or_killed(
    crawls: dict[str, Path], tmp_path: Path
) -> None:
    for state, pristine in crawls.items():
        shutil.copytree(pristine, tmp_path / state)
        saved = salvage(tmp_path / state, tmp_path / f"new {state}")
        assert (saved.urls, saved.pages) == committed(pristine)
        assert (saved.lost_urls, saved.lost_pages, saved.exact) == (0, 0, True)
        assert saved.left_out == ()
        with StoreReader.open(pristine) as old, StoreReader.open(tmp_path / f"new {state}") as new:
            assert new.settings() == old.settings()
            assert new.saved_arrays("scores:")[0].keys() == old.saved_arrays("scores:")[0].keys()


def test_of_an_orders_arrays_all_are_kept_or_none(crawls: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(crawls["closed"], tmp_path / "old")
    with closing(sqlite3.connect(tmp_path / "old" / NAME)) as connection, connection:
        connection.execute("DELETE FROM arrays WHERE name = 'scores:means'")
    assert not check(tmp_path / "old").intact
    saved = salvage(tmp_path / "old", tmp_path / "new")
    assert saved.lost_urls == saved.lost_pages == 0
    with StoreReader.open(tmp_path / "new") as new:
        assert new.saved_arrays("scores:") == ({}, 0)
        assert new.load_array("scores:ridge.a") is None
        assert new.load_array("traps") is not None
    goes_on(tmp_path / "new")


def test_what_no_start_can_use_is_left_out_by_name(crawls: dict[str, Path], tmp_path: Path) -> None:
    """Though it can be read: a matrix of the wrong size."""
    shutil.copytree(crawls["closed"], tmp_path / "old")
    with closing(sqlite3.connect(tmp_path / "old" / NAME)) as connection, connection:
        wrong = split(np.zeros((3, 3)))[0]
        change = "UPDATE arrays SET data = ? WHERE name = 'scores:ridge.a'"
        connection.execute(change, (wrong,))
        connection.execute(
            "UPDATE arrays SET data = ? WHERE name = 'traps'", (split(np.ones(9))[0],)
        )
    said = {one.what: one.said for one in check(tmp_path / "old").findings if not one.intact}
    assert list(said) == ["the crawl can go on"]
    saved = salvage(tmp_path / "old", tmp_path / "new")
    assert set(saved.left_out) == {"scores of the crawl order", "trap budgets"}
    assert check(tmp_path / "new").intact
    goes_on(tmp_path / "new")
