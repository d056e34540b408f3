"""`scrapy frontier` as a user meets it: output, exit codes, wrong command lines."""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from frontier.plugin.commands import base
from frontier.plugin.commands.base import ActionCommand
from frontier.plugin.commands.frontier import Command
from frontier.plugin.commands.lab import Command as LabCommand
from frontier.plugin.commands.web import Command as WebCommand
from frontier.states import Change
from tests.support.driven_crawl import NEXT, A, B, C
from tests.support.revisited_at import DAY, START, revisited, revisited_crawl
from tests.support.scrapy_runs import scrapy
from tests.support.told import tells

COMMANDS: dict[str, type[ActionCommand]] = {
    "frontier": Command,
    "lab": LabCommand,
    "web": WebCommand,
}


def options(*arguments: object, command: ActionCommand | None = None) -> argparse.Namespace:
    """What a command makes of its command line, in this process, as Scrapy has it done."""
    command = command or Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    opts, args = parser.parse_known_args([str(one) for one in arguments])
    command.process_options(args, opts)
    return opts


def run(*arguments: object) -> int:
    """Run the command in this process as Scrapy would; returns its exit code."""
    command = Command()
    command.run([], options(*arguments, command=command))
    return command.exitcode


def json_of(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert run(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("by", "state"),
    [("relevance", "crawled"), ("score", "queued")],
)
def test_what_only_pages_have_is_listed_of_pages(
    job: Path, capsys: pytest.CaptureFixture[str], by: str, state: str
) -> None:
    said = json_of(capsys, "top", job, "--by", by)
    assert (said["by"], said["state"]) == (by, state)
    assert {row["state"] for row in said["urls"]} == {state}
    assert json_of(capsys, "top", job, "--by", by, "--state", "error")["state"] == "error"


@pytest.fixture
def refreshed(tmp_path: Path) -> Path:
    return revisited_crawl(
        tmp_path / "refreshed",
        revisited(0, (0, 200, Change.NEW), (4, 200, Change.CHANGED), share=0.25),
        revisited(1, (1, 200, Change.NEW), (5, 404, Change.GONE)),
    )


def test_changes_newest_first(refreshed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = json_of(capsys, "changes", refreshed)
    listed = [(row["change"], row["url"]) for row in said["changes"]]
    assert listed == [("gone", B), ("changed", A), ("new", B), ("new", A)]
    assert said["changes"][1]["share_of_text"] == 0.25
    assert (said["since"], said["pages"], said["revisits"]) == (None, 2, 2)
    assert run("changes", refreshed, "-n", "2") == 0
    shown = capsys.readouterr().out
    assert tells(shown, "2026-10-29 10:00:00 UTC", "gone", "2026-10-25 10:00:00 UTC", B)
    assert tells(shown, "changed", "25.0 %", A)
    assert tells(shown, "and 2 more", "--json")


@pytest.mark.parametrize(
    ("since", "changes"),
    [
        ("2026-10-28", ["gone", "changed"]),
        ("2026-10-28T10:00:01Z", ["gone"]),
        ("2026-10-28 10:00:00 UTC", ["gone", "changed"]),
        ("2026-10-28T12:00:00+02:00", ["gone", "changed"]),
        (str(int(START + 5 * DAY)), ["gone"]),
        (f"{START + 5 * DAY}1", []),
        ("60s", []),
        ("99999w", ["gone", "changed", "new", "new"]),
    ],
)
def test_changes_since_a_moment(
    refreshed: Path, capsys: pytest.CaptureFixture[str], since: str, changes: list[str]
) -> None:
    said = json_of(capsys, "changes", refreshed, "--since", since)
    assert [row["change"] for row in said["changes"]] == changes


def test_an_age_is_taken_from_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base.time, "time", lambda: 10 * DAY)
    ages = {"90s": 90, "2m": 120, "1.5h": 5400, "3d": 3 * DAY, "1w": 7 * DAY, "100w": 10 * DAY}
    assert {age: 10 * DAY - base.since(age) for age in ages} == ages


@pytest.mark.parametrize(
    "since",
    ["", "yesterday", "2026-13-01", "2026", "3 d", "-2h", "2y", "1e9", "nan", "٣d", "9" * 30],
)
def test_a_moment_that_is_none_is_refused(
    refreshed: Path, since: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        run("changes", refreshed, f"--since={since}")
    assert tells(capsys.readouterr().err, "--since", "expected")


def test_a_crawl_that_never_refreshed_says_so(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert json_of(capsys, "changes", job)["pages"] == 0
    assert run("changes", job) == 0
    assert tells(capsys.readouterr().out, "never", "FRONTIER_REFRESH=auto")


def test_nothing_changed_since_says_so(refreshed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("changes", refreshed, "--since", "1h") == 0
    shown = capsys.readouterr().out
    assert tells(shown, "Nothing changed.")
    assert "counts" not in shown


def test_stats_url_and_explain_show_revisits(
    refreshed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert json_of(capsys, "stats", refreshed)["refresh"]["gone"] == 1
    for action in ("url", "explain"):
        assert json_of(capsys, action, refreshed, A)["revisits"]["changes"] == 1
        assert run(action, refreshed, A) == 0
        shown = capsys.readouterr().out
        assert tells(shown, "chance of change")
        assert tells(shown, "2026-10-28 10:00:00 UTC", 200, "changed")
    assert run("stats", refreshed) == 0
    assert tells(capsys.readouterr().out, "up to date", "%")


def test_stats_as_json(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stats = json_of(capsys, "stats", job)
    assert stats["known"] == 8
    assert stats["states"]["queued"] == 2
    assert (stats["relevant"], stats["judged"], stats["harvest_rate"]) == (2, 3, None)
    assert stats["errors"][0] == {"reason": "HTTP 404", "count": 1}
    assert stats["top_hosts"][0] == {"host": "b.example", "pages": 1, "known": 3}


def test_stats_as_text(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("stats", job) == 0
    lines = capsys.readouterr().out.splitlines()
    for facts in (
        (job,),
        ("strategy", "bfs"),
        (2, "queued"),
        ("relevant", 2),
        ("harvest rate", "not known", f"scrapy frontier label {job} --at-random"),
    ):
        assert tells(lines, *facts), facts
    assert [line.split() for line in lines[-5:-2]] == [
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
    assert head.split() == ["rank", "value", "state", "relevance", "predicted", "url", "title"]
    assert [row.split()[:3] + row.split()[5:] for row in rows] == [
        ["1", "0.75", "crawled", A, "Page", "A"],
        ["2", "0.5", "crawled", C, "Page", "C"],
        ["3", "0.25", "crawled", B, "Page", "B"],
    ]


def test_url_as_json_and_as_text(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json_of(capsys, "url", job, "c.example")
    assert (report["url"], report["relevance"], report["priority"]) == (C, 0.5, None)
    assert [link["url"] for link in report["in_links"]] == [B, "http://a.example/old"]
    assert run("url", job, C) == 0
    text = capsys.readouterr().out
    assert tells(text, "url", C)
    assert tells(text, "state", "crawled")
    assert tells(text, B, 1)
    assert tells(text, "anchor", f"to {C}")


def test_explain_as_json_and_as_text(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = json_of(capsys, "explain", job, "c.example", "-n", 1)
    assert (said["url"], said["state"], said["strategy"]) == (C, "crawled", "bfs")
    assert run("explain", job, NEXT) == 0
    text = capsys.readouterr().out
    assert tells(text, "url", NEXT)
    assert tells(text, "rank", 1)
    assert tells(text, "queued", 2)


def test_an_unknown_url_is_told_on_stderr(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("url", job, "http://nowhere.example/") == 1
    assert "http://nowhere.example/" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "required: ACTION"),
        (("look", "job"), "invalid choice: 'look'"),
        (("stats",), "scrapy frontier stats: error: the following arguments are required: DIR"),
        (("stats", "a", "b"), "unrecognized arguments: b"),
        (("url", "job"), "required: URL"),
        (("top", "job", "-n", "0"), "-n: expected 1 or more, found 0"),
        (("top", "job", "-n", "many"), "-n: expected 1 or more, found many"),
        (("top", "job", "--by", "luck"), "--by: invalid choice: 'luck'"),
        (("top", "job", "--state", "lost"), "--state: invalid choice: 'lost'"),
        (("stats", "job", "-n", "3"), "unrecognized arguments: -n 3"),
        (("url", "job", "u", "--by", "hub"), "unrecognized arguments: --by hub"),
        (("explain", "job"), "required: URL"),
        (("top", "job", "--log", "x"), "unrecognized arguments: --log x"),
    ],
)
def test_a_wrong_command_line_is_refused(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        run(*arguments)
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        "top job -n 3 --json -s A=b -L INFO -s B=c",
        "-s A=b top -LINFO -n 3 job -s B=c --json",
        "-s A=b top --json -s B=c -n3 job --loglevel=INFO",
        "-L INFO -s A=b -s B=c top --json -n 3 job",
    ],
)
def test_scrapys_options_stand_anywhere_and_ours_behind_the_action(words: str) -> None:
    opts = options(*words.split())
    assert (opts.directory, opts.n, opts.json) == (Path("job"), 3, True)
    assert (opts.set, opts.loglevel) == (["A=b", "B=c"], "INFO")


def help_of(*words: str, cwd: Path) -> str:
    done = scrapy(*words, cwd=cwd, env={"COLUMNS": "80"})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", ["frontier", "lab", "web"])
def test_help_lists_the_actions_a_line_each_and_scrapys_own_options(
    tmp_path: Path, name: str
) -> None:
    text = help_of(name, "-h", cwd=tmp_path)
    assert max(map(len, text.splitlines())) <= 80
    assert "-s NAME=VALUE" in text
    listed = text.partition("  ACTION\n")[2].partition("\n\n")[0].splitlines()
    command = COMMANDS[name]()
    assert [line.split()[0] for line in listed] == [one.name for one in command.actions()]


def test_help_of_an_action_is_about_that_action(tmp_path: Path) -> None:
    text = help_of("frontier", "top", "job", "-n", "3", "--help", cwd=tmp_path)
    assert text.startswith("usage: scrapy frontier top [")
    assert "  -n N                  how many URLs (default: 20)\n" in text
    assert "(default: priority)" in text
    assert "--salvage" not in text
    assert "-s NAME=VALUE" not in text


def test_every_action_says_what_it_does_and_what_its_arguments_mean() -> None:
    for command in (kind() for kind in COMMANDS.values()):
        command.settings = Settings()
        for one in command.actions():
            summary = one.help.partition("\n")[0]
            assert 20 < len(summary) <= 54, "longer lines are wrapped in the list of actions"
            assert summary.endswith(".")
            parser = argparse.ArgumentParser()
            assert all(add(parser).help for add in (*one.arguments, *command.common))


def test_exit_codes_of_the_process(tmp_path: Path) -> None:
    missing = scrapy("frontier", "stats", "nowhere", cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "Traceback" not in missing.stderr
    assert missing.stderr.startswith("scrapy frontier: ")
    assert tells(missing.stderr, "nowhere")
    wrong = scrapy("frontier", "stats", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert tells(wrong.stderr, "scrapy frontier stats", "DIR")


def test_a_reader_that_goes_away_is_no_error(job: Path) -> None:
    command = [sys.executable, "-m", "scrapy", "frontier", "top", str(job)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.close()
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (0, "")


# -- `scrapy frontier check` as a user meets it: what it prints, its exit code, how to go on --


def damage(job: Path) -> None:
    with closing(sqlite3.connect(job / "frontier.sqlite")) as connection, connection:
        connection.execute("UPDATE pages SET adj = x'ffffff7f' WHERE seq = 0")


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
