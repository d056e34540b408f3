"""What was measured, beside what should be: for people and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from benchmarks.report import AT_LEAST

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.ranking.runs import Result

_HEAD = ("tool", "build s", "rank s", "total s", "times ours", "L1 error", "peak MiB", "with", "")


@dataclass(frozen=True)
class Verdict:
    """One claim: `value` must be `sense` `bound`; without a bound it only informs."""

    what: str
    value: float | None
    unit: str
    sense: str = ""
    bound: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target or a figure."""
        if self.bound is None or self.value is None:
            return None
        return self.value >= self.bound if self.sense == AT_LEAST else self.value <= self.bound


@dataclass
class Section:
    """One part: the runs behind it, and what they prove."""

    title: str
    results: list[Result] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def text(self) -> str:
        """Render the runs of this part, a line each."""
        if not self.results:
            return f"## {self.title}"
        ours = self.results[0].total
        rows = [_HEAD, *(_row(one, ours) for one in self.results)]
        return "\n".join([f"## {self.title}", *_aligned(rows)])


def verdicts_text(sections: Sequence[Section]) -> str:
    """Render all claims, a line each."""
    rows: list[tuple[str, ...]] = [("claim", "measured", "target", "", "")]
    rows += [_verdict_row(one) for section in sections for one in section.verdicts]
    return "\n".join(_aligned(rows))


def write_json(path: Path, sections: Sequence[Section]) -> None:
    """Write all runs and claims."""
    parts = [
        {
            "title": one.title,
            "results": [asdict(result) for result in one.results],
            "verdicts": [{**asdict(claim), "met": claim.met} for claim in one.verdicts],
        }
        for one in sections
    ]
    path.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")


def _row(one: Result, ours: float) -> tuple[str, ...]:
    if one.cannot:
        return one.tool, "", "", "", "", "", "", "", one.cannot
    return (
        one.tool,
        f"{one.build:.3f}",
        f"{one.rank:.3f}",
        f"{one.total:.3f}",
        f"{one.total / ours:.1f}" if ours else "",
        f"{one.error:.1e}",
        f"{one.peak:,.0f}",
        f"{one.setting:.3g}" if isinstance(one.setting, float) else str(one.setting),
        f"{one.rounds} rounds" + (f", {one.sweeps} sweeps" if one.sweeps else ""),
    )


def _verdict_row(one: Verdict) -> tuple[str, ...]:
    measured = "not measured" if one.value is None else f"{one.value:,.3g} {one.unit}"
    target = "" if one.bound is None else f"{one.sense} {one.bound:,g} {one.unit}"
    met = {True: "met", False: "MISSED", None: ""}[one.met]
    return one.what, measured, target, met, one.note


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return lines
