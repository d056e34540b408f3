"""One figure a web, variant and order: nAUC, with how sure it is, and the first hundred."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.report import aligned

_HEADING: Final = ("web", "variant", "order", "topics", "nAUC", "from", "to", "HR100", "from", "to")
_FIGURES: Final = (("nauc", "nAUC"), ("harvest_100", "HR100"))
_BEST: Final = "*"
_TOLD: Final = ("greedy-oracle",)
"""Rows that read the labels: bounds, and no orders."""


class Row(NamedTuple):
    """An order on a web, topics given as a variant says.

    Attributes:
        web: its name.
        variant: its name.
        order: its name.
        topics: how many there are figures of.
        figures: mean and the two ends of its interval of each of `_FIGURES`; None: there is none.

    """

    web: str
    variant: str
    order: str
    topics: int
    figures: dict[str, tuple[float | None, float | None, float | None]]


def overall_rows(name: str, results: dict[str, Any]) -> list[Row]:
    """What each order reached in each variant; the reference is the first.

    Intervals are 95 % percentile bootstraps over the topics, as in the lab's own reports.
    """
    reference = results["protocol"]["reference"]
    rows = sorted(results["summary"], key=lambda row: row["strategy"] != reference)
    return [
        Row(
            *(name, row["variant"], row["strategy"], row["figures"]["nauc"]["n"]),
            {
                figure: _interval([topic[figure] for topic in row["topics"].values()])
                for figure, _ in _FIGURES
            },
        )
        for row in rows
    ]


def _interval(values: Iterable[float | None]) -> tuple[float | None, float | None, float | None]:
    """Mean and its interval."""
    from frontier.lab.report.summary import bootstrap_interval

    known = [value for value in values if value is not None]
    if not known:
        return None, None, None
    low, high = bootstrap_interval(known) if len(known) > 1 else (None, None)
    return sum(known) / len(known), low, high


def overall_tables(rows: Sequence[Row]) -> str:
    """A table a figure for people: a line a variant and web, names first.

    It has a column an order, and a star at the best.
    """
    from frontier.lab.protocol.planning import VARIANTS

    orders = list(dict.fromkeys(row.order for row in rows))
    lines: dict[tuple[str, str], dict[str, Row]] = {}
    for row in sorted(rows, key=lambda row: [*VARIANTS].index(row.variant)):
        lines.setdefault((row.web, row.variant), {})[row.order] = row
    return "\n\n".join(
        aligned(
            [
                (title, "variant", "topics", f"{orders[0]} from", "to", *orders),
                *(_line(found, orders, figure) for found in lines.values()),
            ]
        )
        for figure, title in _FIGURES
    )


def _line(found: dict[str, Row], orders: Sequence[str], figure: str) -> tuple[str, ...]:
    means = {one: row.figures[figure][0] for one, row in found.items()}
    fair = {one: mean for one, mean in means.items() if mean is not None and one not in _TOLD}
    best = max(fair.values(), default=None)
    cells = [_number(means.get(one)) + _BEST * (fair.get(one, -1.0) == best) for one in orders]
    first = next(iter(found.values()))
    _, low, high = first.figures[figure]
    return first.web, first.variant, str(first.topics), _number(low), _number(high), *cells


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def write_overall(path: Path, rows: Sequence[Row]) -> None:
    """The same for machines: a line a web, variant and order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["\t".join(_HEADING)]
    for row in rows:
        figures = [_number(value) for figure, _ in _FIGURES for value in row.figures[figure]]
        lines.append("\t".join((row.web, row.variant, row.order, str(row.topics), *figures)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
