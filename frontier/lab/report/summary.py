"""From runs to rows: averages over topics, and each strategy against a reference.

Draws are averaged within a topic first, because two draws of a topic are no two topics. Of every
figure a row has mean, standard deviation (n - 1) and median over topics; comparisons are paired by
topic, over the topics that both have. Figures that a run lacks (80 % never reached) are left out of
means and count as worst in medians.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from math import isfinite
from statistics import mean, median, stdev

from frontier.lab.report.metrics import Figures, figure_names
from frontier.lab.report.scoring import Run, Setting
from frontier.lab.report.statistics import bootstrap_interval, holm, signed_rank

COMPARED = (
    "nauc",
    *("harvest_100", "harvest_250", "harvest_500", "harvest_1000"),
    *("recall_1t", "recall_2t", "recall_4t"),
)
"""Figures of which higher is better for every order: those worth a test."""


@dataclass(frozen=True, slots=True)
class Average:
    """A figure over topics: `n` have one; `sd` is None below two, `median` where most have none."""

    mean: float
    sd: float | None
    median: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Row minus reference over the `n` topics both have.

    `low` and `high` are the 95 % interval of the mean, `p` the signed rank test's, `holm` that
    value among the comparisons of one table and figure; None for rows that see labels.
    """

    mean: float
    low: float | None
    high: float | None
    p: float
    holm: float | None
    n: int


@dataclass(frozen=True)
class Row:
    """A strategy in a setting."""

    setting: Setting
    strategy: str
    topics: dict[str, Figures]
    averages: dict[str, Average]
    against: dict[str, Difference] = field(default_factory=dict)


def summarised(runs: Iterable[Run], reference: str, bounds: Set[str] = frozenset()) -> list[Row]:
    """Rows by setting and strategy, in the order of the runs.

    Every row but the reference's is compared with it; `bounds` are strategies that see labels.
    """
    groups: dict[tuple[Setting, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.setting, run.key.strategy), []).append(run)
    rows = [_row(setting, strategy, of_it) for (setting, strategy), of_it in groups.items()]
    for setting in dict.fromkeys(row.setting for row in rows):
        _compare([row for row in rows if row.setting == setting], reference, bounds)
    return rows


def _row(setting: Setting, strategy: str, runs: Sequence[Run]) -> Row:
    by_topic: dict[str, list[Figures]] = {}
    for run in runs:
        by_topic.setdefault(run.key.topic, []).append(run.figures)
    topics = {topic: _of_draws(draws) for topic, draws in by_topic.items()}
    averages = {}
    for name in figure_names():
        average = _average([figures[name] for figures in topics.values()])
        if average is not None:
            averages[name] = average
    return Row(setting, strategy, topics, averages)


def _of_draws(draws: Sequence[Figures]) -> Figures:
    """Mean over the draws of a topic; None where a draw has none."""
    found: Figures = {}
    for name in figure_names():
        values = [value for figures in draws if (value := figures[name]) is not None]
        found[name] = mean(values) if len(values) == len(draws) else None
    return found


def _average(values: Sequence[float | None]) -> Average | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    middle = median([float("inf") if value is None else value for value in values])
    return Average(
        mean(known),
        stdev(known) if len(known) > 1 else None,
        middle if isfinite(middle) else None,
        len(known),
    )


def _compare(rows: Sequence[Row], reference: str, bounds: Set[str]) -> None:
    base = next((row for row in rows if row.strategy == reference), None)
    if base is None:
        return
    others = [row for row in rows if row is not base]
    for name in COMPARED:
        found = {row.strategy: _paired(row, base, name) for row in others}
        tested = [one for one, given in found.items() if given and one not in bounds]
        corrected = holm([signed_rank(found[one]) for one in tested])
        held = dict(zip(tested, corrected, strict=True))
        for row in others:
            if given := found[row.strategy]:
                row.against[name] = _difference(given, held.get(row.strategy))


def _paired(row: Row, base: Row, name: str) -> list[float]:
    """Differences by topic, in the order of the reference's topics."""
    pairs = (
        (row.topics[topic][name], theirs[name])
        for topic, theirs in base.topics.items()
        if topic in row.topics
    )
    return [ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None]


def _difference(given: Sequence[float], held: float | None) -> Difference:
    low, high = bootstrap_interval(given)
    return Difference(
        mean(given),
        low if isfinite(low) else None,
        high if isfinite(high) else None,
        signed_rank(given),
        held,
        len(given),
    )
