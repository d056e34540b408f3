"""The command line of the Spark jobs, as far as it needs no Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ranking.offline import METHODS as OFFLINE
from ranking.spark.command import DAMPED, METHODS, main

ROOT = Path(__file__).resolve().parents[3]


def refused(arguments: list[str], capsys) -> str:
    try:
        status = main(["rank", "links.parquet", "--out", "scores", *arguments])
    except SystemExit as end:
        status = end.code
    assert status == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    return said


@pytest.mark.parametrize("name", METHODS)
def test_a_method_needs_what_it_needs_without_spark(name):
    needs = OFFLINE[name].needs
    assert (needs in METHODS[name]) if needs else not METHODS[name]
    assert (name in DAMPED) == OFFLINE[name].damped


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--method ppr", "--restart"),
        ("--method trustrank", "--seeds"),
        ("--method topic-hits", "--relevance"),
        ("--method pagerank --seeds s.tsv", "--seeds"),
        ("--method ppr --relevance r.tsv", "--relevance"),
        ("--method trustrank --seeds s.tsv --restart r.tsv", "--restart"),
        ("--method hits --damping 0.5", "--damping"),
        ("--method salsa", "salsa"),
        ("--method pagerank --damping 1", "--damping"),
        ("--method pagerank --tol 0", "--tol"),
        ("--method pagerank --tol inf", "--tol"),
        ("--method pagerank --max-iterations 0", "--max-iterations"),
    ],
)
def test_an_option_that_is_missing_ignored_or_out_of_range_is_named(arguments, named, capsys):
    assert named in refused(arguments.split(), capsys)


def test_without_pyspark_a_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    assert "scrapy-linkrank[spark]" in refused(["--method", "pagerank"], capsys)


def test_the_command_imports_nothing_that_has_to_be_installed():
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import ranking.spark.command"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, timeout=60)
