"""`scrapy frontier` as a user meets it: output, exit codes, wrong command lines."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from frontier.inspection import ORDERINGS, STATES
from frontier.plugin.commands import frontier as module
from frontier.plugin.commands.frontier import Command
from tests.support.driven_crawl import NEXT, A, B, C, small_crawl
from tests.support.support import scrapy
from tests.support.told import tells


@pytest.fixture
def job(tmp_path: Path) -> Path:
    small_crawl(tmp_path / "job").close()
    return tmp_path / "job"


def run(*arguments: object) -> int:
    """Run the command in this process as Scrapy would; returns its exit code."""
    command = Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    opts, args = parser.parse_known_args([str(one) for one in arguments])
    command.process_options(args, opts)
    command.run(args, opts)
    return command.exitcode


def json_of(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert run(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_stats_as_json(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stats = json_of(capsys, "stats", job)
    assert stats["known"] == 8
    assert stats["states"]["queued"] == 2
    assert stats["harvest_rate"] == pytest.approx(2 / 3)
    assert stats["errors"][0] == {"reason": "HTTP 404", "count": 1}
    assert stats["top_hosts"][0] == {"host": "b.example", "pages": 1, "known": 3}


def test_stats_as_text(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("stats", job) == 0
    lines = capsys.readouterr().out.splitlines()
    for facts in ((job,), ("strategy", "bfs"), (2, "queued"), ("harvest rate", "66.7 %")):
        assert tells(lines, *facts), facts
    assert [line.split() for line in lines[-3:]] == [
        ["b.example", "1", "3"],
        ["c.example", "1", "3"],
        ["a.example", "1", "2"],
    ]


def test_top_lists_the_queue_by_default(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    top = json_of(capsys, "top", job, "-n", 1)
    assert (top["by"], top["state"]) == ("priority", "queued")
    [row] = top["urls"]
    assert (row["rank"], row["url"], row["value"], row["priority"]) == (1, NEXT, -6.0, -6.0)
    assert (row["relevance"], row["title"], row["score"]) == (None, None, None)


def test_top_by_relevance_of_fetched_pages(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("top", job, "--state", "crawled", "--by", "relevance") == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["#", "relevance", "state", "promise", "URL"]
    assert [row.split()[:3] + row.split()[4:] for row in rows] == [
        ["1", "0.75", "crawled", A, "(Page", "A)"],
        ["2", "0.5", "crawled", C, "(Page", "C)"],
        ["3", "0.25", "crawled", B, "(Page", "B)"],
    ]


def test_top_with_nothing_in_that_state(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("top", job, "--state", "trap") == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert json_of(capsys, "top", job, "--state", "trap")["urls"] == []


def test_url_as_json_and_as_text(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json_of(capsys, "url", job, "c.example")
    assert (report["url"], report["relevance"], report["priority"]) == (C, 0.5, None)
    assert [link["url"] for link in report["in_links"]] == [B, "http://a.example/old"]
    assert run("url", job, C) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{C}\n")
    assert tells(text, "state", "crawled")
    assert tells(text, B, "1.00", f'"to {C}"')


def test_explain_as_json_and_as_text(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = json_of(capsys, "explain", job, "c.example", "-n", 1)
    assert (said["url"], said["state"], said["strategy"]) == (C, "crawled", "bfs")
    assert [one["url"] for one in said["instead"]] == [NEXT]
    assert run("explain", job, NEXT) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{NEXT}\n")
    assert tells(text, "queued", "1st", 2)


def test_a_url_that_was_never_met_is_explained_with_exit_code_1(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("explain", job, "http://nowhere.example/") == 1
    assert tells(capsys.readouterr().out.splitlines()[1:], "nowhere.example")
    assert run("explain", job, "http://nowhere.example/", "--json") == 1
    assert json.loads(capsys.readouterr().out)["state"] == "unknown"


def test_weights_of_a_strategy_that_does_not_learn(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = json_of(capsys, "weights", job)
    assert (said["strategy"], said["learns"], said["weights"]) == ("bfs", False, [])
    assert run("weights", job) == 0
    assert tells(capsys.readouterr().out, "bfs")


def test_compare_as_json_and_as_text(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_crawl(tmp_path / "other", random_seed=9).close()
    said = json_of(capsys, "compare", job, tmp_path / "other", "-n", 1)
    assert said["shared"] == {"value": 3, "low": 3, "high": 3}
    assert said["counted"] is True
    assert [crawl["random_seed"] for crawl in said["crawls"]] == [0, 9]
    assert run("compare", job, tmp_path / "other", "--sample", 2) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"A  {job}\nB  {tmp_path / 'other'}\n")
    assert tells(text, 2, 3)


def test_beside_a_running_crawl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl = small_crawl(tmp_path)
    assert crawl.hand_out() is not None
    assert json_of(capsys, "stats", tmp_path)["states"]["leased"] == 1
    assert json_of(capsys, "url", tmp_path, NEXT)["state"] == "leased"
    crawl.step()
    crawl.close()


@pytest.mark.parametrize(
    "action",
    [("stats",), ("top",), ("url", A), ("explain", A), ("weights",), ("compare", "elsewhere")],
)
def test_no_crawl_is_told_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], action: tuple[str, ...]
) -> None:
    name, *rest = action
    assert run(name, tmp_path / "nothing", *rest) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("scrapy frontier: ")
    assert tells(told.err, tmp_path / "nothing")


def test_an_unknown_url_is_told_on_stderr(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("url", job, "http://nowhere.example/") == 1
    assert "http://nowhere.example/" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "explain"),
        (("look", "job"), "look"),
        (("stats",), "stats DIR"),
        (("stats", "a", "b"), "a b"),
        (("url", "job"), "url DIR URL"),
        (("top", "job", "-n", "0"), "-n 1"),
        (("stats", "job", "-n", "3"), "-n"),
        (("url", "job", "u", "--by", "hub"), "--by"),
        (("explain", "job"), "explain DIR URL"),
        (("compare", "a"), "compare DIR1 DIR2"),
        (("compare", "a", "b", "--sample", "0"), "--sample 1"),
        (("top", "job", "--sample", "9"), "--sample"),
        (("top", "job", "--what"), "--what"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        run(*arguments)


@pytest.mark.parametrize("option", [("--by", "luck"), ("--state", "lost"), ("-n", "many")])
def test_a_wrong_value_is_refused(option: tuple[str, str]) -> None:
    with pytest.raises(SystemExit) as refusal:
        run("top", "job", *option)
    assert refusal.value.code == 2


def test_the_choices_are_those_of_the_view() -> None:
    assert set(module._STATES) == set(STATES)
    assert module._ORDERINGS == ORDERINGS


def test_no_option_of_scrapy_is_taken_away() -> None:
    """Scrapy's parser lets a later option of the same name win without a word; this one not."""
    command = Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="error")
    command.add_options(parser)
    opts, _ = parser.parse_known_args(["top", "job", "-n", "3", "-s", "A=b", "-L", "INFO"])
    assert (opts.n, opts.set, opts.loglevel) == (3, ["A=b"], "INFO")


