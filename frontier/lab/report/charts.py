"""The charts of a report: recall and harvest rate by requests, in its page and as SVG files."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from frontier.lab.replay.records import GREEDY_ORACLE
from frontier.lab.report.drawing import Curve, Line, Scale, picture, rounded_up
from frontier.lab.report.report import BOUND
from frontier.lab.report.styling import COLOURS, ORACLE_STYLE, PLAIN, TRUTH_STYLE
from frontier.lab.report.tables import title

if TYPE_CHECKING:
    from frontier.lab.report.metrics import Run, Setting
    from frontier.lab.report.report import LabReport

RECALL, HARVEST = MEASURES = ("recall", "harvest rate")
_POINTS = 120
_FIRST = 10
"""Requests before a harvest rate is drawn: of the first few it is all or nothing."""
_ALWAYS = ("bfs",)
"""In colour wherever it ranks: what a crawler does that does not choose."""


def curves_of(report: LabReport, setting: Setting, measure: str) -> tuple[str, list[Line], Scale]:
    """Title, lines and scale of a chart of RECALL or HARVEST."""
    styles = styles_of(report)
    first = float(min(_FIRST, report.protocol.budget)) if measure == HARVEST else 0.0
    lines = []
    for row in report.table(setting):
        style = styles.get(row.strategy, PLAIN)
        curve = curve_of(report.runs_of(row), measure)
        lines.append(Line(row.strategy, style, curve, band=style == COLOURS[0]))
    highest = rounded_up(max(float(line.curve.mean.max()) for line in lines) or 1.0)
    scale = Scale(float(report.protocol.budget), highest, first)
    return f"{measure.capitalize()}, {title(report, setting)}", lines, scale


def curve_of(runs: Sequence[Run], measure: str) -> Curve:
    """Mean and quartiles over topics, up to the budget; of a harvest rate early points lie denser.

    Recall is the share of the targets found, the harvest rate that of the requests made so far.
    """
    budget = max(run.trace.budget for run in runs)
    steps = np.linspace(1, budget, _POINTS)
    if measure == HARVEST:
        steps = np.geomspace(min(_FIRST, budget), budget, _POINTS)
    at = np.unique(steps.round().astype(np.int64))
    by_topic: dict[str, list[np.ndarray]] = {}
    for run in runs:
        found = np.searchsorted(np.array(run.trace.hits), at, side="right").astype(np.float64)
        course = found / (at if measure == HARVEST else run.trace.targets)
        by_topic.setdefault(run.key.topic, []).append(course)
    topics = np.array([np.mean(draws, axis=0) for draws in by_topic.values()])
    low, high = np.quantile(topics, [0.25, 0.75], axis=0)
    return Curve(at, topics.mean(axis=0), low, high)


def pictures(report: LabReport) -> dict[str, str]:
    """SVG files by name, two a setting."""
    files = {}
    for setting in report.settings:
        stem = f"{setting.web}-{setting.variant}".replace("/", "_")
        for measure in MEASURES:
            name, lines, scale = curves_of(report, setting, measure)
            files[f"{stem}-{measure.split()[0]}.svg"] = picture(name, measure, lines, scale)
    return files


def styles_of(report: LabReport) -> dict[str, str]:
    """Strategy -> class of its colour, the same in all charts; the best have one, others PLAIN."""
    worth: dict[str, list[float]] = {}
    for row in report.rows:
        if "nauc" in row.averages:
            worth.setdefault(row.strategy, []).append(row.averages["nauc"].mean)
    ranked = sorted(worth, key=lambda name: (-fmean(worth[name]), name))
    free = [name for name in ranked if report.kind(name) != BOUND and name != report.reference]
    kept = [name for name in free if name in _ALWAYS]
    room = len(COLOURS) - 1 - len(kept)
    coloured = [*[name for name in free if name not in kept][:room], *kept]
    styles = {name: TRUTH_STYLE if report.kind(name) == BOUND else PLAIN for name in ranked}
    styles |= dict(zip(coloured, COLOURS[1:], strict=False))
    return styles | {report.reference: COLOURS[0], GREEDY_ORACLE: ORACLE_STYLE}
