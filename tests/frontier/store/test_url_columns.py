"""What a closed crawl leaves beside its file says what the rows say, or is not believed."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from frontier.store import Loaded, Store, StoreReader, loading, url_columns
from frontier.store.url_columns import COLUMNS_NAME, Left, UrlColumns
from tests.support.driven_crawl import DrivenCrawl, Page

A, B, C, D = (f"http://{host}.example/" for host in "abcd")
WEB = {A: Page({B: 0.5, C: 0.25}), B: Page({A: 1.0, D: 0.125}), C: Page({D: 0.5}), D: Page()}
FIELDS = "fingerprints", "hosts", "depths", "seeds"


@pytest.fixture(autouse=True)
def small_crawls_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_columns, "LEAST", 1)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    crawl = DrivenCrawl(tmp_path, WEB, strategy="ppr")
    crawl.seed(A)
    crawl.run(2)
    crawl.seed(D)  # found as a link before
    crawl.manager.stop()
    return tmp_path


def by_rows(directory: Path) -> Loaded:
    with StoreReader.open(directory) as reader:
        return reader.load()


def assert_same(one: Loaded, other: Loaded) -> None:
    for name in FIELDS:
        first, second = getattr(one, name), getattr(other, name)
        assert first.dtype == second.dtype
        assert first.tolist() == second.tolist()


def loaded_again(directory: Path) -> Loaded:
    with Store.open(directory) as store:
        loaded = store.load()
        store.abandon()
    return loaded


def test_a_crawl_goes_on_from_what_it_left(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = by_rows(closed)
    assert expected.seeds.sum() == 2
    monkeypatch.setattr(loading, "_read_urls", None)  # no row is read
    assert_same(loaded_again(closed), expected)


def test_it_is_gone_once_the_crawl_goes_on(closed: Path) -> None:
    kept = (closed / COLUMNS_NAME).read_bytes()
    loaded_again(closed)
    assert not (closed / COLUMNS_NAME).exists()
    (closed / COLUMNS_NAME).write_bytes(kept)
    assert url_columns.left(closed / "frontier.sqlite") is None


def test_whoever_only_looks_leaves_it(closed: Path) -> None:
    before = (closed / COLUMNS_NAME).read_bytes()
    by_rows(closed)
    assert (closed / COLUMNS_NAME).read_bytes() == before
    assert url_columns.left(closed / "frontier.sqlite") is not None


def test_of_a_file_that_was_changed_the_rows_are_read(closed: Path) -> None:
    with closing(sqlite3.connect(closed / "frontier.sqlite")) as connection:
        connection.execute("UPDATE urls SET depth = 7")
        connection.commit()
    assert loaded_again(closed).depths.tolist() == [7] * 4


def test_of_another_crawl_it_is_not_believed(
    closed: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    crawl = DrivenCrawl(other, WEB, strategy="ppr")
    crawl.seed(C)
    crawl.run()
    crawl.manager.stop()
    expected = by_rows(other)
    shutil.copy(closed / COLUMNS_NAME, other)
    assert_same(loaded_again(other), expected)


@pytest.mark.parametrize("at", [0, 5, -1])
def test_what_is_broken_is_not_believed(closed: Path, at: int) -> None:
    data = bytearray((closed / COLUMNS_NAME).read_bytes())
    data[at] ^= 0x55
    (closed / COLUMNS_NAME).write_bytes(data)
    expected = by_rows(closed)
    assert_same(loaded_again(closed), expected)


@pytest.mark.parametrize("length", [0, 3, 40, -1])
def test_what_is_cut_is_not_believed(closed: Path, length: int) -> None:
    data = (closed / COLUMNS_NAME).read_bytes()
    (closed / COLUMNS_NAME).write_bytes(data[:length])
    assert url_columns.left(closed / "frontier.sqlite") is None


def test_a_crawl_that_writes_nothing_more_leaves_nothing(closed: Path) -> None:
    crawl = DrivenCrawl(closed, WEB, strategy="ppr")
    crawl.seed("http://e.example/")
    crawl.backend.store.abandon()
    crawl.manager.stop()
    assert not (closed / COLUMNS_NAME).exists()
    assert len(by_rows(closed).hosts) == 4


def test_a_small_crawl_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_columns, "LEAST", 5)
    with Store.open(tmp_path) as store:
        for number in range(4):
            store.add_url(
                number, number, f"http://a/{number}", host=store.add_host("a"), depth=0, found=0
            )
        none = np.zeros(4, np.int32)
        store.columns = Left(UrlColumns(np.arange(4), none, none, none > 0))
    assert not (tmp_path / COLUMNS_NAME).exists()


def test_urls_in_a_range(closed: Path) -> None:
    with StoreReader.open(closed) as reader:
        every = reader.urls_of(range(4))
        assert reader.urls_in(range(4)) == every
        assert reader.urls_in(range(1, 3)) == every[1:3]
        assert reader.urls_in(range(2, 2)) == []
