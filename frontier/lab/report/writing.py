"""All files of a report, in one folder; among them `results.json`, for programs.

The same runs give the same bytes: keys are in a fixed order, and nothing of the machine or of the
time goes in. A reader checks `format` and `version`; the version goes up when a key changes its
meaning or goes away, not when one is added. docs/lab-report.md describes the keys.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from frontier.errors import LabError
from frontier.lab.replay.run_folder import write_whole
from frontier.lab.report.charts import pictures
from frontier.lab.report.page import page
from frontier.lab.report.tables import markdown_report, tsv_report

if TYPE_CHECKING:
    from pathlib import Path

    from frontier.lab.report.report import LabReport

FORMAT = "scrapy-linkrank lab results"
VERSION = 1
_DIGITS = 9
"""Of a figure; sums in another order differ behind the twelfth."""


def write_report(report: LabReport, folder: Path) -> list[Path]:
    """Write all files; return their paths.

    A file is replaced when its successor is whole. Raises LabError where it cannot be written.
    """
    texts = {
        "results.json": results_text(report),
        "table.tsv": tsv_report(report),
        "table.md": markdown_report(report),
        "report.html": page(report),
        **pictures(report),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [write_whole(folder / name, text) for name, text in texts.items()]
    except OSError as error:
        raise LabError(
            f"expected a folder for the results that can be written, but {folder} cannot: "
            f"{error.strerror or error}. Name another one"
        ) from error


def results_text(report: LabReport) -> str:
    """The report as JSON, one line a run and a row: two of them can be compared line by line."""
    said = {
        "format": FORMAT,
        "version": VERSION,
        "library": report.library,
        "protocol": {
            "budget": report.protocol.budget,
            "draws": report.protocol.draws,
            "variants": report.protocol.variants,
            "topics": report.protocol.part,
            "reference": report.reference,
        },
        "webs": [asdict(web) for web in report.webs],
        "strategies": [asdict(entry) for entry in report.entries],
        "runs": [
            {**run.key._asdict(), **asdict(run.trace), "figures": run.figures}
            for run in report.runs
        ],
        "unscored": [key._asdict() for key in report.unscored],
        "summary": [
            {
                **row.setting._asdict(),
                "strategy": row.strategy,
                "figures": {name: asdict(average) for name, average in row.averages.items()},
                "against_reference": {name: asdict(one) for name, one in row.against.items()},
                "topics": row.topics,
            }
            for row in report.rows
        ],
        "regret": [asdict(regret) for regret in report.regrets],
        "notes": report.notes,
    }
    parts = [f'"{key}": {_lines(_rounded(value))}' for key, value in said.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(value: object) -> str:
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(one) for one in value]
    return value
