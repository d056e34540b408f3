"""The statements that run are those that the tables and queries of the store compile to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql

from frontier.store import compile as compiler
from frontier.store import queries, schema, statements


def test_the_generated_file_is_up_to_date() -> None:
    assert compiler.TARGET.read_text(encoding="utf-8") == compiler.source(), "run `make docs`"


def test_a_stale_file_is_told_and_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "statements.py"
    monkeypatch.setattr(compiler, "TARGET", target)
    assert compiler.main(["--check"]) == 1
    assert "make docs" in capsys.readouterr().err
    assert not target.exists()
    assert compiler.main([]) == 0
    assert compiler.main(["--check"]) == 0
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 99)
    assert compiler.main(["--check"]) == 1


def test_the_text_that_is_written_is_the_text_that_was_compiled() -> None:
    written = vars(statements)
    for name, text in {**compiler.creations(), **compiler.statements()}.items():
        assert written[name] == text
    assert tuple(compiler.creations().values()) == statements.CREATE
    assert schema.SCHEMA_VERSION == statements.SCHEMA_VERSION


def test_a_literal_of_any_length_and_content_reads_as_its_text() -> None:
    for text in ('a "b" \n\tc', "it's", "x " * 200, "y" * 300, "one\n" * 40, "", "x\"y' " * 50):
        found: dict[str, str] = {}
        exec(compiler._constant("NAME", text), found)
        assert found["NAME"] == text


def test_every_statement_is_one_that_sqlite_understands() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements.CREATE:
            connection.execute(statement)
        for text in compiler.statements().values():
            connection.execute(f"EXPLAIN {text}", (None,) * text.count("?"))


def test_the_same_expressions_compile_for_another_database() -> None:
    dialect = postgresql.dialect()
    for name in compiler.statements():
        assert str(getattr(queries, name).compile(dialect=dialect))
