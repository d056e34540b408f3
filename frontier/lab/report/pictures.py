"""The curves of a lab run as PNG files, for papers and slides.

matplotlib is in the extra `lab`; this is the one module that imports it, and it is imported only
where PNGs are asked for. It draws without a screen.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.lab.report.curves import harvest_curve, recall_curve
from frontier.lab.report.drawing import PLAIN
from frontier.lab.report.page import styles_of
from frontier.lab.report.styling import COLOURS, ORACLE_STYLE, TRUTH_STYLE
from frontier.lab.report.tables import title
from ranking.offline.errors import MissingExtraError
from ranking.printing import shown

if TYPE_CHECKING:
    from frontier.lab.report.curves import Curve
    from frontier.lab.report.report import LabReport
    from frontier.lab.report.scoring import Setting

_INKS = ("#0b5fd0", "#c8372d", "#1d8a57", "#a86a00", "#7a44c4", "#00808f", "#b0348a")
_LOOKS: dict[str, dict[str, Any]] = {
    PLAIN: {"color": "#b6bec9", "linewidth": 0.8, "zorder": 1},
    ORACLE_STYLE: {"color": "#1c2430", "linewidth": 1.4, "linestyle": "--", "zorder": 3},
    TRUTH_STYLE: {"color": "#5b6675", "linewidth": 1.4, "linestyle": ":", "zorder": 3},
    **{
        style: {"color": ink, "linewidth": 1.4, "zorder": 2}
        for style, ink in zip(COLOURS, _INKS, strict=True)
    },
    COLOURS[0]: {"color": _INKS[0], "linewidth": 2.4, "zorder": 4},
}
_BANDS = COLOURS[:2]
"""The reference and the best other: with more bands none can be told."""
_DPI = 150


def write_pictures(report: LabReport, folder: Path) -> list[Path]:
    """Write a PNG for every table, recall and harvest side by side; return their paths.

    Raises MissingExtraError without matplotlib.
    """
    figure_class = _figure_class()
    styles = styles_of(report)
    return [_write(report, setting, styles, folder, figure_class) for setting in report.settings]


def _figure_class() -> Any:
    try:
        # Not pyplot: it keeps figures, looks for a screen, and is for people at a prompt.
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "Writing PNG files", "lab") from error
    return Figure


def _write(
    report: LabReport,
    setting: Setting,
    styles: dict[str, str],
    folder: Path,
    figure_class: Any,
) -> Path:
    figure = figure_class(figsize=(12.5, 4.8), layout="constrained")
    figure.suptitle(_plain(title(report, setting)))
    panels = figure.subplots(1, 2)
    courses = (("recall", recall_curve), ("harvest rate", harvest_curve))
    for panel, (name, make) in zip(panels, courses, strict=True):
        for row in report.table(setting):
            style = styles.get(row.strategy, PLAIN)
            _draw(panel, row.strategy, style, make(report.runs_of(row)))
        panel.set(xlabel="requests", ylabel=name, ylim=(0, None))
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_xlim(0, report.budget)
    panels[1].set_xscale("log")
    panels[1].xaxis.set_major_formatter("{x:,.0f}")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", frameon=False, fontsize=9)
    path = folder / f"{setting.web}-{setting.variant}.png"
    # The time of writing stays out: the same runs give the same file.
    figure.savefig(path, dpi=_DPI, metadata={"Software": None})
    return path


def _plain(name: str) -> str:
    r"""A name in which matplotlib finds no formula; it would stop at `$\x$`."""
    return shown(name).replace("$", r"\$")


def _draw(panel: Any, name: str, style: str, curve: Curve) -> None:
    look = _LOOKS[style]
    panel.plot(curve.at, curve.mean, label=None if style == PLAIN else _plain(name), **look)
    if style in _BANDS:
        panel.fill_between(curve.at, curve.low, curve.high, color=look["color"], alpha=0.12, lw=0)
