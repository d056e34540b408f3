"""The charts of a report: how recall and harvest went, on its page and as SVG files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Final

from frontier.lab.replay.records import GREEDY_ORACLE
from frontier.lab.report.axes import rounded_up
from frontier.lab.report.curves import FIRST, harvest_curve, recall_curve
from frontier.lab.report.drawing import PLAIN, EarlyScale, Line, Scale, picture
from frontier.lab.report.entries import BOUND
from frontier.lab.report.styling import COLOURS, ORACLE_STYLE, TRUTH_STYLE
from frontier.lab.report.tables import title

if TYPE_CHECKING:
    from frontier.lab.report.curves import Curve
    from frontier.lab.report.report import LabReport
    from frontier.lab.report.scoring import Run, Setting

RECALL, HARVEST = "recall", "harvest rate"
_COURSES: Final[dict[str, Callable[[Sequence[Run]], Curve]]] = {
    RECALL: recall_curve,
    HARVEST: harvest_curve,
}
_ALWAYS = ("bfs",)
"""In colour wherever it ranks: what a crawler does that does not choose."""


def curves_of(
    report: LabReport, setting: Setting, measure: str, strategies: Collection[str] = ()
) -> tuple[str, list[Line], Scale]:
    """Title, lines and scale of a chart of RECALL or HARVEST.

    Of these strategies or, where none is named, of all that were run.
    """
    styles = styles_of(report)
    lines = [
        Line(row.strategy, styles.get(row.strategy, PLAIN), _COURSES[measure](report.runs_of(row)))
        for row in report.table(setting)
        if not strategies or row.strategy in strategies
    ]
    last = float(report.budget)
    highest = rounded_up(max(float(line.curve.mean.max()) for line in lines) or 1.0)
    early = EarlyScale(last, highest, float(min(FIRST, report.budget)))
    scale = early if measure == HARVEST else Scale(last, highest)
    return f"{measure.capitalize()}, {title(report, setting)}", lines, scale


def curves_svg(
    report: LabReport, setting: Setting, measure: str = HARVEST, strategies: Collection[str] = ()
) -> str:
    """The same chart as the text of an SVG file, with a band around the reference alone."""
    name, lines, scale = curves_of(report, setting, measure, strategies)
    return picture(
        name, measure, [replace(line, band=line.style == COLOURS[0]) for line in lines], scale
    )


def pictures(report: LabReport) -> dict[str, str]:
    """SVG files by name, two a setting."""
    files = {}
    for setting in report.settings:
        stem = f"{setting.web}-{setting.variant}".replace("/", "_")
        for measure in _COURSES:
            files[f"{stem}-{measure.split()[0]}.svg"] = curves_svg(report, setting, measure)
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