def test_titles_cannot_command_the_terminal(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = small_crawl(tmp_path / "evil")
    crawl.web = {NEXT: type(crawl.web[A])(title="\x1b[2J\nfree\tstuff")}
    crawl.step()
    crawl.close()
    assert run("top", tmp_path / "evil", "--state", "crawled") == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "(\\x1b[2J free stuff)" in out


def test_as_a_process_with_scrapys_own_options(job: Path, tmp_path: Path) -> None:
    done = scrapy(
        "frontier", "-s", "A=b", "top", str(job), "-n", "1", "--json", "-L", "ERROR", cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["urls"][0]["url"] == NEXT


def test_exit_codes_of_the_process(tmp_path: Path) -> None:
    missing = scrapy("frontier", "stats", "nowhere", cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "Traceback" not in missing.stderr
    assert missing.stderr.startswith("scrapy frontier: ")
    assert tells(missing.stderr, "nowhere")
    wrong = scrapy("frontier", "stats", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "scrapy frontier stats DIR" in wrong.stderr


def test_a_reader_that_goes_away_is_no_error(job: Path) -> None:
    command = [sys.executable, "-m", "scrapy", "frontier", "top", str(job)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.close()
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (0, "")


def test_importing_the_command_is_light() -> None:
    check = (
        "import sys, scrapy.commands; before = set(sys.modules);"
        "import frontier.plugin.commands.frontier;"
        "heavy = {'numpy', 'scipy', 'sqlalchemy', 'frontera', 'sklearn'};"
        "print(heavy & {name.split('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
