"""From the records of a lab run to figures, tables, pictures and one page.

`make_report` scores and sums up, `write_report` writes results.json, table.tsv, table.md,
report.html and the curves as SVG files, `text_report` gives the lines for a terminal. `curves_svg`
draws the curves of chosen strategies.
"""

from __future__ import annotations

from frontier.lab.report.entries import Entry, entries_of
from frontier.lab.report.pictures import HARVEST, RECALL, curves_svg
from frontier.lab.report.regret import REPLAYS, Regret, regret_of
from frontier.lab.report.report import LabReport, WebNote, make_report, web_note
from frontier.lab.report.tables import text_report
from frontier.lab.report.writing import write_report

__all__ = [
    "HARVEST",
    "RECALL",
    "REPLAYS",
    "Entry",
    "LabReport",
    "Regret",
    "WebNote",
    "curves_svg",
    "entries_of",
    "make_report",
    "regret_of",
    "text_report",
    "web_note",
    "write_report",
]
