"""`scrapy lab run` from the command line: results, and what is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from frontier.lab.protocol.planning import VARIANTS
from frontier.plugin.commands import lab as lab_command
from tests.support.frontier_lab_site import SITE, labels_of, recorded
from tests.support.scrapy_runs import scrapy
from tests.support.told import tells


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    recorded(folder / "site.warc.gz")
    (folder / "topics.tsv").write_text(labels_of(SITE))
    return folder


def lab(web: Path, out: Path, *more: str, budget: int = 40) -> subprocess.CompletedProcess[str]:
    return scrapy(
        *("lab", "run", str(web / "site.warc.gz"), "--topics", str(web / "topics.tsv")),
        *("--cache", str(web / "cache"), "--out", str(out), "--budget", str(budget)),
        *("--jobs", "1", "-s", "FRONTIER_VECTORS=built-in", *more),
        cwd=out.parent,
    )


QUICK = ("--strategies", "bfs,best-first", "--variant", "inside", "--draws", "2")
ONE = ("--strategies", "bfs", "--variant", "inside", "--draws", "1")


def test_results_are_written(web: Path, tmp_path: Path) -> None:
    first = lab(web, tmp_path / "one", *QUICK)
    assert first.returncode == 0, first.stderr
    for row in ("greedy-oracle", "bfs", "best-first"):
        assert row in first.stdout
    results = json.loads((tmp_path / "one" / "results.json").read_bytes())
    assert len(results["runs"]) == 3 * 2 * 3
    assert {run["budget"] for run in results["runs"]} == {40}


def test_the_command_knows_the_variants_of_the_protocol_in_their_order() -> None:
    assert tuple(VARIANTS) == lab_command._VARIANTS


def test_topics_are_given_by_names_of_a_file_whose_bad_lines_are_told(
    web: Path, tmp_path: Path
) -> None:
    names = tmp_path / "names.tsv"
    names.write_text("birds\tbirds of prey\nfish\n", encoding="utf-8")
    given = ("--strategies", "bfs", "--variant", "keywords,names", "--draws", "1")
    done = lab(web, tmp_path / "out", *given, "--names", str(names))

    assert done.returncode == 0, done.stderr
    assert tells(done.stderr, names, "line 2")
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
        (("-s", "FRONTIER_DAMPING=7"), "FRONTIER_DAMPING"),
    ],
)
def test_what_leaves_nothing_to_measure_is_refused(
    web: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = lab(web, tmp_path / "out", *QUICK, *arguments)

    assert done.returncode == 1, done.stdout
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "required: ACTION"),
        (("walk", "x.warc"), "invalid choice: 'walk'"),
        (("run",), "scrapy lab run: error: the following arguments are required: WARC"),
        (("run", "x.warc", "--budget", "0"), "--budget: expected 1 or more, found 0"),
        (("run", "--refresh", "made-up", "--looks", "0"), "--looks: expected a number above 0"),
        (
            ("run", "x.warc", "--variant", "upside"),
            "--variant: expected some of names, ",
        ),
    ],
)
def test_a_command_line_that_means_nothing_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = scrapy("lab", *arguments, cwd=tmp_path)

    assert done.returncode == 2
    assert message in done.stderr + done.stdout


def test_labels_are_asked_for_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no recording at all")
    done = scrapy("lab", "run", "notes.txt", cwd=tmp_path)
    assert "--topics FILE" in done.stderr


def test_it_says_that_it_parses_and_where_the_result_is_kept(web: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    mistyped = ("--cache", str(cache), "-s", "FRONTIER_DAMPNG=0.5")
    first = lab(web, tmp_path / "out", *ONE, *mistyped)
    assert tells(first.stderr, "site", cache)
    assert tells(first.stderr, "FRONTIER_DAMPNG", "FRONTIER_DAMPING")
    assert not tells(lab(web, tmp_path / "out", *ONE, "--cache", str(cache)).stderr, cache)


def test_a_file_that_is_no_recording_is_refused(web: Path, tmp_path: Path) -> None:
    (tmp_path / "site.warc.gz").write_bytes(b"no recording at all")
    (tmp_path / "topics.tsv").write_text(labels_of(SITE))
    done = lab(tmp_path, tmp_path / "out", *QUICK)

    assert done.returncode == 1
    assert "WARC" in done.stderr


def test_rules_for_looking_at_pages_again_are_compared(tmp_path: Path) -> None:
    url = "http://h.example/"
    lines = [f"{day * 86400}\tM\t{url}{page}" for page in range(10) for day in range(page + 1)]
    (tmp_path / "log.tsv").write_text("".join(f"{line}\n" for line in lines))
    given = ("--told", "0.5", "--days", "20", "--begin", "1970-01-01", "--random-seed", "3")
    done = scrapy("lab", "run", "--refresh", "log.tsv", *given, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "lab" / "results.json").read_text())
    assert results["protocol"] == {
        "looks": 0.1,
        "days": 20,
        "begin": 0,
        "seed": 3,
        "sitemaps": {"told": 0.5, "lies": 0},
    }
    (run,) = results["runs"]
    assert (run["log"], run["pages"], run["changes"]) == ("log.tsv", 10, 45)
    assert list(run["staleness"]) == ["sweep", "nutch", "cho", "auto", "true"]
    assert all(rule in done.stdout for rule in run["staleness"])
    assert tells(done.stdout, "log.tsv", 10, 45, f"{run['staleness']['sweep']:.4f}")


def test_a_file_that_is_no_change_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.tsv").write_text("no change log at all\n")
    done = scrapy("lab", "run", "--refresh", "log.tsv", cwd=tmp_path)

    assert done.returncode == 1
    assert tells(done.stderr, "log.tsv", 1)
    assert not (tmp_path / "lab").exists()
