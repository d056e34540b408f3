"""Relevance carried over links, tilted by link text and by link analysis.

The smoothed mean relevance of the pages that link to a URL is the strongest single signal. Two
factors around 1 refine it: the promise of the link texts, and the ratio of two surfers' scores,
one that restarts at relevant pages and one that restarts anywhere. The ratio says how much
nearer a URL is to the topic than its general importance explains; a score alone would favour
what is famous everywhere. Before the first re-rank the ratio counts as 1; a URL newer than the
last re-rank takes it from its provisional scores, which is the ratio of its parents.

The mean relevance m is that at the last re-rank: were it to move with every page, priorities that
were computed at different times could not be compared, and a resumed crawl would go on in another
order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.base import Job, State
from ranking.orders.restart import AnywhereRestart, TopicRestart
from ranking.orders.surfer import Surfer
from ranking.orders.surfers import SurferOrder, Surfers
from ranking.priority import Ids, parent_relevance, promise_lift, topical_lift
from ranking.result import Ranking

FIRST_MEAN = 0.5
"""m before the first re-rank, when no page or a handful can tell it."""


class RelevancePprOrder(SurferOrder):
    """Scores: "score" is topic-ppr, "pagerank" the general one."""

    name = "relevance-ppr"
    summary = "The URL whose parents are relevant, whose link text promises, nearest to the topic."
    source = "Chakrabarti, van den Berg, Dom 1999 (relevance of parents); Haveliwala 2002"
    formula = (
        "(Σ rel(u) + 5m) / (n(v) + 5) · e^(promise(v) / 4) · (topic-ppr(v) / pagerank(v))^(1/2)"
    )
    when = (
        "A fixed formula of all that is known, for crawls whose order must be explained by one "
        "line. It leans on the pages that link to a URL: where link texts tell more, take "
        "`anchor-parent` or a strategy that learns."
    )
    uses_topic = True

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._topical = Surfer(TopicRestart(), damping, tol)
        self._general = Surfer(AnywhereRestart(), damping, tol)
        self._mean = self._next_mean = FIRST_MEAN
        self._surfers = Surfers(score=self._topical, pagerank=self._general)

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        self._next_mean = evidence.mean_relevance
        return super()._job(view, evidence)

    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        super()._install(rankings)
        self._mean = self._next_mean

    def _state(self) -> State:
        return {"mean": np.array([self._mean]), **super()._state()}

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super()._restore(arrays)
        self._mean = float(arrays["mean"][0])

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        value = parent_relevance(ids, evidence, self._mean) * promise_lift(ids, evidence)
        if self._topical.ranked:
            value *= topical_lift(self._topical.scores[ids], self._general.scores[ids])
        return value
