"""What is not a crawl of ours is refused by name, and stays as it was."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontier.errors import (
    StoreDamagedError,
    StoreForeignError,
    StoreMissingError,
    StoreVersionError,
)
from frontier.records import LinkArrays, PageRow
from frontier.recovery import check, salvage
from frontier.states import State
from frontier.store import Store, StoreReader
from frontier.store.schema import SCHEMA_VERSION, TABLES
from tests.support.states import put_url
from tests.support.stored import stored_pages, stored_urls

NAME = "frontier.sqlite"
OPENERS = [Store.open, StoreReader.open]


def crawl(directory: Path, n: int = 400) -> Path:
    """Write a small closed crawl and return its file."""
    with Store.open(directory) as store:
        host = store.add_host("a.example")
        for url_id in range(n):
            url = f"http://a.example/{'x' * 50}{url_id}"
            put_url(store, url_id, url_id, url, host=host, depth=0, discovered=1.0)
        targets = np.arange(20, dtype=np.int32)
        links = LinkArrays(targets, np.ones(20, np.float32), np.zeros(20, np.uint8))
        for url_id in range(100):
            store.page(
                PageRow(
                    url_id=url_id,
                    state=State.CRAWLED,
                    fetched=1.0,
                    title="t" * 60,
                    relevance=0.5,
                    links=links,
                )
            )
        store.set_setting("topic", "x")
    return directory / NAME


def content(directory: Path) -> dict[str, bytes]:
    """Return all files but the lock, which is empty."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return {path.name: path.read_bytes() for path in files if path.name != "frontier.lock"}


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cut_within_the_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def schema_overwritten(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:4096] = b"\xa5" * 3996
    path.write_bytes(data)


