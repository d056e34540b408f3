from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchmarks.ranking.report import Section, Verdict, verdicts_text, write_json
from benchmarks.ranking.runs import Result
from benchmarks.report import AT_LEAST

if TYPE_CHECKING:
    from pathlib import Path


def test_a_tool_without_figures_is_listed_with_its_reason():
    text = Section("walks", [_took("ours", 0.5), Result("slow", cannot="over 180 s")]).text()
    assert [line.split()[0] for line in text.splitlines()[2:]] == ["ours", "slow"]
    assert text.endswith("over 180 s")


def test_claims_are_a_line_each_and_all_of_it_is_json(tmp_path: Path):
    claim = Verdict("faster", 7.0, "x", AT_LEAST, 8, "than it")
    section = Section("walks", [_took("ours", 0.5)], [claim])
    assert verdicts_text([section]).splitlines()[-1].split() == (
        ["faster", "7", "x", ">=", "8", "x", "MISSED", "than", "it"]
    )
    write_json(tmp_path / "all.json", [section])
    (part,) = json.loads((tmp_path / "all.json").read_text())
    assert part["verdicts"][0]["met"] is False
    assert part["results"][0]["tool"] == "ours"


def _took(tool: str, total: float) -> Result:
    return Result(tool, rank=total, total=total, error=1e-7, peak=100.0, setting=1e-6, rounds=2)
