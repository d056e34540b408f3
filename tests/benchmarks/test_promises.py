"""`python -m benchmarks` says of each promise whether it is kept, and its exit code says it too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks.children import AbsentError, BenchmarkError
from benchmarks.report import AT_LEAST, AT_MOST, Figure

KEPT = Figure("speed of a crawl", "pages/s", 100.0, 50.0, AT_LEAST, 1.0)
MISSED = Figure("time of a page", "ms", 3.5, None, AT_MOST, 3.0, on_ratio=False)
TOLD = Figure("size of a page", "kB", 168.0)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, **measured: object) -> int:
    """Exit code where each name gives these figures, or raises that error."""

    def measure(given: object, found: object) -> list[Figure]:
        if isinstance(found, Exception):
            raise found
        return [found]

    promised = {
        name: (f"note of {name}", lambda given, found=found: measure(given, found))
        for name, found in measured.items()
    }
    monkeypatch.setattr(command, "_PROMISED", promised)
    return command.main(arguments)


@pytest.mark.parametrize(
    ("one", "met"),
    [
        (Figure("a", "s", 2.0, 2.0, AT_MOST, 1.0), True),
        (Figure("a", "s", 2.1, 2.0, AT_MOST, 1.0), False),
        (Figure("a", "s", 2.0, 2.0, AT_LEAST, 1.0), True),
        (Figure("a", "s", 1.9, 2.0, AT_LEAST, 1.0), False),
        (Figure("a", "s", 8.0, 1.0, AT_MOST, 8.0, on_ratio=False), True),
        (Figure("a", "s", 8.1, 9.0, AT_MOST, 8.0, on_ratio=False), False),
        (Figure("a", "s", 8.1, 9.0), None),
    ],
)
def test_a_promise_is_about_the_ratio_or_about_our_own_figure(one, met):
    assert one.met is met


def test_a_missed_promise_is_named_with_its_figure_and_its_bound_and_fails(monkeypatch, capsys):
    assert run(monkeypatch, a=KEPT, b=MISSED, c=TOLD) == 1
    out, err = capsys.readouterr()
    ends = {line.split()[0]: line for line in out.splitlines() if line}
    assert ends["speed"].endswith("met")
    assert "2.00" in ends["speed"]
    assert ends["time"].endswith("<= 3 ms  NOT MET")
    assert ends["size"].endswith("168")
    (missed,) = (line for line in err.splitlines() if "NOT MET" in line)
    assert "time of a page" in missed
    assert "3.5 ms" in missed
    assert "<= 3 ms" in missed


def test_what_cannot_be_measured_here_is_skipped_with_its_reason(monkeypatch, capsys):
    assert run(monkeypatch, a=AbsentError("no recorded web x.warc.gz"), b=KEPT) == 0
    out = capsys.readouterr().out
    assert "a: skipped, no recorded web x.warc.gz" in out
    assert "note of a" not in out
    assert "note of b" in out


def test_what_fails_fails_the_run_and_the_others_are_measured_all_the_same(monkeypatch, capsys):
    assert run(monkeypatch, a=BenchmarkError("it broke"), b=KEPT) == 1
    out, err = capsys.readouterr()
    assert "a: it broke" in err
    assert "speed of a crawl" in out


def test_all_figures_are_written_as_json(monkeypatch, tmp_path):
    file = tmp_path / "figures.json"
    assert run(monkeypatch, "--json", str(file), a=KEPT, b=MISSED, c=TOLD) == 1
    rows = json.loads(file.read_text())
    assert [row["met"] for row in rows] == [True, False, None]
    assert [row["ratio"] for row in rows] == [2.0, None, None]


SMALL = {
    "throughput": ("--pages", "300", "--rounds", "1"),
    "realpages": ("--real-pages", "40"),
    "reading": ("--readings", "2"),
    "ordering": ("--ordering-urls", "2000", "--ordering-pages", "64"),
    "large": ("--memory-urls", "5000", "--resume-urls", "6000"),
}
"""Name -> options of a small run."""


def test_everything_promised_is_measured_in_small_too():
    assert set(SMALL) == set(command._PROMISED)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", SMALL)
def test_each_measures_what_is_promised(name: str, tmp_path: Path, request: pytest.FixtureRequest):
    if name in ("realpages", "reading"):
        request.getfixturevalue("shared")
    file = tmp_path / "figures.json"
    code = command.main([name, *SMALL[name], "--json", str(file)])
    rows = [
        Figure(**{k: v for k, v in row.items() if k in Figure.__annotations__})
        for row in json.loads(file.read_text())
    ]
    assert any(row.promise for row in rows)
    assert code == int(any(row.met is False for row in rows))
    if name != "large":  # so small a crawl has no memory of its own that one could tell
        assert all(row.ours > 0 for row in rows if row.promise)
