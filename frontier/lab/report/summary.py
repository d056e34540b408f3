"""From runs to rows: averages over topics, and each strategy against a reference.

Draws are averaged within a topic first: topics are the sample. Of every figure a row has mean
and standard deviation (n - 1) over the topics that have it. Comparisons are paired by topic,
over the topics that both have: percentile bootstrap of the mean difference (Efron 1979).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import TypeVar

import numpy as np

from frontier.lab.report.metrics import Figures, LabSetting, Run, figure_names

COMPARED = "nauc"
"""The figure in which a row is compared with the reference."""
RESAMPLES = 10_000
"""Of a bootstrap: the ends of an interval move by about 1 % of its width from seed to seed."""
_SEED = 4


@dataclass(frozen=True, slots=True)
class Average:
    """A figure averaged over the `n` topics that have it; `sd` is None below two."""

    mean: float
    sd: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A row minus the reference in nAUC, over the `n` topics both have.

    `low` and `high` are the 95 % interval of the mean, None below two topics.
    """

    mean: float
    low: float | None
    high: float | None
    n: int


@dataclass
class Row:
    """A strategy in a setting."""

    setting: LabSetting
    strategy: str
    topics: dict[str, Figures]
    averages: dict[str, Average]
    against: Difference | None = None


def summarised(runs: Iterable[Run], reference: str) -> list[Row]:
    """Rows by setting and strategy, in the order of the runs.

    Every other row is compared with the reference's.
    """
    groups = _grouped(runs, lambda run: (run.setting, run.key.strategy))
    rows = [_row(setting, strategy, of_it) for (setting, strategy), of_it in groups.items()]
    for table in _grouped(rows, lambda row: row.setting).values():
        _compare(table, reference)
    return rows


_Key = TypeVar("_Key", bound=Hashable)
_Item = TypeVar("_Item")


def _grouped(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    groups: dict[_Key, list[_Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _row(setting: LabSetting, strategy: str, runs: Sequence[Run]) -> Row:
    by_topic = _grouped(runs, lambda run: run.key.topic)
    topics = {topic: _of_draws(draws) for topic, draws in by_topic.items()}
    averages = {}
    for name in figure_names():
        known = [value for figures in topics.values() if (value := figures[name]) is not None]
        if known:
            deviation = stdev(known) if len(known) > 1 else None
            averages[name] = Average(mean(known), deviation, len(known))
    return Row(setting, strategy, topics, averages)


def _of_draws(draws: Sequence[Run]) -> Figures:
    """Mean over the draws of a topic; None if a draw has none."""
    means: Figures = {}
    for name in figure_names():
        values = [value for run in draws if (value := run.figures[name]) is not None]
        means[name] = mean(values) if len(values) == len(draws) else None
    return means


def _compare(rows: Sequence[Row], reference: str) -> None:
    base = next((row for row in rows if row.strategy == reference), None)
    if base is None:
        return
    for row in rows:
        if row is not base and (values := _paired(row, base)):
            row.against = Difference(mean(values), *bootstrap_interval(values), len(values))


def _paired(row: Row, base: Row) -> list[float]:
    """Differences by topic, in the order of the reference's topics."""
    pairs = (
        (row.topics[topic][COMPARED], theirs[COMPARED])
        for topic, theirs in base.topics.items()
        if topic in row.topics
    )
    return [ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None]


def bootstrap_interval(differences: Sequence[float]) -> tuple[float | None, float | None]:
    """95 % interval of the mean of n >= 1 differences; (None, None) for fewer than two.

    The same differences give the same interval: the resampling has a seed of its own.
    """
    values = np.asarray(differences, np.float64)
    if len(values) < 2:
        return None, None
    drawn = np.random.default_rng(_SEED).integers(len(values), size=(RESAMPLES, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)
