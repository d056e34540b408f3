"""The copies of numbers of URLs and answers are those of the rows, however these were written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.records import LinkArrays, PageRow
from frontier.states import Mark, State
from frontier.store import Store, StoreReader, row_groups
from frontier.store.open import FILE_NAME
from frontier.urls.places import folder_places
from tests.support.states import put_url

URLS, ANSWERS = 11, 9


@pytest.fixture(autouse=True)
def _small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_groups, "URLS", 4)
    monkeypatch.setattr(row_groups, "ANSWERS", 2)


def answer(number: int) -> PageRow:
    """Of three one is no page, and one names no link; URLs are answered repeatedly."""
    page = PageRow(url_id=number % 5, state=State.ERROR, fetched=1.0)
    if number % 3 == 2:
        return page
    k = number if number % 3 else 0
    links = LinkArrays(
        np.arange(k, dtype=np.int32),
        np.full(k, number / 16, np.float32),
        np.full(k, number, np.uint8),
    )
    return replace(
        page,
        state=State.CRAWLED,
        relevance=number / 10,
        priority=-float(number),
        lease_number=100 + number,
        marks=Mark.NOINDEX,
        twin=number,
        links=links,
    )


def write(directory: Path, every: int = 1) -> None:
    """A crawl that commits after so many rows."""
    with Store.open(directory) as store:
        host = store.add_host("a.example")
        for number in range(URLS):
            put_url(store, number, 7 * number, f"u{number}", host=host, depth=number)
            if number % every == 0:
                store.commit()
        for number in range(ANSWERS):
            store.page(answer(number))
            if number % every == 0:
                store.commit()


def read(directory: Path) -> tuple[list[Any], int]:
    """All that is read, and how many groups there are."""
    with StoreReader.open(directory) as reader:
        urls = row_groups.read_urls(reader._cursor)
        answers, links = row_groups.read_linking_answers(reader._cursor)
        assert str(row_groups.read_answers(reader._cursor)) == str(answers)
        arrays = [*urls, *answers, links.targets, links.predicted, links.flags]
        groups = row_groups.written(reader._cursor)
    return [one.tolist() for one in arrays], sum(groups)


@pytest.mark.parametrize("every", [1, 3, 100])
def test_what_is_read_of_groups_is_what_is_read_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    write(tmp_path / "grouped", every)
    found, groups = read(tmp_path / "grouped")
    assert groups == URLS // 4 + ANSWERS // 2
    monkeypatch.setattr(row_groups, "URLS", 1000)
    monkeypatch.setattr(row_groups, "ANSWERS", 1000)
    write(tmp_path / "rows")
    of_rows, groups = read(tmp_path / "rows")
    assert groups == 0
    assert str(found) == str(of_rows)  # where NaN equals itself
    fingerprints, _, depths, *_ = found
    assert (fingerprints, depths) == ([7 * one for one in range(URLS)], list(range(URLS)))


def test_a_url_that_becomes_a_seed_is_one_in_its_group(tmp_path: Path) -> None:
    write(tmp_path)
    with Store.open(tmp_path) as store:
        store.mark_seed(1)
        store.mark_seed(9)
        store.commit()
        loaded = store.load()
    assert np.flatnonzero(loaded.seeds).tolist() == [1, 9]


def test_groups_of_a_commit_that_failed_are_written_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> row_groups.GroupCounts:
        complete(*_)
        raise sqlite3.OperationalError("disk is full")

    complete = row_groups.complete
    with Store.open(tmp_path) as store:
        host = store.add_host("a.example")
        for number in range(5):
            put_url(store, number, number, f"u{number}", host=host)
        monkeypatch.setattr(row_groups, "complete", fails)
        with pytest.raises(Exception, match="disk is full"):
            store.commit()
        monkeypatch.undo()
        monkeypatch.setattr(row_groups, "URLS", 4)
        store.commit()
        assert row_groups.written(store._cursor) == (1, 0)
        assert store.load().fingerprints.tolist() == [0, 1, 2, 3, 4]


def test_a_url_is_found_by_its_text_or_its_canonical_one(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        host = store.add_host("a.example")
        for number in range(6):
            url = f"http://a.example/?b={number}&a"
            put_url(store, number, number, url, host=host, canonical=f"canonical {number}")
    with StoreReader.open(tmp_path) as reader:
        for number in 1, 5:  # in a group and behind it
            url = f"http://a.example/?b={number}&a"
            assert reader.find_spelled(url, f"canonical {number}") == number
            assert reader.find_spelled("else", f"canonical {number}") == number
        assert reader.find_spelled("else", "canonical") is None


@given(st.lists(st.text(alphabet="a:/?#é", max_size=12), min_size=1))
def test_the_folders_that_are_kept_are_those_by_which_orders_know_them(urls: list[str]) -> None:
    with Store.open(None) as store:  # groups of four, and what is behind them
        host = store.add_host("a.example")
        for number, url in enumerate(urls):
            put_url(store, number, number, url, host=host)
        store.commit()
        assert store.folder_keys().tolist() == folder_places(urls).tolist()


def test_a_group_that_is_damaged_is_damage(tmp_path: Path) -> None:
    write(tmp_path)
    for statement in (
        "UPDATE url_groups SET numbers = x'00' WHERE number = 0",
        "UPDATE answer_groups SET links = x'00' WHERE number = 1",
        "DELETE FROM answer_groups WHERE number = 0",
    ):
        copy = tmp_path / str(len(list(tmp_path.iterdir())))
        copy.mkdir()
        (copy / FILE_NAME).write_bytes((tmp_path / FILE_NAME).read_bytes())
        with closing(sqlite3.connect(copy / FILE_NAME)) as connection, connection:
            connection.execute(statement)
        with StoreReader.open(copy) as reader, pytest.raises(Exception, match="is damaged"):
            reader.load()
