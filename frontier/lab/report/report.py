"""Everything that the outputs of a lab run are made of; they only differ in how they say it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from frontier.lab.protocol.planning import reasons
from frontier.lab.replay.records import GREEDY_ORACLE, TRUE_LABEL
from frontier.lab.report.metrics import Run, Setting, scored
from frontier.lab.report.summary import Row, summarised
from ranking.orders import ORDERS

if TYPE_CHECKING:
    from frontier.lab.protocol.labels import BadLine
    from frontier.lab.protocol.planning import Plan, Protocol
    from frontier.lab.replay.records import RunKey, RunRecord
    from frontier.lab.replay.webfile import WebFile
    from frontier.lab.report.regret import Regret

REFERENCE = "apprentice"
ORDER, BOUND, PEER = "order", "bound", "peer"
"""Kinds of rows: a strategy of ours, one that sees labels, another project's code."""
_BOUNDS: Final = {
    GREEDY_ORACLE: (
        "sees all labels and all recorded links, and asks next for the known URL that is fewest "
        "links from a target"
    ),
    TRUE_LABEL: (
        "the learned order, told the true label of each page it has fetched: what a perfect judge "
        "of pages would gain"
    ),
}
_FRONTERA: Final = "frontera-"


@dataclass(frozen=True, slots=True)
class Entry:
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


def entries_of(
    names: Iterable[str],
    peers: Mapping[str, str] | None = None,
    orders: Mapping[str, str] | None = None,
) -> list[Entry]:
    """Entries of rows by name.

    `peers` says in words what rows of other projects do, `orders` what orders of the user's own do.
    """
    ours = {name: order.summary for name, order in ORDERS.items()} | dict(orders or {})
    kinds = {ORDER: ours, PEER: peers or {}, BOUND: _BOUNDS}
    known = {name: Entry(name, kind, said[name]) for kind, said in kinds.items() for name in said}
    return [known.get(name) or Entry(name, PEER, _others_words(name)) for name in names]


def _others_words(name: str) -> str:
    if name.startswith(_FRONTERA):
        backend = name.removeprefix(_FRONTERA).upper()
        return f"Frontera's own memory backend {backend}, its code as released"
    return "a crawler of another project, as released"


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
    entries: Sequence[Entry],
    reference: str | None = None,
    regrets: Sequence[Regret] = (),
    notes: Sequence[str] = (),
) -> LabReport:
    """Score and sum up the runs of a lab.

    `reference` is what rows are compared with: the apprentice, or the first strategy of ours.
    """
    runs, unscored = scored(records)
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
        unscored=unscored,
        rows=summarised(runs, chosen, bounds),
        regrets=list(regrets),
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
