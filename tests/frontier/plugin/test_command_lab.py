"""`scrapy lab run` from the command line: results, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frontier.lab.protocol.planning import VARIANTS
from frontier.plugin.commands import lab as lab_command
from frontier.plugin.commands.lab import Command
from tests.frontier.plugin.test_command_frontier import options
from tests.support.frontier_lab_site import SITE, labels_of, recorded
from tests.support.scrapy_runs import scrapy
from tests.support.told import tells


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    recorded(folder / "site.warc.gz")
    (folder / "topics.tsv").write_text(labels_of(SITE))
    return folder


def here(*arguments: str) -> int:
    """Run the command in this process as Scrapy would; returns its exit code."""
    command = Command()
    opts = options(*arguments, command=command)
    assert command.settings is not None
    command.settings.set("FRONTIER_VECTORS", "built-in")
    command.run([], opts)
    return command.exitcode


def words(web: Path, out: Path, *more: str) -> list[str]:
    """A command line about the recorded web."""
    return [
        *("run", str(web / "site.warc.gz"), "--topics", str(web / "topics.tsv")),
        *("--cache", str(web / "cache"), "--out", str(out), "--budget", "40", "--jobs", "1", *more),
    ]


QUICK = ("--strategies", "bfs,best-first", "--variant", "inside", "--draws", "2")
ONE = ("--strategies", "bfs", "--variant", "inside", "--draws", "1")


def test_results_are_written(web: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert here(*words(web, tmp_path / "one", *QUICK)) == 0
    shown = capsys.readouterr().out
    for row in ("greedy-oracle", "bfs", "best-first"):
        assert row in shown
    results = json.loads((tmp_path / "one" / "results.json").read_bytes())
    assert len(results["runs"]) == 3 * 2 * 3
    assert {run["budget"] for run in results["runs"]} == {40}


def test_the_command_knows_the_variants_of_the_protocol_in_their_order() -> None:
    assert tuple(VARIANTS) == lab_command._VARIANTS


def test_topics_are_given_by_names_of_a_file_whose_bad_lines_are_told(
    web: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tmp_path / "names.tsv"
    names.write_text("birds\tbirds of prey\nfish\n", encoding="utf-8")
    given = ("--strategies", "bfs", "--variant", "keywords,names", "--draws", "1")
    assert here(*words(web, tmp_path / "out", *given, "--names", str(names))) == 0
    assert tells(capsys.readouterr().err, names, "line 2")
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert list(dict.fromkeys(run["variant"] for run in results["runs"])) == ["names", "keywords"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--strategies", "besst"), "besst"),
        (("--seeds", "http://elsewhere.example/"), "http://elsewhere.example/"),
        (("--keywords", "nowhere.tsv"), "nowhere.tsv"),
        (("--min-pages", "4000"), "4,000"),
        (("--budget", "2"), "budget"),
    ],
)
def test_what_leaves_nothing_to_measure_is_refused(
    web: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert here(*words(web, tmp_path / "out", *QUICK, *arguments)) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "required: ACTION"),
        (("walk", "x.warc"), "invalid choice: 'walk'"),
        (("run",), "scrapy lab run: error: the following arguments are required: WARC"),
        (("run", "x.warc", "--budget", "0"), "--budget: expected 1 or more, found 0"),
        (
            ("run", "--refresh", "made-up", "--revisits", "0"),
            "--revisits: expected a number above 0",
        ),
        (
            ("run", "x.warc", "--variant", "upside"),
            "--variant: expected some of names, ",
        ),
    ],
)
def test_a_command_line_that_means_nothing_is_refused(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        here(*arguments)
    assert message in capsys.readouterr().err


def test_labels_are_asked_for_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("no recording at all")
    assert here("run", str(tmp_path / "notes.txt")) == 1
    assert "--topics FILE" in capsys.readouterr().err


def test_it_says_that_it_parses_and_where_the_result_is_kept(web: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    lab = words(web, tmp_path / "out", *ONE, "--cache", str(cache))
    first, second = (
        scrapy("lab", *lab, "-s", "FRONTIER_VECTORS=built-in", *more, cwd=tmp_path)
        for more in (("-s", "FRONTIER_DAMPNG=0.5"), ())
    )
    assert first.returncode == second.returncode == 0, first.stderr
    assert tells(first.stderr, "site", cache)
    assert tells(first.stderr, "FRONTIER_DAMPNG", "FRONTIER_DAMPING")
    assert not tells(second.stderr, cache)


def test_a_file_that_is_no_recording_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "site.warc.gz").write_bytes(b"no recording at all")
    (tmp_path / "topics.tsv").write_text(labels_of(SITE))
    assert here(*words(tmp_path, tmp_path / "out", *QUICK)) == 1
    assert "WARC" in capsys.readouterr().err


def test_rules_for_revisits_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url = "http://h.example/"
    lines = [f"{day * 86400}\tM\t{url}{page}" for page in range(10) for day in range(page + 1)]
    (tmp_path / "log.tsv").write_text("".join(f"{line}\n" for line in lines))
    given = ("--announced", "0.5", "--days", "20", "--begin", "1970-01-01", "--random-seed", "3")
    assert here("run", "--refresh", "log.tsv", *given) == 0
    shown = capsys.readouterr().out
    results = json.loads((tmp_path / "lab" / "results.json").read_text())
    assert results["protocol"] == {
        "revisits": 0.1,
        "days": 20,
        "begin": 0,
        "seed": 3,
        "sitemaps": {"announced": 0.5, "lies": 0},
    }
    (run,) = results["runs"]
    assert (run["log"], run["pages"], run["changes"]) == ("log.tsv", 10, 45)
    assert list(run["staleness"]) == ["sweep", "nutch", "cho", "auto", "true"]
    assert all(rule in shown for rule in run["staleness"])
    assert tells(shown, "log.tsv", 10, 45, f"{run['staleness']['sweep']:.4f}")


def test_a_file_that_is_no_change_log_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log.tsv").write_text("no change log at all\n")
    assert here("run", "--refresh", str(tmp_path / "log.tsv"), "--out", str(tmp_path / "lab")) == 1
    assert tells(capsys.readouterr().err, "log.tsv", 1)
    assert not (tmp_path / "lab").exists()
