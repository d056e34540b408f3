"""Orders by authority: hits, topic-hits.

Between re-ranks a fetched page becomes a hub by the equation, h = Σ r a over its links / the hub
norm, and raises each target by h / the authority norm: one step with the norms of the last
ranking. Before the first, a page is a hub by its own weight (1, or its relevance).

A re-rank starts cold: of several equally strong communities the start decides, and a start from
all ones makes the result depend on the graph alone, not on how often it was ranked before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray
from ranking.evidence import Evidence
from ranking.hits import hits
from ranking.orders.base import Job, Lesson, LinkOrder, State
from ranking.priority import Ids
from ranking.result import HitsRanking, Ranking
from ranking.view import GraphView

MAX_SWEEPS = 300  # two communities nearly as strong: their order is not worth more


class HitsOrder(LinkOrder):
    """Priority = authority. Scores: "authority", also as "score", and "hub"."""

    name = "hits"
    summary = "The URL with the highest authority: named by pages that name authorities."
    source = "Kleinberg 1999, Authoritative sources in a hyperlinked environment"
    formula = "a(v) = Σ h(u) over links u → v, h(u) = Σ a(w) over links u → w"

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._authority, self._hub = Column(np.float64), Column(np.float64)
        self._authority_norm = self._hub_norm = 0.0

    @property
    def scores(self) -> dict[str, FloatArray]:
        authority = self._authority.array
        return {"score": authority, "authority": authority, "hub": self._hub.array}

    def grow(self, n: int) -> None:
        self._authority.resize(n)
        self._hub.resize(n)

    def _page_weight(self, page: int, evidence: Evidence) -> float:
        return 1.0

    def _target_weights(self, ids: Ids, evidence: Evidence) -> FloatArray | float:
        return 1.0

    def _relevance(self, view: GraphView, evidence: Evidence) -> FloatArray | None:
        return None

    def _push(self, lesson: Lesson) -> None:
        page, ids, weights, evidence = lesson
        weight: Any = 1.0 if weights is None else weights
        if not self._hub_norm:
            self._hub.array[page] = handed = self._page_weight(page, evidence)
        else:
            named = self._authority.array[ids] * self._target_weights(ids, evidence) * weight
            # All hubs sum to 1: where relevance has grown since the ranking, this bounds the step.
            self._hub.array[page] = hub = min(float(named.sum()) / self._hub_norm, 1.0)
            handed = hub / self._authority_norm
        self._authority.array[ids] += handed * weight

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        relevance, tol = self._relevance(view, evidence), self.tol
        return lambda: {"score": hits(view, relevance, tol, max_iterations=MAX_SWEEPS)}

    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        ranking = rankings["score"]
        assert isinstance(ranking, HitsRanking)
        known = len(ranking.scores)
        self._authority_norm, self._hub_norm = ranking.authority_norm, ranking.hub_norm
        self._authority.array[:known], self._hub.array[:known] = ranking.scores, ranking.hubs
        self._authority.array[known:] = self._hub.array[known:] = 0

    def _state(self) -> State:
        norms = np.array([self._authority_norm, self._hub_norm])
        hub = self._hub.array.copy()
        return {"authority": self._authority.array.copy(), "hub": hub, "norms": norms}

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        authority, hub, norms = arrays["authority"], arrays["hub"], arrays["norms"]
        self._authority, self._hub = Column(np.float64), Column(np.float64)
        self._authority.extend(authority)
        self._hub.extend(hub)
        self._authority_norm, self._hub_norm = float(norms[0]), float(norms[1])

    def _value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return self._authority.array[ids]


class TopicHitsOrder(HitsOrder):
    """Authorities count for hubs as far as they are relevant; unfetched ones as the average."""

    name = "topic-hits"
    summary = "The URL with the highest authority for the topic."
    source = "Bharat and Henzinger 1998, Improved algorithms for topic distillation"
    formula = (
        "a(v) = Σ h(u) over links u → v, h(u) = Σ r(w) a(w) over links u → w, "
        "r = rel where fetched, else the mean rel of fetched pages"
    )
    uses_topic = True

    def _page_weight(self, page: int, evidence: Evidence) -> float:
        return float(evidence.relevance[page])

    def _target_weights(self, ids: Ids, evidence: Evidence) -> FloatArray:
        fetched = evidence.fetched[ids]
        return np.where(fetched, evidence.relevance[ids], evidence.mean_relevance)

    def _relevance(self, view: GraphView, evidence: Evidence) -> FloatArray:
        relevance = np.full(view.n, evidence.mean_relevance)
        relevance[view.pages] = evidence.relevance[view.pages]
        return relevance