def tables_dropped(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE hosts")
        connection.execute("DROP TABLE leases")


@pytest.mark.parametrize("opener", OPENERS)
@pytest.mark.parametrize(
    "damage", [truncated, cut_within_the_header, emptied, schema_overwritten, tables_dropped]
)
def test_a_damaged_file_is_named_and_left_alone(
    tmp_path: Path, damage: Callable[[Path], None], opener: Callable[[Path], Store | StoreReader]
) -> None:
    path = crawl(tmp_path)
    damage(path)
    before = content(tmp_path)
    with pytest.raises(StoreDamagedError, match=f"{NAME}.*Restore"):
        opener(tmp_path)
    assert content(tmp_path) == before


@pytest.mark.parametrize("table", ["urls", "pages"])
def test_a_page_of_junk_is_found_by_loading(tmp_path: Path, table: str) -> None:
    path = crawl(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        root = connection.execute(query, (table,)).fetchone()[0]
    data = bytearray(path.read_bytes())
    data[(root - 1) * 4096 : root * 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    with pytest.raises(StoreDamagedError, match="Restore"), Store.open(tmp_path) as store:
        store.load()
    with pytest.raises(StoreDamagedError, match="Restore"), StoreReader.open(tmp_path) as reader:
        reader.load()
    assert path.read_bytes() == bytes(data)
    Store.open(tmp_path / "the lock is free again").close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE urls SET host = 7 WHERE id = 3",
        "DELETE FROM urls WHERE id = 3",
        "DELETE FROM hosts",
        "UPDATE pages SET predicted = x'00' WHERE seq = 3",
        "UPDATE pages SET adj = x'ffffff7f', predicted = x'0000', flags = x'00' WHERE seq = 3",
        "UPDATE pages SET id = 100000 WHERE seq = 3",
        "UPDATE pages SET state = 'x' WHERE seq = 3",
        "INSERT INTO requests VALUES (0, 100000, 0, NULL)",
        "UPDATE urls SET fp = 'x' WHERE id = 3",
    ],
)
def test_rows_that_contradict_each_other_are_damage(tmp_path: Path, statement: str) -> None:
    path = crawl(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(StoreDamagedError), Store.open(tmp_path) as store:
        store.load()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.floats(0, 1), junk=st.binary(min_size=1, max_size=300))
def test_junk_anywhere_gives_a_crawl_or_an_error_of_ours(
    tmp_path: Path, at: float, junk: bytes
) -> None:
    pristine = tmp_path / "pristine"
    path = pristine / NAME if pristine.exists() else crawl(pristine)
    data = bytearray(path.read_bytes())
    start = int(at * (len(data) - len(junk)))
    data[start : start + len(junk)] = junk
    broken = tmp_path / "broken"
    broken.mkdir(exist_ok=True)
    for left in broken.iterdir():
        left.unlink()
    (broken / NAME).write_bytes(data)
    with suppress(StoreDamagedError, StoreForeignError, StoreVersionError):
        with StoreReader.open(broken) as reader:
            reader.load()
            stored_pages(reader)
            stored_urls(reader)
            reader.find_spelled("u3", "u3")
            reader.last_answers()
            reader.settings()
        with Store.open(broken) as store:
            store.load()


@pytest.mark.parametrize("opener", OPENERS)
@pytest.mark.parametrize("data", [b"\x00" * 5000, b"not a database" * 100, b"x"])
def test_a_file_that_is_not_sqlite_is_foreign(
    tmp_path: Path, data: bytes, opener: Callable[[Path], Store | StoreReader]
) -> None:
    (tmp_path / NAME).write_bytes(data)
    with pytest.raises(StoreForeignError, match="this library"):
        opener(tmp_path)
    assert content(tmp_path) == {NAME: data}


@pytest.mark.parametrize("opener", OPENERS)
def test_somebody_elses_database_is_foreign(
    tmp_path: Path, opener: Callable[[Path], Store | StoreReader]
) -> None:
    with closing(sqlite3.connect(tmp_path / NAME)) as connection:
        connection.execute("CREATE TABLE cookies (x)")
    before = content(tmp_path)
    with pytest.raises(StoreForeignError, match="this library"):
        opener(tmp_path)
    assert content(tmp_path) == before


def test_a_job_of_scrapys_own_scheduler_is_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "requests.queue").mkdir()
    (tmp_path / "requests.seen").write_text("abc")
    with pytest.raises(StoreForeignError, match=r"Scrapy's own scheduler"):
        Store.open(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["requests.queue", "requests.seen"]


def test_the_tables_are_described_on_the_first_page_which_damage_behind_it_leaves(
    tmp_path: Path,
) -> None:
    Store.open(tmp_path).close()
    first = (tmp_path / NAME).read_bytes()[:4096]
    assert [name for name, text in TABLES.items() if text.encode() not in first] == []


@pytest.mark.parametrize("version", [SCHEMA_VERSION - 1, 99])
@pytest.mark.parametrize("opener", [*OPENERS, check, lambda path: salvage(path, path / "new")])
def test_a_file_of_another_version_is_refused(
    tmp_path: Path, opener: Callable[[Path], object], version: int
) -> None:
    path = crawl(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = content(tmp_path)
    with pytest.raises(StoreVersionError, match=rf"version {version}, expected {SCHEMA_VERSION}"):
        opener(tmp_path)
    assert content(tmp_path) == before


def test_where_there_is_no_crawl_a_reader_says_so_and_creates_nothing(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "absent"):
        with pytest.raises(StoreMissingError, match="No crawl"):
            StoreReader.open(directory)
    assert list(tmp_path.iterdir()) == []


def test_half_a_creation_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / f"{NAME}.new").write_bytes(b"the process was killed here")
    crawl(tmp_path)
    with StoreReader.open(tmp_path) as reader:
        assert reader.count_urls() == 400
    assert not (tmp_path / f"{NAME}.new").exists()


KILLED_WITHIN_A_WRITE = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = DELETE")
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE urls SET url = 'http://lost.example/' || id || hex(zeroblob(500))")
os.kill(os.getpid(), signal.SIGKILL)
"""
"""Dies when changed pages are in the file, and the old ones in its journal only."""


def test_what_a_killed_process_had_begun_is_undone_by_whoever_revisits(tmp_path: Path) -> None:
    path = crawl(tmp_path)
    before = path.read_bytes()
    for revisit in (
        lambda: StoreReader.open(tmp_path).close(),
        lambda: check(tmp_path),
        lambda: salvage(tmp_path, tmp_path / "salvaged"),
    ):
        subprocess.run([sys.executable, "-c", KILLED_WITHIN_A_WRITE, str(path)], check=False)
        assert path.with_name(NAME + "-journal").exists()
        assert b"lost.example" in path.read_bytes()
        revisit()
        assert path.read_bytes() == before
