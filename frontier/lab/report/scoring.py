"""Runs with their figures: each is scored against the greedy oracle's run for the same task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from frontier.lab.replay.records import GREEDY_ORACLE, RunKey, RunRecord
from frontier.lab.report.metrics import Figures, Trace, figures, trace_of


class Setting(NamedTuple):
    """What the rows of one table have in common."""

    web: str
    variant: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run, scored."""

    key: RunKey
    trace: Trace
    figures: Figures

    @property
    def setting(self) -> Setting:
        """The table it belongs to."""
        return Setting(self.key.web, self.key.variant)


@dataclass(frozen=True)
class Scored:
    """Runs that could be scored, and the keys of those without an oracle's run beside them."""

    runs: list[Run]
    unscored: list[RunKey]


def scored(records: Iterable[RunRecord]) -> Scored:
    """Score all runs of a lab; the order is kept."""
    traces = {record.key: trace_of(record) for record in records}
    runs, unscored = [], []
    for key, trace in traces.items():
        oracle = traces.get(key._replace(strategy=GREEDY_ORACLE))
        if oracle is None:
            unscored.append(key)
        else:
            runs.append(Run(key, trace, figures(trace, oracle)))
    return Scored(runs, unscored)
