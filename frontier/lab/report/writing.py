"""All files of a report, in one folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.errors import LabError
from frontier.lab.report.page import page
from frontier.lab.report.pictures import pictures
from frontier.lab.report.results import results_text
from frontier.lab.report.tables import markdown_report, tsv_report

if TYPE_CHECKING:
    from pathlib import Path

    from frontier.lab.report.report import LabReport

_FILES = {
    "results.json": results_text,
    "table.tsv": tsv_report,
    "table.md": markdown_report,
    "report.html": page,
}


def write_report(report: LabReport, folder: Path) -> list[Path]:
    """Write all files; return their paths.

    A file is replaced when its successor is whole. Raises LabError where it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        texts = {name: make(report) for name, make in _FILES.items()} | pictures(report)
        return [_write(folder / name, text) for name, text in texts.items()]
    except OSError as error:
        raise LabError(
            f"expected a folder for the results that can be written, but {folder} cannot: "
            f"{error.strerror or error}. Name another one"
        ) from error


def _write(path: Path, text: str) -> Path:
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text, encoding="utf-8")
    return draft.replace(path)
