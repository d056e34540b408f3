"""A lab run, scored and summed up: `results.json` for programs, and what the table is made of.

The same runs give the same bytes: keys are in a fixed order, and nothing of the machine or of the
time goes in. A reader checks `format` and `version`; the version goes up when a key changes its
meaning or goes away, not when one is added. docs/lab.md describes the keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from frontier.lab.protocol.planning import reasons
from frontier.lab.replay.records import GREEDY_ORACLE
from frontier.lab.report.metrics import LabSetting, Run, scored
from frontier.lab.report.summary import Row, summarised
from ranking.orders import ORDERS

if TYPE_CHECKING:
    from frontier.lab.protocol.labels import BadLine
    from frontier.lab.protocol.planning import Plan, Protocol
    from frontier.lab.replay.records import RunRecord
    from frontier.lab.replay.webfile import WebFile

FORMAT = "scrapy-linkrank lab results"
VERSION = 3
_DIGITS = 9
"""Of a figure; sums in another order differ behind the twelfth."""
REFERENCE = "apprentice"
ORDER, BOUND, PEER = "order", "bound", "peer"
"""Kinds of rows: a strategy of ours, one that sees labels, another project's code."""
_BOUNDS: Final = {
    GREEDY_ORACLE: (
        "sees all labels and all recorded links, and asks next for the known URL that is fewest "
        "links from a target"
    ),
}


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """Name of a row, its kind, and what it does, in a sentence."""

    name: str
    kind: str
    words: str


@dataclass(frozen=True)
class WebNote:
    """What was asked of one web, and what could not be.

    `recorded` URLs; usable topics on the two sides of the split; topics `asked` about, and why
    others were `dropped`, a line a reason; seeds that were not recorded (`lost`); lines of the
    labels that could not be used (`bad`).
    """

    name: str
    recorded: int
    development: tuple[str, ...]
    test: tuple[str, ...]
    asked: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabReport:
    """A lab run, scored and summarised. `notes` are remarks on how it was run."""

    library: str
    protocol: Protocol
    reference: str
    webs: list[WebNote]
    entries: list[ReportEntry]
    runs: list[Run]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)

    @property
    def settings(self) -> list[LabSetting]:
        """The tables there are, in order."""
        return list(dict.fromkeys(row.setting for row in self.rows))

    def table(self, setting: LabSetting) -> list[Row]:
        """Rows of one table, best nAUC first; ties by name."""
        rows = [row for row in self.rows if row.setting == setting]
        return sorted(rows, key=lambda row: (-_nauc(row), row.strategy))

    def kind(self, strategy: str) -> str:
        """Kind of a row."""
        return next((one.kind for one in self.entries if one.name == strategy), ORDER)


def entries_of(
    names: Iterable[str],
    peers: Mapping[str, str] | None = None,
    orders: Mapping[str, str] | None = None,
) -> list[ReportEntry]:
    """Entries of rows by name.

    `peers` says in words what rows of other projects do, `orders` what orders of the user's own do.
    """
    ours = {name: order.summary for name, order in ORDERS.items()} | dict(orders or {})
    kinds = {ORDER: ours, PEER: peers or {}, BOUND: _BOUNDS}
    known = {
        name: ReportEntry(name, kind, said[name]) for kind, said in kinds.items() for name in said
    }
    unknown = "a crawler of another project, as released"
    return [known.get(name) or ReportEntry(name, PEER, unknown) for name in names]


def web_note(web: WebFile, plan: Plan, bad: Iterable[BadLine] = ()) -> WebNote:
    """Note what a plan asks of a web."""
    return WebNote(
        web.name,
        web.n_recorded,
        plan.sides.development,
        plan.sides.test,
        plan.topics,
        tuple(reasons(plan.dropped)),
        plan.lost_seeds,
        tuple(map(str, bad)),
    )


def make_report(
    records: Iterable[RunRecord],
    protocol: Protocol,
    webs: Sequence[WebNote],
    entries: Sequence[ReportEntry],
    reference: str | None = None,
    notes: Sequence[str] = (),
) -> LabReport:
    """Score and sum up the runs of a lab.

    `reference` is what rows are compared with: the apprentice, or the first strategy of ours.
    """
    runs = scored(records)
    bounds = {one.name for one in entries if one.kind == BOUND}
    ours = [one.name for one in entries if one.kind == ORDER]
    chosen = reference or (REFERENCE if REFERENCE in ours or not ours else ours[0])
    return LabReport(
        library=_library(),
        protocol=protocol,
        reference=chosen,
        webs=list(webs),
        entries=list(entries),
        runs=runs,
        rows=summarised(runs, chosen, bounds),
        notes=list(notes),
    )


def _library() -> str:
    try:
        return version("scrapy-linkrank")
    except PackageNotFoundError:
        return "not installed"


def _nauc(row: Row) -> float:
    average = row.averages.get("nauc")
    return average.mean if average else 0.0


def results_text(report: LabReport) -> str:
    """The report as JSON, one line a run and a row: two of them can be compared line by line."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "library": report.library,
        "protocol": {
            "budget": report.protocol.budget,
            "draws": report.protocol.draws,
            "variants": report.protocol.variants,
            "topics": report.protocol.part,
            "reference": report.reference,
        },
        "webs": [asdict(web) for web in report.webs],
        "strategies": [asdict(entry) for entry in report.entries],
        "runs": [
            {**run.key._asdict(), **asdict(run.trace), "figures": run.figures}
            for run in report.runs
        ],
        "summary": [
            {
                **row.setting._asdict(),
                "strategy": row.strategy,
                "figures": {name: asdict(average) for name, average in row.averages.items()},
                "against_reference": {name: asdict(value) for name, value in row.against.items()},
                "topics": row.topics,
            }
            for row in report.rows
        ],
        "notes": report.notes,
    }
    parts = [f'"{key}": {_lines(_rounded(value))}' for key, value in document.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(value: object) -> str:
    if isinstance(value, list) and value:
        rows = (json.dumps(row, ensure_ascii=False) for row in value)
        return "[\n  " + ",\n  ".join(rows) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(part) for part in value]
    return value
