"""The store's tables are those that are written down, and SQLite understands every statement."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from frontier.records import PageRow
from frontier.states import Mark, State
from frontier.store import Store, StoreReader, schema, statements
from frontier.store.fingerprints import FingerprintIndex
from frontier.store.open import FILE_NAME
from tests.support.states import put_url

TEXTS = {
    **{name: text for name, text in vars(statements).items() if name.isupper()},
    **{f"INSERT {table}": text for table, text in statements.INSERT.items()},
    **{f"DELETE {table}": text for table, text in statements.DELETE.items()},
}
STATEMENTS = {name: text for name, text in TEXTS.items() if isinstance(text, str)}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    Store.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        yield connection


def test_every_statement_is_one_that_sqlite_understands(connection: sqlite3.Connection) -> None:
    fragments = {"_FINAL_PAGES"}
    for text in (text for name, text in STATEMENTS.items() if name not in fragments):
        connection.execute(f"EXPLAIN {text}", (None,) * text.count("?"))


def test_the_columns_are_those_of_a_new_crawl(connection: sqlite3.Connection) -> None:
    made = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    assert {name for (name,) in made} == set(schema.COLUMNS)
    for table, columns in schema.COLUMNS.items():
        rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
        assert tuple(row[1] for row in rows) == columns


def test_every_field_of_a_page_that_is_stored_is_a_column_that_comes_back_as_it_was(
    tmp_path: Path,
) -> None:
    shares = dict.fromkeys(("relevance", "similarity", "priority", "score"), 0.25)
    leased = {"lease_number": 7, "leased": 1.5, "attempts": 2, "rank": 4}
    answer = {
        "fetched": 2.5,
        "title": "t",
        "heading": "g",
        "rendering": "{}",
        "asks": "noai",
        "language": "de",
        "hash": b"h",
        "status": 404,
        "error": "e",
    }
    about = {"final_url": "u", "length": 3, "twin": 0, "seq": 0, "marks": Mark.NOINDEX}
    known = shares | leased | answer | about
    page = PageRow(url_id=0, state=State.ERROR, features=np.float32([1, 2]), **known)
    empty = [one.name for one in fields(page) if getattr(page, one.name) is one.default]
    of_this_run = [one.name for one in fields(page) if not one.metadata.get("stored", True)]
    assert empty == ["links", *of_this_run], "all that can be is set"
    with Store.open(tmp_path) as store:
        put_url(store, 0, 0, "u", host=store.add_host("a.example"), depth=0, discovered=1.0)
        store.page(page)
    with StoreReader.open(tmp_path) as reader:
        found = reader.page_row(0)
    assert found == page
    assert found is not None
    assert found.features is not None
    assert found.features.tolist() == [1, 2]


INT64 = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-20, 20))


class IndexMachine(RuleBasedStateMachine):
    """Begins with some and adds others; a dict holds what it should know."""

    @initialize(fingerprints=st.sets(INT64, max_size=2000))
    def begin(self, fingerprints: set[int]) -> None:
        self.index = FingerprintIndex(np.array(list(fingerprints), dtype=np.int64))
        self.model = {one: number for number, one in enumerate(fingerprints)}

    @rule(fingerprints=st.sets(INT64, max_size=300))
    def add(self, fingerprints: set[int]) -> None:
        news = [one for one in fingerprints if one not in self.model]
        self.index.add(news)
        self.model.update(
            zip(news, range(len(self.model), len(self.model) + len(news)), strict=True)
        )

    @rule(fingerprints=st.lists(INT64, max_size=10))
    def lookup(self, fingerprints: list[int]) -> None:
        expected = [self.model.get(one, -1) for one in fingerprints]
        assert self.index.lookup(fingerprints) == expected

    @invariant()
    def knows_all_it_was_given(self) -> None:
        assert len(self.index) == len(self.model)
        assert self.index.lookup(self.model) == list(self.model.values())
        assert self.index.fingerprints.array.tolist() == list(self.model)


TestIndex = IndexMachine.TestCase


@pytest.mark.parametrize("begun", [0, 1, 2, 50_000])
def test_many_come_one_by_one(begun: int) -> None:
    numbers = np.random.default_rng(begun).integers(-(2**63), 2**63, 100_000, dtype=np.int64)
    index = FingerprintIndex(numbers[:begun].copy())
    for one in numbers[begun:].tolist():
        index.add([one])
    assert index.lookup(numbers.tolist()) == list(range(len(numbers)))
    assert set(index.lookup((numbers ^ 1).tolist())) == {-1}


def test_a_fingerprint_has_one_id() -> None:
    with pytest.raises(AssertionError):
        FingerprintIndex(np.array([1, 2, 1]))
    index = FingerprintIndex(np.array([1, 2]))
    with pytest.raises(AssertionError):
        index.add([2])
