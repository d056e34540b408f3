"""`scrapy frontier index` and `search` as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError

from benchmarks.webs.writing import Answer, page, write_recording
from frontier.plugin.commands.frontier import with_words
from frontier.search.index import FOLDER
from ranking.printing import columns
from tests.frontier.plugin.test_command_frontier import json_of, run
from tests.support.driven_crawl import A, B, C
from tests.support.told import tells


def html(title: str, text: str) -> str:
    return f"<title>{title}</title><script>not this</script><p>{text}</p>"


def recording(path: Path, *answers: Answer) -> Path:
    write_recording(path, answers)
    return path


def test_pages_of_warc_files_are_found_the_last_record_of_each(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = recording(tmp_path / "old.warc.gz", page(A, html("A", "an old comet")))
    new = recording(
        tmp_path / "new.warc.gz",
        page(A, html("A", "a planet")),
        page(A, html("A", "a new moon")),
        page(B, html("B", "moon and comet")),
        page("http://never.example/", html("N", "moon")),
        Answer(C, b"", 404),
    )
    said = json_of(capsys, "index", job, "--warc", old, new)
    assert (said["pages"], said["changed"], said["not_of_crawl"]) == (2, 2, 1)
    found = json_of(capsys, "search", job, "moon")
    assert sorted(one["url"] for one in found["answers"]) == [A, B]
    assert json_of(capsys, "search", job, "planet old")["answers"] == []
    first = json_of(capsys, "search", job, "new moon", "-n", 1)["answers"]
    assert [(one["url"], one["title"], one["rank"]) for one in first] == [(A, "A", 1)]
    assert first[0]["snippet"] == [["a ", False], ["new", True], [" ", False], ["moon", True]]
    assert json_of(capsys, "index", job, "--warc", new)["changed"] == 0


def test_what_is_printed_for_people(
    job: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    feed = tmp_path / "feed.jl"
    title = "Evil \x1b[31m title \u202e " + "東京" * 40
    items = [
        {"url": A, "title": title, "text": "A comet. " + "Long words here. " * 40},
        {"url": B, "title": "", "text": "comet " * 3},
    ]
    feed.write_text("\n".join(map(json.dumps, items)))
    assert run("index", job, "--feed", feed) == 0
    assert tells(capsys.readouterr().out, "pages", 2)
    assert run("search", job, "comet") == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert max(map(columns, out.partition("pages searched")[0].splitlines())) <= 60
    assert tells(out, A)
    assert tells(out, f"1. {B}") or tells(out, f"2. {B}")  # a page without a title
    assert "*comet*" in out
    assert tells(out, "relevance", 0.75)
    assert tells(out, "2", "searched")
    assert tells(out, "1", "not in the index")
    assert run("search", job, "comet", "--explain") == 0
    assert "text 0." in capsys.readouterr().out


def test_weights_decide_what_is_found(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = recording(tmp_path / "x.warc", page(A, html("comet", "x")), page(B, html("x", "comet")))
    assert run("index", job, "--warc", file) == 0
    capsys.readouterr()
    found = json_of(capsys, "search", job, "comet", "--weights", "title=0")
    assert [one["url"] for one in found["answers"]] == [B]
    assert run("search", job, "comet", "--weights", "titel=1") == 1
    assert "titel=1" in capsys.readouterr().err


def test_what_cannot_be_searched_is_said_with_exit_code_1(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("search", tmp_path / "none", "comet") == 1
    assert tells(capsys.readouterr().err, "frontier.sqlite")
    assert run("search", job, "comet") == 1
    assert tells(capsys.readouterr().err, "scrapy frontier index", "--warc")
    assert run("index", job) == 1
    assert tells(capsys.readouterr().err, "--warc")
    assert run("index", tmp_path / "none", "--feed", tmp_path / "feed.jl") == 1
    assert run("index", job, "--feed", tmp_path / "feed.jl") == 1
    assert tells(capsys.readouterr().err, "feed")
    assert run("index", job, "--warc", tmp_path / "x.warc") == 1
    (job / FOLDER / "about.json").write_text("x" * 10_000)
    assert run("search", job, "comet") == 1
    assert tells(capsys.readouterr().err, "damaged")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["-sun"], [" -sun"]),
        (["-comet", "-n5", "-n", "3"], [" -comet", "-n5", "-n", "3"]),
        (
            ["-nuclear", "-sA=b", "-LDEBUG", "-s", "C=d"],
            [" -nuclear", "-sA=b", "-LDEBUG", "-s", "C=d"],
        ),
        (
            ["-dark matter", "-x -y", "--explain", "-h"],
            [' -"dark matter"', " -x -y", "--explain", "-h"],
        ),
        (["-hello", "-c++", "-c", "word", "-"], [" -hello", " -c++", " -c", "word", "-"]),
    ],
)
def test_words_with_a_minus_are_words_and_options_stay(
    args: list[str], expected: list[str]
) -> None:
    assert with_words(["search", "job", *args]) == ["search", "job", *expected]
    assert with_words(["top", "job", *args]) == ["top", "job", *args]


def test_scrapy_reads_a_word_with_a_minus_as_a_query(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [{"url": A, "text": "sun"}, {"url": B, "text": "moon"}]
    (job.parent / "feed.jl").write_text("\n".join(map(json.dumps, items)))
    assert run("index", job, "--feed", job.parent / "feed.jl") == 0
    capsys.readouterr()
    asked = "-m", "scrapy", "frontier", "search", str(job), "-sun", "--json"
    done = subprocess.run((sys.executable, *asked), capture_output=True, text=True, check=True)
    assert [one["url"] for one in json.loads(done.stdout)["answers"]] == [B]


def test_nothing_found_is_no_error(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (job.parent / "feed.jl").write_text(json.dumps({"url": A, "text": "comet"}))
    assert run("index", job, "--feed", job.parent / "feed.jl") == 0
    for words, note in (("", "Nothing was asked"), ("planet", "No page")):
        assert run("search", job, words) == 0
        assert note in capsys.readouterr().out


def test_files_of_both_kinds_at_once_are_a_wrong_command_line(job: Path) -> None:
    with pytest.raises(UsageError, match="both"):
        run("index", job, "--feed", "a", "--warc", "b")
