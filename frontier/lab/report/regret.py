"""What politeness, batching and stale scores cost: the same crawl replayed without them.

The ideal order asks for one page at a time, hands out one at a time, waits for nobody and re-ranks
after every page. A cause is put back alone into that ideal, and what the run then finds less is its
own doing; all of them together are the crawl as it is configured. Causes are not independent: a
host that is busy matters less when the order is wrong anyway. What the single losses leave of the
total is therefore shown as `together`, and may have either sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Final

from frontier.lab.replay.records import RunRecord
from frontier.lab.replay.regret_causes import CAUSES
from frontier.lab.report.metrics import trace_of

IDEAL, AS_CONFIGURED = "ideal", "as configured"
TOGETHER = "together"
REPLAYS: Final[dict[str, frozenset[str]]] = {
    IDEAL: frozenset(),
    **{cause: frozenset({cause}) for cause in CAUSES},
    AS_CONFIGURED: frozenset(CAUSES),
}
"""Replays a task needs, by name: the causes that are in force."""


@dataclass(frozen=True)
class Regret:
    """Losses of one strategy in one setting, mean over its tasks, in targets found.

    Attributes:
        web, variant, strategy: what was replayed.
        tasks: how many tasks all replays of which are there.
        ideal: targets found in the ideal order within the budget.
        found: targets found as configured.
        lost: cause -> targets lost by it alone; `together` is the rest of the total.
        area: the same for the area under the recall curve, where all that a cause does is delay.

    """

    web: str
    variant: str
    strategy: str
    tasks: int
    ideal: float
    found: float
    lost: dict[str, float]
    area: dict[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """Targets lost to everything."""
        return self.ideal - self.found


def regret_of(replays: Mapping[str, Sequence[RunRecord]]) -> list[Regret]:
    """Split the losses, from records of every replay of `REPLAYS` by its name.

    Tasks that lack a replay are left out. A list by web, variant and strategy.
    """
    by_task: dict[tuple[str, ...], dict[str, RunRecord]] = {}
    for name, records in replays.items():
        for record in records:
            by_task.setdefault(tuple(map(str, record.key)), {})[name] = record
    groups: dict[tuple[str, str, str], list[dict[str, RunRecord]]] = {}
    for task in by_task.values():
        if task.keys() >= REPLAYS.keys():
            key = task[IDEAL].key
            groups.setdefault((key.web, key.variant, key.strategy), []).append(task)
    return [_regret(*group, tasks) for group, tasks in groups.items()]


def _regret(
    web: str, variant: str, strategy: str, tasks: Sequence[Mapping[str, RunRecord]]
) -> Regret:
    hits = {name: mean(task[name].hits for task in tasks) for name in REPLAYS}
    areas = {name: mean(trace_of(task[name]).area() for task in tasks) for name in REPLAYS}
    return Regret(
        web,
        variant,
        strategy,
        len(tasks),
        hits[IDEAL],
        hits[AS_CONFIGURED],
        _losses(hits),
        _losses(areas),
    )


def _losses(values: Mapping[str, float]) -> dict[str, float]:
    """Loss by each cause, and what they lose together beyond that; the sum is the total."""
    alone = {cause: values[IDEAL] - values[cause] for cause in CAUSES}
    total = values[IDEAL] - values[AS_CONFIGURED]
    return {**alone, TOGETHER: total - sum(alone.values())}
