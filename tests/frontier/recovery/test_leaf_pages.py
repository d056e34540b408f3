"""Rows that are read without SQLite are what SQLite reads."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from frontier.recovery.leaf_pages import leaf_rows

NUMBERS = (None, 0, 1, -1, 127, 128, -32768, 2**23, 2**31, -(2**40), 2**62, -(2**63))


def rows_of_all_kinds(count: int) -> list[tuple[object, ...]]:
    chance = random.Random(1)
    lengths = (0, 3, 100, 3000, 4060, 4061, 4062, 4063, 5000, 50_000)
    return [
        (
            number - 50 if number < 900 else number << 40,
            chance.choice(NUMBERS),
            chance.random(),
            chance.randbytes(chance.choice(lengths)),
            "é" * chance.randrange(60),
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_every_row_of_a_table_is_found_with_its_values(tmp_path: Path, page_size: int) -> None:
    rows = rows_of_all_kinds(1000)
    path = tmp_path / "file"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA page_size = {page_size}")
        connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, a, b, c, d)")
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", rows)
    found = {key: values for key, values in leaf_rows(path) if values[:1] == [None]}
    assert found == {key: [None, *values] for key, *values in rows}


def test_junk_holds_rows_of_junk_or_none_and_ends(tmp_path: Path) -> None:
    chance = random.Random(2)
    path = tmp_path / "file"
    for size in (0, 50, 4096, 100_000):
        data = bytearray(chance.randbytes(size))
        data[::4096] = b"\r" * len(data[::4096])
        path.write_bytes(data)
        for key, values in leaf_rows(path):
            assert isinstance(key, int)
            assert isinstance(values, list)
