"""`scrapy frontier label` as a user meets it."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from frontier.labels.label_file import Label, read_labels
from frontier.labels.questions import questions
from tests.frontier.labels.test_at_random import crawl_of
from tests.frontier.plugin.test_command_frontier import run as run_frontier
from tests.support.driven_crawl import NEXT, A, B, C, crawl_with_texts
from tests.support.told import tells


@pytest.fixture
def job(tmp_path: Path) -> Path:
    directory = tmp_path / "job"
    crawl_with_texts(directory)
    return directory


def run(*arguments: object) -> int:
    return run_frontier("label", *arguments)


def test_pages_named_on_the_command_line(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(job, "--yes", A, "--no", B, "--yes", NEXT, "--json") == 0
    expected = [Label(A, wanted=True), Label(NEXT, wanted=True), Label(B, wanted=False)]
    assert read_labels(job) == expected
    said = json.loads(capsys.readouterr().out)
    assert said["labels"][0] == {"url": A, "wanted": True}
    assert said["never_met"] == []


def test_nothing_said_is_nothing_written(
    job: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert run(job) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert not (job / "labels.tsv").exists()


def test_a_conversation_on_a_terminal(job: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy", "frontier", "label", str(job), "--json"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.write(ours, b"y\nwhat?\nn\nq\n")
    out, err = process.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 0, err
    labels = [Label(C, wanted=True), Label(A, wanted=False)]
    assert json.loads(out)["labels"] == [one._asdict() for one in labels]
    assert read_labels(job) == labels
    assert "Page C" in err
    assert f"the text of {B}" in err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_pages_drawn_at_random_are_asked_about(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [one.url for one in questions(job, 2, at_random=True)]
    monkeypatch.setattr(sys, "stdin", Terminal("y\nn\n"))
    assert run(job, "--at-random", "-n", "2") == 0
    assert read_labels(job) == [Label(url, wanted=url == expected[0]) for url in expected]


def test_random_labels_tell_the_rate_from_ten_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = tmp_path / "job"
    crawl_of(job, pages=14).close()

    def rate(answers: str) -> Any:
        monkeypatch.setattr(sys, "stdin", Terminal("\n".join(answers)))
        assert run(job, "--at-random", "-n", len(answers), "--json") == 0
        return json.loads(capsys.readouterr().out)["harvest_rate"]

    assert rate("yny") is None
    ten = rate("nnnnnnn")
    assert (ten["labelled"], round(ten["estimate"], 2)) == (10, 0.22)
    every = rate("nnnn")
    assert (every["labelled"], every["estimate"]) == (14, 2 / 14)
    monkeypatch.setattr(sys, "stdin", Terminal(""))
    assert run(job, "--at-random") == 0
    assert tells(capsys.readouterr().out, "Harvest rate", "~14 %", "14 labelled pages")


@pytest.mark.parametrize(
    "arguments", [("--yes", "a page"), ("--no", "ftp://a.example/"), ("--sample", "5")]
)
def test_wrong_command_lines(job: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        run(job, *arguments)
