"""The figures of a run, from the places of the targets in it.

A run is a sequence of requests, numbered from 1; redirects, failures and retries count. `hits` are
the numbers of the requests that fetched a target for the first time. r(n) is the share of the
`targets` fetched by the first n requests:

    harvest rate at n   hits among the first n / n
    recall at n         r(n); T/2T/4T: at once, twice and four times as many requests as targets
    area                mean of r(n) for n = 1 .. budget
    nAUC                area / area of the greedy oracle for the same task

A run that ends before the budget keeps its recall, and its harvest rate is still divided by n. A
URL that was not recorded has no label and counts as irrelevant: the true figures are not lower.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from frontier.lab.replay import records as letters

if TYPE_CHECKING:
    from frontier.lab.replay.records import RunKey, RunRecord

Figures = dict[str, float | None]
"""Name of a figure -> value; None without one, as beyond the budget."""

HARVEST_AT = (100, 250, 500, 1000)
RECALL_AT = (1, 2, 4)
"""In units of the number of targets."""


@dataclass(frozen=True)
class Trace:
    """The course of a run, for scoring; requests are numbered from 1.

    Attributes:
        targets: number of targets, at least 1.
        budget: allowed requests, at least 1.
        requests: requests made, at most the budget.
        hits: ascending numbers of the requests that fetched another target.
        absent: ascending numbers of the requests for URLs that were not recorded.
        failed: recorded failures, with retries, without absent pages.

    """

    targets: int
    budget: int
    requests: int
    hits: tuple[int, ...]
    absent: tuple[int, ...] = ()
    failed: int = 0

    def hits_by(self, n: int) -> int:
        """Targets among the first n requests."""
        return bisect_right(self.hits, n)

    def recall(self, n: int) -> float | None:
        """Their share of all targets; None beyond the budget."""
        return self.hits_by(n) / self.targets if n <= self.budget else None

    def harvest(self, n: int) -> float | None:
        """Their share of n requests; None beyond the budget."""
        return self.hits_by(n) / n if n <= self.budget else None

    def area(self) -> float:
        """Mean recall over the budget: a target found at request h counts from h on."""
        counted = sum(self.budget - hit + 1 for hit in self.hits)
        return counted / (self.targets * self.budget)


class LabSetting(NamedTuple):
    """The web and the variant of a table."""

    web: str
    variant: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run, scored."""

    key: RunKey
    trace: Trace
    figures: Figures

    @property
    def setting(self) -> LabSetting:
        """The table of the run."""
        return LabSetting(self.key.web, self.key.variant)


def scored(records: Iterable[RunRecord]) -> list[Run]:
    """Score all runs of a lab, in order; they include those of the oracle."""
    traces = {record.key: trace_of(record) for record in records}
    oracles = {key: key._replace(strategy=letters.GREEDY_ORACLE) for key in traces}
    return [Run(key, trace, figures(trace, traces[oracles[key]])) for key, trace in traces.items()]


def trace_of(record: RunRecord) -> Trace:
    """Read the course of a run from its record."""
    return Trace(
        targets=record.n_targets,
        budget=record.budget,
        requests=len(record.outcomes),
        hits=_places(record.outcomes, letters.HIT),
        absent=_places(record.outcomes, letters.UNKNOWN),
        failed=record.outcomes.count(letters.FAILED) + record.outcomes.count(letters.RETRY),
    )


def figures(trace: Trace, oracle: Trace) -> Figures:
    """All figures of a run; nAUC is relative to the greedy oracle's run of the same task."""
    best = oracle.area()
    return {
        "nauc": trace.area() / best if best else None,
        **{f"harvest_{n}": trace.harvest(n) for n in HARVEST_AT},
        **{f"recall_{k}t": trace.recall(k * trace.targets) for k in RECALL_AT},
        "recall": trace.recall(trace.budget),
        "requests": float(trace.requests),
        "failed": float(trace.failed),
        "not_recorded": float(len(trace.absent)),
    }


def figure_names() -> tuple[str, ...]:
    """Names of all figures, in the order in which they are reported."""
    empty = Trace(targets=1, budget=1, requests=0, hits=())
    return tuple(figures(empty, empty))


def _places(outcomes: str, letter: str) -> tuple[int, ...]:
    return tuple(place for place, outcome in enumerate(outcomes, start=1) if outcome == letter)
