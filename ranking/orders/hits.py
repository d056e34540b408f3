"""Orders by authority: hits, topic-hits.

Between re-ranks a fetched page becomes a hub by the equation, h = Σ r a over its links / the hub
norm, and raises each target by h / the authority norm: one step with the norms of the last
ranking. Before the first, every hub counts 1.

Where a hub also counts as far as it is relevant itself (topic-hits), h = rel · A(r a), the same
authorities come from plain HITS on links that weigh √rel(u) as much, since with h = √rel g

    g = √rel A(r a),    a = Aᵀh = (√rel A)ᵀ g.

So "hub" is g there: what a page is worth as a hub for one that is as relevant as itself.

A re-rank starts cold: of several equally strong communities the start decides, and a start from
all ones makes the result depend on the graph alone, not on how often it was ranked before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, SingleArray
from ranking.evidence import Evidence
from ranking.graph.view import CleanView, GraphView
from ranking.hits.hits import hits
from ranking.orders.base import Job, Lesson, LinkOrder, State
from ranking.priority import Ids
from ranking.result import HitsRanking, Ranking

MAX_SWEEPS = 300  # two communities nearly as strong: their order is not worth more


class HitsOrder(LinkOrder):
    """Priority = authority. Scores: "authority", also as "score", and "hub"."""

    name = "hits"
    summary = "The URL with the highest authority: named by pages that name authorities."
    source = "Kleinberg 1999, Authoritative sources in a hyperlinked environment"
    formula = "a(v) = Σ h(u) over links u → v, h(u) = Σ a(w) over links u → w"
    when = (
        "To find what the lists of links on a small, well-chosen web agree on. On a large one the "
        "most densely linked community wins, whatever it is about."
    )

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

    def _page_scale(self, page: int, evidence: Evidence) -> float:
        """How much more or less than they weigh the links of a page count."""
        return 1.0

    def _target_weights(self, ids: Ids, evidence: Evidence) -> FloatArray | float:
        return 1.0

    def _push(self, lesson: Lesson) -> None:
        page, ids, weights, evidence = lesson
        scale = self._page_scale(page, evidence)
        weight: Any = scale if weights is None else scale * weights
        if not self._hub_norm:
            self._hub.array[page] = handed = scale
        else:
            named = self._authority.array[ids] * self._target_weights(ids, evidence) * weight
            # All hubs sum to 1: where relevance has grown since the ranking, this bounds the step.
            self._hub.array[page] = hub = min(float(named.sum()) / self._hub_norm, 1.0)
            handed = hub / self._authority_norm
        self._authority.array[ids] += handed * weight

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        tol = self.tol
        return lambda: {"score": hits(view, tol=tol, max_iterations=MAX_SWEEPS)}

    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        ranking = rankings["score"]
        assert isinstance(ranking, HitsRanking)
        known = len(ranking.scores)
        self._authority_norm, self._hub_norm = ranking.authority_norm, ranking.hub_norm
        self._authority.array[:known], self._hub.array[:known] = ranking.scores, ranking.hubs
        self._authority.array[known:] = self._hub.array[known:] = 0

    @property
    def by_id(self) -> frozenset[str]:
        return frozenset({"authority", "hub"})

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

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return self._authority.array[ids]


class TopicHitsOrder(HitsOrder):
    """Hubs and authorities count as far as they are relevant, unfetched ones as the average."""

    name = "topic-hits"
    summary = "The URL with the highest authority for the topic."
    source = "Bharat and Henzinger 1998, Improved algorithms for topic distillation"
    formula = (
        "a(v) = Σ h(u) over links u → v, h(u) = rel(u) · Σ r(w) a(w) over links u → w, "
        "r = rel where fetched, else m"
    )
    when = (
        "To find what the link lists of a topic agree on, for a topic that has such lists. It "
        "digs into the most densely linked part of the topic and may leave out the others, and "
        "needs a judge that gives nothing to pages off the topic."
    )
    uses_topic = True

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._told, self._sum, self._count = Column(np.bool_), 0.0, 0

    def grow(self, n: int) -> None:
        super().grow(n)
        self._told.resize(n)

    def take(self, lesson: Lesson) -> None:
        # Not by the evidence: on resume it knows pages that this order is told later.
        self._told.array[lesson.page] = True
        self._sum += float(lesson.evidence.relevance[lesson.page])
        self._count += 1
        super().take(lesson)

    def _page_scale(self, page: int, evidence: Evidence) -> float:
        return float(np.sqrt(evidence.relevance[page]))

    def _target_weights(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return np.where(self._told.array[ids], evidence.relevance[ids], self._sum / self._count)

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        relevance, tol = np.full(view.n, evidence.mean_relevance), self.tol
        relevance[view.pages] = own = evidence.relevance[view.pages]
        return lambda: {
            "score": hits(_scaled(view, np.sqrt(own)), relevance, tol, max_iterations=MAX_SWEEPS)
        }

    @property
    def by_id(self) -> frozenset[str]:
        return super().by_id | {"told"}

    def _state(self) -> State:
        mean = np.array([self._sum, self._count])
        return {**super()._state(), "told": self._told.array.copy(), "mean": mean}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        if "norms" in arrays and "told" not in arrays:
            return  # of an earlier version: it is told all pages again
        super().restore(arrays)

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super()._restore(arrays)
        self._told = Column(np.bool_)
        self._told.extend(arrays["told"])
        self._sum, self._count = float(arrays["mean"][0]), int(arrays["mean"][1])


def _scaled(view: GraphView, scale: SingleArray) -> GraphView:
    """The view with the links of each page (m,) weighing `scale` times as much."""
    clean = view.snapshot()
    weights = np.repeat(scale, np.diff(clean.indptr))
    if clean.weights is not None:
        weights *= clean.weights
    return CleanView(clean.n, clean.pages, clean.indptr, clean.targets, weights)
