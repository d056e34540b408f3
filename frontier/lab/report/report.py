"""The report of a lab run: `results.json` for programs, and the data of the table.

The same runs give the same bytes: keys have a fixed order, and neither machine nor time is
included. Readers check `format` and `version`; the version is raised when a key changes its meaning
or is removed, not when a key is added. docs/lab.md describes the keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

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
VERSION = 4
REFERENCE = "apprentice"
ORDER, BOUND, PEER = "order", "bound", "peer"
"""Kinds of rows: a strategy of ours, one that sees labels, another project's code."""


@dataclass(frozen=True)
class WebNote:
    """The part of a web in a lab run.

    `recorded` URLs; usable topics on the two sides of the split; topics `asked`, that is, with
    tasks, and why others were `dropped`, a line for each reason; seeds that were not recorded
    (`lost`); unusable lines of the labels (`bad`).
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
    """A scored and summarised lab run. `notes` are remarks on the run."""

    library: str
    protocol: Protocol
    reference: str
    webs: list[WebNote]
    kinds: Mapping[str, str]
    runs: list[Run]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)

    @property
    def settings(self) -> list[LabSetting]:
        """The settings of the tables, in order."""
        return list(dict.fromkeys(row.setting for row in self.rows))

    def table(self, setting: LabSetting) -> list[Row]:
        """Rows of one table, best nAUC first; ties by name."""
        rows = [row for row in self.rows if row.setting == setting]
        return sorted(rows, key=lambda row: (-_nauc(row), row.strategy))

    def kind(self, strategy: str) -> str:
        """Kind of a row."""
        return self.kinds.get(strategy, ORDER)


def kinds_of(names: Iterable[str]) -> dict[str, str]:
    """Kinds of rows by name; a name with a dot is the import path of a user's strategy."""
    known = dict.fromkeys(ORDERS, ORDER) | {GREEDY_ORACLE: BOUND}
    return {name: known.get(name, ORDER if "." in name else PEER) for name in names}


def web_note(web: WebFile, plan: Plan, bad: Iterable[BadLine] = ()) -> WebNote:
    """The note about a web and its plan."""
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
    kinds: Mapping[str, str],
    reference: str | None = None,
    notes: Sequence[str] = (),
) -> LabReport:
    """Score and summarise the runs of a lab.

    Rows are compared with `reference`: by default the apprentice, else the first strategy.
    """
    runs = scored(records)
    ours = [name for name, kind in kinds.items() if kind == ORDER]
    chosen = reference or (REFERENCE if REFERENCE in ours or not ours else ours[0])
    return LabReport(
        library=_library(),
        protocol=protocol,
        reference=chosen,
        webs=list(webs),
        kinds=kinds,
        runs=runs,
        rows=summarised(runs, chosen),
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
    """The report as JSON, for a comparison line by line."""
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
        "strategies": dict(report.kinds),
        "runs": [
            {**run.key._asdict(), **asdict(run.trace), "figures": run.figures}
            for run in report.runs
        ],
        "summary": [
            {
                **row.setting._asdict(),
                "strategy": row.strategy,
                "figures": {name: asdict(average) for name, average in row.averages.items()},
                "against_reference": row.against and asdict(row.against),
                "topics": row.topics,
            }
            for row in report.rows
        ],
        "notes": report.notes,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
