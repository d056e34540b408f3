"""`results.json`: every run and every figure, for programs.

The same runs give the same bytes: keys are in a fixed order, and nothing of the machine or of the
time goes in. A reader checks `format` and `version`; the version goes up when a key changes its
meaning or goes away, not when one is added. docs/lab-report.md describes the keys.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frontier.lab.report.report import LabReport
    from frontier.lab.report.scoring import Run
    from frontier.lab.report.summary import Row

FORMAT = "scrapy-linkrank lab results"
VERSION = 1
_DIGITS = 9
"""Of a figure; sums in another order differ behind the twelfth."""


def as_json(report: LabReport) -> dict[str, Any]:
    """The report as JSON types."""
    said = {
        "format": FORMAT,
        "version": VERSION,
        "library": report.library,
        "protocol": {
            "budget": report.budget,
            "draws": report.draws,
            "variants": report.variants,
            "topics": report.part,
            "reference": report.reference,
        },
        "webs": [asdict(web) for web in report.webs],
        "strategies": [asdict(entry) for entry in report.entries],
        "runs": [_run(run) for run in report.runs],
        "unscored": [key._asdict() for key in report.unscored],
        "summary": [_row(row) for row in report.rows],
        "regret": [asdict(regret) for regret in report.regrets],
        "notes": report.notes,
    }
    rounded: dict[str, Any] = _rounded(said)
    return rounded


def results_text(report: LabReport) -> str:
    """The report as text, one line a run and a row: two of them can be compared line by line."""
    parts = [f'"{key}": {_lines(value)}' for key, value in as_json(report).items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(value: object) -> str:
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def _run(run: Run) -> dict[str, Any]:
    return {**run.key._asdict(), **asdict(run.trace), "figures": run.figures}


def _row(row: Row) -> dict[str, Any]:
    return {
        **row.setting._asdict(),
        "strategy": row.strategy,
        "figures": {name: asdict(average) for name, average in row.averages.items()},
        "against_reference": {name: asdict(one) for name, one in row.against.items()},
        "topics": row.topics,
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(one) for one in value]
    return value
