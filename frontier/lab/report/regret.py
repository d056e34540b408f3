"""What politeness, batching and stale scores cost: the same crawl replayed without them.

In the ideal order one request at a time is made, without delay, and scores are recomputed after
every page. A cause is put back alone into that ideal, and what the run then finds less is its own
doing; all of them together are the crawl as it is configured. What the single losses leave of the
total is `together`, of either sign: causes are not independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean
from typing import TYPE_CHECKING, Final

from frontier.lab.replay.simulated_fetcher import Politeness
from frontier.lab.report.metrics import trace_of

if TYPE_CHECKING:
    from frontier.lab.replay.contestants import Setup
    from frontier.lab.replay.records import RunKey, RunRecord

POLITENESS, BATCHING, STALENESS = "politeness", "batching", "staleness"
CAUSES: Final = {POLITENESS: "host limits", BATCHING: "concurrency", STALENESS: "stale scores"}
"""Cause of regret -> what tables call it."""
IDEAL, AS_CONFIGURED = "ideal", "as configured"
TOGETHER = "together"
REPLAYS: Final[dict[str, tuple[str, ...]]] = {
    IDEAL: (),
    **{cause: (cause,) for cause in CAUSES},
    AS_CONFIGURED: tuple(CAUSES),
}
"""Replays a task needs, by name: the causes that are in force."""


@dataclass(frozen=True)
class Regret:
    """Losses of one strategy in one setting, mean over its `tasks`, in targets found.

    Attributes:
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


def with_causes(setup: Setup, causes: Iterable[str], configured: Politeness) -> Setup:
    """The setup with only these causes in force; stale scores are those of `setup.config`.

    Politeness is the limits of a host, batching the requests that leave before the answers to
    others are there, staleness the schedule of re-ranks.
    """
    politeness = Politeness(latency=configured.latency)
    if POLITENESS in causes:
        politeness = replace(politeness, per_host=configured.per_host, delay=configured.delay)
    if BATCHING in causes:
        many = configured.concurrency
        own = configured.per_host if POLITENESS in causes else many
        politeness = replace(politeness, concurrency=many, per_host=own)
    config = setup.config
    if STALENESS not in causes:
        config = replace(config, rerank_pages=1, rerank_min_pages=1)
    return replace(setup, politeness=politeness, config=config)


def regret_of(replays: Mapping[str, Sequence[RunRecord]]) -> list[Regret]:
    """Split the losses, from records of every replay of `REPLAYS` by its name.

    Tasks that lack a replay are left out. A list by web, variant and strategy.
    """
    by_task: dict[RunKey, dict[str, RunRecord]] = {}
    for name, records in replays.items():
        for record in records:
            by_task.setdefault(record.key, {})[name] = record
    groups: dict[tuple[str, str, str], list[dict[str, RunRecord]]] = {}
    for key, task in by_task.items():
        if task.keys() >= REPLAYS.keys():
            groups.setdefault((key.web, key.variant, key.strategy), []).append(task)
    return [_regret(*group, tasks) for group, tasks in groups.items()]


def _regret(
    web: str, variant: str, strategy: str, tasks: Sequence[Mapping[str, RunRecord]]
) -> Regret:
    traces = {name: [trace_of(task[name]) for task in tasks] for name in REPLAYS}
    hits = {name: mean(len(trace.hits) for trace in traces[name]) for name in REPLAYS}
    areas = {name: mean(trace.area() for trace in traces[name]) for name in REPLAYS}
    ideal, found = hits[IDEAL], hits[AS_CONFIGURED]
    return Regret(web, variant, strategy, len(tasks), ideal, found, _losses(hits), _losses(areas))


def _losses(values: Mapping[str, float]) -> dict[str, float]:
    """Loss by each cause, and what they lose together beyond that; the sum is the total."""
    alone = {cause: values[IDEAL] - values[cause] for cause in CAUSES}
    total = values[IDEAL] - values[AS_CONFIGURED]
    return {**alone, TOGETHER: total - sum(alone.values())}
