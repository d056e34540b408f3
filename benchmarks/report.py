"""Figures as a table for people and as JSON for machines."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

AT_LEAST, AT_MOST = ">=", "<="


@dataclass(frozen=True)
class Figure:
    """One row: what was measured, for us and for the peer, and what it should be.

    `target` is `sense` and `bound`, on the ratio ours / peer where `on_ratio`, else on ours.
    Without a bound the row only informs.
    """

    what: str
    unit: str
    ours: float
    peer: float | None = None
    sense: str = ""
    bound: float | None = None
    on_ratio: bool = True

    @property
    def ratio(self) -> float | None:
        """Ours by the peer's."""
        return self.ours / self.peer if self.peer else None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        value = self.ratio if self.on_ratio else self.ours
        if self.bound is None or value is None:
            return None
        return value >= self.bound if self.sense == AT_LEAST else value <= self.bound

    @property
    def target(self) -> str:
        """The target in words."""
        if self.bound is None:
            return ""
        return f"{self.sense} {self.bound:,g} {'x' if self.on_ratio else self.unit}"


def table(figures: Sequence[Figure]) -> str:
    """Render the figures, a line each."""
    rows = [("what", "ours", "peer", "ours/peer", "target", "")]
    rows += [
        (
            f"{one.what} ({one.unit})",
            _number(one.ours),
            _number(one.peer),
            "" if one.ratio is None else f"{one.ratio:.2f}",
            one.target,
            {True: "met", False: "NOT MET", None: ""}[one.met],
        )
        for one in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:4], widths[1:4], strict=True)]
        lines.append("  ".join([*cells, row[4].ljust(widths[4]), row[5]]).rstrip())
    return "\n".join(lines)


def write_json(path: Path, figures: Sequence[Figure]) -> None:
    """Write all figures with their ratios."""
    rows = [{**asdict(one), "ratio": one.ratio, "met": one.met} for one in figures]
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
