"""Everything that the outputs of a lab run are made of; they only differ in how they say it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from frontier.lab.protocol.planning import counted, reasons
from frontier.lab.report.entries import BOUND, ORDER, Entry
from frontier.lab.report.scoring import Run, Setting, scored
from frontier.lab.report.summary import Row, summarised

if TYPE_CHECKING:
    from frontier.lab.protocol.labels import BadLine
    from frontier.lab.protocol.planning import Plan, Protocol
    from frontier.lab.replay.records import RunKey, RunRecord
    from frontier.lab.replay.web import LabWeb
    from frontier.lab.report.regret import Regret

REFERENCE = "apprentice"


@dataclass(frozen=True)
class WebNote:
    """What was asked of one web, and what could not be.

    Attributes:
        name: as tasks have it.
        recorded: URLs the recording holds.
        development, test: how the usable topics are split.
        asked: topics that runs were made for.
        dropped: why others were not, a line a reason.
        lost: seeds that the recording does not hold.
        bad: lines of the labels that could not be used.

    """

    name: str
    recorded: int
    development: tuple[str, ...]
    test: tuple[str, ...]
    asked: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()

    @property
    def sides(self) -> str:
        """How many of the topics asked about belong to which side."""
        test = len(set(self.asked) & set(self.test))
        return f"{len(self.asked) - test} development topics, {counted(test, 'test topic')}"


@dataclass(frozen=True)
class LabReport:
    """A lab run, scored and summarised. `notes` are remarks on how it was run."""

    library: str
    budget: int
    draws: int
    variants: tuple[str, ...]
    part: str
    reference: str
    webs: list[WebNote]
    entries: list[Entry]
    runs: list[Run]
    unscored: list[RunKey]
    rows: list[Row]
    regrets: list[Regret] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def settings(self) -> list[Setting]:
        """The tables there are, in order."""
        return list(dict.fromkeys(row.setting for row in self.rows))

    def table(self, setting: Setting) -> list[Row]:
        """Rows of one table, best nAUC first; ties by name."""
        rows = [row for row in self.rows if row.setting == setting]
        return sorted(rows, key=lambda row: (-_nauc(row), row.strategy))

    def runs_of(self, row: Row) -> list[Run]:
        """Runs that a row sums up."""
        wanted = row.setting, row.strategy
        return [run for run in self.runs if (run.setting, run.key.strategy) == wanted]

    def kind(self, strategy: str) -> str:
        """Kind of a row."""
        return next((one.kind for one in self.entries if one.name == strategy), ORDER)


def web_note(web: LabWeb, plan: Plan, bad: Iterable[BadLine] = ()) -> WebNote:
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
    entries: Sequence[Entry],
    reference: str | None = None,
    regrets: Sequence[Regret] = (),
    notes: Sequence[str] = (),
) -> LabReport:
    """Score and sum up the runs of a lab.

    `reference` is what rows are compared with: the apprentice, or the first strategy of ours.
    """
    found = scored(records)
    bounds = {one.name for one in entries if one.kind == BOUND}
    chosen = reference or _reference(entries)
    return LabReport(
        library=_library(),
        budget=protocol.budget,
        draws=protocol.draws,
        variants=tuple(protocol.variants),
        part=protocol.part,
        reference=chosen,
        webs=list(webs),
        entries=list(entries),
        runs=found.runs,
        unscored=found.unscored,
        rows=summarised(found.runs, chosen, bounds),
        regrets=list(regrets),
        notes=list(notes),
    )


def _reference(entries: Sequence[Entry]) -> str:
    ours = [one.name for one in entries if one.kind == ORDER]
    return REFERENCE if REFERENCE in ours or not ours else ours[0]


def _library() -> str:
    try:
        return version("scrapy-linkrank")
    except PackageNotFoundError:
        return "not installed"


def _nauc(row: Row) -> float:
    average = row.averages.get("nauc")
    return average.mean if average else 0.0
