from __future__ import annotations

import subprocess
import sys

from benchmarks.ranking import runs


def child(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code])


def test_a_child_within_its_limits_ends_by_itself():
    started = child("pass")
    assert runs._watch(started) == ""
    assert started.returncode == 0


def test_a_child_that_computes_too_long_is_ended_and_the_limit_named(monkeypatch):
    monkeypatch.setattr(runs, "SECONDS", 0.2)
    started = child("while True: pass")
    assert runs._watch(started).startswith("over 0")
    assert started.returncode is not None


def test_the_middle_of_the_rounds_counts_and_the_worst_error_and_peak():
    rows = [
        {"build": 1.0, "rank": r, "took": 1 + r, "error": r / 1e7, "peak": 10 * r, "setting": 1}
        for r in (3.0, 9.0, 4.0)
    ]
    middle = runs._middle("tool", rows)
    assert (middle.rank, middle.total, middle.rounds) == (4.0, 5.0, 3)
    assert (middle.error, middle.peak) == (9e-7, 90.0)


def test_a_tool_that_cannot_has_its_reason_and_no_figures():
    assert runs._middle("tool", [{"cannot": "no HITS"}]).cannot == "no HITS"
