"""One figure a web: nAUC of the default order over the topics, with how sure it is, beside bfs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.harvest.webs import HEADLINE

BESIDE: Final = "bfs"
_HEADING: Final = (
    *("web", "topics", "nAUC", "from", "to", "nAUC bfs"),
    *("HR100", "from", "to", "HR100 bfs"),
)


def overall_row(name: str, results: dict[str, Any]) -> list[str] | None:
    """A line of the table, or None where the reference was not run for keywords.

    Intervals are 95 % percentile bootstraps over the topics, as in the lab's own reports.
    """
    rows = {row["strategy"]: row for row in results["summary"] if row["variant"] == HEADLINE}
    ours = rows.get(results["protocol"]["reference"])
    if ours is None:
        return None
    cells = [name, str(ours["figures"]["nauc"]["n"])]
    for figure in ("nauc", "harvest_100"):
        cells += _interval([topic[figure] for topic in ours["topics"].values()])
        peer = rows.get(BESIDE)
        cells.append(_number(peer["figures"].get(figure, {}).get("mean")) if peer else "-")
    return cells


def _interval(values: Iterable[float | None]) -> list[str]:
    """Mean and its interval."""
    from frontier.lab.report.summary import bootstrap_interval

    known = [value for value in values if value is not None]
    if not known:
        return ["-", "-", "-"]
    low, high = bootstrap_interval(known) if len(known) > 1 else (None, None)
    return [_number(sum(known) / len(known)), _number(low), _number(high)]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def overall_table(rows: Sequence[Sequence[str]]) -> str:
    """The table for people."""
    lines = [_HEADING, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(_HEADING))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def write_overall(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """The same for machines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["\t".join(line) for line in (_HEADING, *rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
