"""Recall and harvest in the course of a crawl: mean over topics with the middle half as a band."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frontier.lab.report.metrics import Trace
from frontier.lab.report.scoring import Run

POINTS = 120
FIRST = 10
"""Requests before a harvest rate is drawn: of the first few it is all or nothing."""


@dataclass(frozen=True)
class Curve:
    """A mean over topics at numbers of requests `at`, with the quartiles `low` and `high`."""

    at: npt.NDArray[np.int64]
    mean: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]


def recall_curve(runs: Sequence[Run]) -> Curve:
    """Share of the targets found, from the first request to the budget."""
    at = _whole(np.linspace(1, _budget(runs), POINTS))
    return _over_topics(runs, at, lambda trace: _found(trace, at) / trace.targets)


def harvest_curve(runs: Sequence[Run]) -> Curve:
    """Targets by requests made so far, from the tenth request to the budget, early ones denser."""
    budget = _budget(runs)
    at = _whole(np.geomspace(min(FIRST, budget), budget, POINTS))
    return _over_topics(runs, at, lambda trace: _found(trace, at) / at)


def _budget(runs: Sequence[Run]) -> int:
    return max(run.trace.budget for run in runs)


def _whole(steps: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    return np.unique(steps.round().astype(np.int64))


def _found(trace: Trace, at: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return np.searchsorted(np.array(trace.hits), at, side="right").astype(np.float64)


def _over_topics(
    runs: Sequence[Run],
    at: npt.NDArray[np.int64],
    course: Callable[[Trace], npt.NDArray[np.float64]],
) -> Curve:
    by_topic: dict[str, list[npt.NDArray[np.float64]]] = {}
    for run in runs:
        by_topic.setdefault(run.key.topic, []).append(course(run.trace))
    topics = np.array([np.mean(draws, axis=0) for draws in by_topic.values()])
    low, high = np.quantile(topics, [0.25, 0.75], axis=0)
    return Curve(at, topics.mean(axis=0), low, high)
