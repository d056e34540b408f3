"""Figures as a table for people and as JSON for machines.

A figure with a bound is a promise: whoever measures one that is missed ends with exit code 1.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

AT_LEAST, AT_MOST = ">=", "<="
_VERDICTS = {True: "met", False: "NOT MET", None: ""}


@dataclass(frozen=True)
class Figure:
    """One row: what was measured, for us and for the peer, and what is promised of it.

    The promise is `sense` and `bound`, on the ratio ours / peer where `on_ratio`, else on ours.
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
    def judged(self) -> float | None:
        """What a promise is about: the ratio, or our own figure."""
        return self.ratio if self.on_ratio else self.ours

    @property
    def met(self) -> bool | None:
        """Whether the promise is kept; None without one."""
        value = self.judged
        if self.bound is None or value is None:
            return None
        return value >= self.bound if self.sense == AT_LEAST else value <= self.bound

    @property
    def promise(self) -> str:
        """The promise in words, "" without one."""
        if self.bound is None:
            return ""
        return f"{self.sense} {self.bound:,g} {'x' if self.on_ratio else self.unit}"


def tell(figures: Sequence[Figure], file: Path | None = None, notes: Sequence[str] = ()) -> int:
    """Print the table, the notes and each promise that is missed; write all to `file`.

    Returns the exit code: 1 where a promise is missed, else 0.
    """
    print(table(figures))
    if notes:
        print("\n".join(["", *notes]))
    if file:
        _write_json(file, figures)
    missed = [one for one in figures if one.met is False]
    for one in missed:
        unit = "x" if one.on_ratio else one.unit
        said = f"{one.what}: {_number(one.judged)} {unit}, promised {one.promise}"
        print(f"NOT MET  {said}", file=sys.stderr)
    return int(bool(missed))


def table(figures: Sequence[Figure]) -> str:
    """Render the figures, a line each."""
    rows = [("what", "ours", "peer", "ours/peer", "promise", "")]
    rows += [
        (
            f"{one.what} ({one.unit})",
            _number(one.ours),
            _number(one.peer),
            "" if one.ratio is None else f"{one.ratio:.2f}",
            one.promise,
            _VERDICTS[one.met],
        )
        for one in figures
    ]
    return aligned(rows, left=(0, 4, 5))


def aligned(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Render rows, a line each; all columns but those of `left` are numbers."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _write_json(path: Path, figures: Sequence[Figure]) -> None:
    """Write all figures with their ratios."""
    rows = [{**asdict(one), "ratio": one.ratio, "met": one.met} for one in figures]
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
