"""A crawl can be looked at while it runs and afterwards, and never notices."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from frontier.records import LinkArrays, PageRow
from frontier.states import State
from frontier.store import Store, StoreReader, sqlite
from frontier.store.rows import LeaseRow
from tests.support.states import put_url, states_of


def page(url_id: int, *links: tuple[int, float, int]) -> PageRow:
    targets, predicted, flags = zip(*links, strict=True) if links else ((), (), ())
    record = LinkArrays(
        np.array(targets, np.int32), np.array(predicted, np.float32), np.array(flags, np.uint8)
    )
    return PageRow(url_id=url_id, state=State.CRAWLED, fetched=1.0, links=record)


def failure(url_id: int, error: str, state: State = State.ERROR) -> PageRow:
    return PageRow(url_id=url_id, state=state, fetched=1.0, error=error)


@pytest.fixture
def store(tmp_path: Path) -> Store:  # type: ignore[misc]  # a generator
    with Store.open(tmp_path) as store:
        for url_id in range(8):
            host = store.add_host("a.example")
            put_url(store, url_id, 100 + url_id, f"u{url_id}", host=host, depth=0, discovered=1.0)
        store.commit()
        yield store


def test_a_reader_sees_each_commit_and_holds_nobody_up(store: Store) -> None:
    with StoreReader.open(store.path.parent) as reader:
        for url_id in range(3):
            store.page(page(url_id))
            store.commit()
            crawled = [State.CRAWLED] * (url_id + 1)
            assert states_of(reader) == [*crawled, *[State.QUEUED] * (7 - url_id)]
            assert len(reader.load().pages.ids) == url_id + 1
        portions = reader.updates(0, 3)
        next(portions)
        put_url(store, 8, 108, "u8", host=0, depth=0, discovered=1.0)
        store.commit()


def test_a_reader_creates_nothing_and_can_change_nothing(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    before = sorted(tmp_path.iterdir())
    with StoreReader.open(tmp_path) as reader:
        reader.load()
        assert sorted(tmp_path.iterdir()) == before
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader._connection.execute("DELETE FROM urls")
    assert sorted(tmp_path.iterdir()) == before


def test_urls_are_found_by_id(store: Store) -> None:
    assert store.urls_of([3, 1]) == ["u3", "u1"]
    with pytest.raises(KeyError):
        store.urls_of([99])
    assert store.url_row(99) is None
    assert store.page_row(3) is None


def test_states_and_errors_are_counted_by_the_last_answer(store: Store) -> None:
    store.page(failure(0, "timeout"))
    store.page(failure(1, "dns"))
    store.page(failure(2, "dns"))
    store.page(failure(3, "robots.txt", State.ROBOTS))
    store.page(failure(4, "timeout"))
    store.page(page(4))
    store.page(page(5))
    store.add_request(0, 5, 0, b"")
    store.lease(LeaseRow(6, None, 0, 1.0, 1, 0.5, None))
    store.commit()
    assert store.error_counts() == {"dns": 2, "robots.txt": 1, "timeout": 1}
    with StoreReader.open(store.path.parent) as reader:
        assert states_of(reader) == [
            *(State.ERROR, State.ERROR, State.ERROR, State.ROBOTS),
            *(State.CRAWLED, State.QUEUED, State.LEASED, State.QUEUED),
        ]


def test_a_page_that_could_not_be_fetched_again_still_links(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        for url_id in range(2):
            put_url(
                store, url_id, url_id, f"http://a.example/{url_id}", host=0, depth=0, discovered=1.0
            )
        store.add_host("a.example")
        links = LinkArrays(
            np.array([1], np.int32), np.array([0.5], np.float32), np.zeros(1, np.uint8)
        )
        store.page(PageRow(url_id=0, state=State.CRAWLED, fetched=1.0, links=links))
        store.page(PageRow(url_id=0, state=State.ERROR, fetched=2.0))
    with StoreReader.open(tmp_path) as reader:
        assert reader.load().pages.ids.tolist() == [0]
        assert states_of(reader)[0] is State.ERROR


@pytest.mark.parametrize("latest", [False, True])
def test_a_crawl_that_closes_beside_a_reader_says_what_belongs_to_its_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    latest: bool,
) -> None:
    monkeypatch.setattr(sqlite, "_SETTLE_MS", 0)
    with Store.open(tmp_path) as store:
        store.set_setting("before", 1)
        store.commit()
        other = sqlite.connect_to_read(store.path)
        if latest:
            store.set_setting("after", 1)
            store.commit()
        other.execute("BEGIN")
        other.execute("SELECT * FROM urls").fetchall()
        if not latest:
            store.set_setting("after", 1)
    logged = [record.getMessage() for record in caplog.records]
    assert ["frontier.sqlite-wal" in text for text in logged] == ([] if latest else [True])
    copies = [store.path] if latest else [store.path, sqlite.wal_of(store.path)]
    (tmp_path / "copy").mkdir()
    for file in copies:
        shutil.copy(file, tmp_path / "copy")
    other.close()
    for directory in tmp_path, tmp_path / "copy":
        with Store.open(directory) as reopened:
            assert reopened.settings()["after"] == 1
        assert not sqlite.wal_of(directory / store.path.name).exists()


def test_a_crawl_that_closes_waits_for_a_reader_that_ends_soon(tmp_path: Path) -> None:
    reads, closes = threading.Event(), threading.Event()

    def read() -> None:
        with closing(sqlite.connect_to_read(tmp_path / "frontier.sqlite")) as other:
            other.execute("BEGIN")
            other.execute("SELECT * FROM urls").fetchall()
            reads.set()
            closes.wait(0.3)

    with Store.open(tmp_path) as store:
        store.set_setting("before", 1)
        store.commit()
        reader = threading.Thread(target=read)
        reader.start()
        reads.wait(10)
        store.set_setting("after", 1)
    reader.join()
    assert [one.name for one in tmp_path.glob("frontier.sqlite*")] == ["frontier.sqlite"]
