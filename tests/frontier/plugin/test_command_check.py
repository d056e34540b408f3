"""`scrapy frontier check` as a user meets it: what it prints, its exit code, how to go on."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError

from tests.frontier.plugin.test_command_frontier import run
from tests.support.driven_crawl import small_crawl
from tests.support.told import telling, tells


@pytest.fixture
def job(tmp_path: Path) -> Path:
    small_crawl(tmp_path / "job").close()
    return tmp_path / "job"


def damage(job: Path) -> None:
    with closing(sqlite3.connect(job / "frontier.sqlite")) as connection, connection:
        connection.execute("UPDATE pages SET adj = x'ffffff7f' WHERE seq = 0")


def test_an_intact_crawl(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", job) == 0
    text = capsys.readouterr().out
    assert tells(text, "ok", "urls")
    assert "--salvage" not in text
    assert run("check", job, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["intact"]


def test_a_damaged_crawl_and_how_to_go_on(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damage(job)
    assert run("check", job) == 1
    text = capsys.readouterr().out
    assert f"scrapy frontier check {job} --salvage NEWDIR" in text
    assert run("check", job, "--json") == 1
    assert not json.loads(capsys.readouterr().out)["intact"]


def test_what_is_intact_is_taken_into_a_new_crawl(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(job)
    assert run("check", job, "--salvage", tmp_path / "saved") == 0
    text = capsys.readouterr().out
    assert tells(text, tmp_path / "saved", 8, 0)
    assert tells(text, f"JOBDIR={tmp_path / 'saved'}")
    assert run("check", tmp_path / "saved", "--json") == 0
    assert json.loads(capsys.readouterr().out)["intact"]


def test_nothing_there_is_told_with_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", tmp_path) == 1
    assert tells(capsys.readouterr().err, tmp_path)


def test_salvage_belongs_to_check_alone(job: Path) -> None:
    with pytest.raises(UsageError, match=telling("--salvage x", "expected")):
        run("stats", job, "--salvage", "x")
