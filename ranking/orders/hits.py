"""Orders by authority: hits, topic-hits.

Between re-ranks a fetched page becomes a hub by the equation, h = Σ r a over its links / the hub
norm, and raises each target by h / the authority norm: one step with the norms of the last
ranking. Before the first, every hub counts 1.

Where a hub also counts as far as it is relevant itself (topic-hits), h = rel · A(r a), the same
authorities come from plain HITS on links that weigh √rel(u) as much, since with h = √rel g

    g = √rel A(r a),    a = Aᵀh = (√rel A)ᵀ g.

So "hub" is g there: the worth of a page as a hub in the eyes of an equally relevant page.

A re-rank starts cold: of several equally strong communities the start decides, and a start from
all ones makes the result depend on the graph alone, not on how often it was ranked before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, IntArray, SingleArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.hits import hits
from ranking.orders.base import Job, State
from ranking.orders.link_order import LinkOrder, LinkUpdate
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
    saved_score = "authority"

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._authority_norm = self._hub_norm = 0.0

    def _new_columns(self) -> dict[str, Column[Any]]:
        return {"authority": Column(np.float64), "hub": Column(np.float64)}

    @property
    def scores(self) -> dict[str, FloatArray]:
        authority = self._columns["authority"]
        return {"score": authority, "authority": authority, "hub": self._columns["hub"]}

    def _page_scale(self, page: int, evidence: Evidence) -> float:
        """How much more or less than they weigh the links of a page count."""
        return 1.0

    def _counts(self, ids: IntArray, evidence: Evidence) -> SingleArray | None:
        """How much targets (k,) count; None: all 1."""
        return None

    def _push(self, update: LinkUpdate) -> None:
        page, ids, weights, evidence = update[:4]
        authority = self._columns["authority"]
        scale = self._page_scale(page, evidence)
        if not self._hub_norm:
            hub = passed = scale
        else:
            named, counts = authority[ids], self._counts(ids, evidence)
            if counts is not None:
                named *= counts
            named *= scale if weights is None else np.float32(scale) * weights
            # All hubs sum to 1: where relevance has grown since the ranking, this bounds the step.
            hub = min(float(named.sum()) / self._hub_norm, 1.0)
            passed = hub / self._authority_norm
        self._columns["hub"][page] = hub
        authority[ids] += (
            passed * scale
            if weights is None
            else np.float32(passed) * (np.float32(scale) * weights)
        )

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        tol = self.tol
        return lambda: {"score": hits(view, tol=tol, max_iterations=MAX_SWEEPS)}

    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        ranking = rankings["score"]
        assert isinstance(ranking, HitsRanking)
        known = len(ranking.scores)
        self._authority_norm, self._hub_norm = ranking.authority_norm, ranking.hub_norm
        for name, values in (("authority", ranking.scores), ("hub", ranking.hubs)):
            self._columns[name][:known], self._columns[name][known:] = values, 0

    def _state(self) -> State:
        norms = np.array([self._authority_norm, self._hub_norm])
        return {**super()._state(), "norms": norms}

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        norms = arrays["norms"]
        super()._restore(arrays)
        self._authority_norm, self._hub_norm = float(norms[0]), float(norms[1])

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return self._columns["authority"][ids]


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
        "To find what the link lists of a topic agree on. It digs into the most densely linked "
        "part of the topic, and needs a judge that gives nothing to pages off the topic."
    )
    uses_topic = True

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._sum, self._count = 0.0, 0

    def _new_columns(self) -> dict[str, Column[Any]]:
        return {**super()._new_columns(), "learned": Column(np.bool_)}

    def take(self, update: LinkUpdate) -> None:
        # Not by the evidence: on resume it knows pages whose updates come later.
        self._columns["learned"][update.page] = True
        self._sum += float(update.evidence.relevance[update.page])
        self._count += 1
        super().take(update)

    def _page_scale(self, page: int, evidence: Evidence) -> float:
        return float(np.sqrt(evidence.relevance[page]))

    def _counts(self, ids: IntArray, evidence: Evidence) -> SingleArray | None:
        mean = np.float32(self._sum / self._count)
        return np.where(self._columns["learned"][ids], evidence.relevance[ids], mean)

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        relevance, shares, tol = (
            np.full(view.n, evidence.mean_relevance),
            np.zeros(view.n),
            self.tol,
        )
        relevance[view.pages] = own = evidence.relevance[view.pages]
        shares[view.pages] = np.sqrt(own)
        return lambda: {
            "score": hits(view, relevance, tol, max_iterations=MAX_SWEEPS, shares=shares)
        }

    def _state(self) -> State:
        return {**super()._state(), "mean": np.array([self._sum, self._count])}

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super()._restore(arrays)
        self._sum, self._count = float(arrays["mean"][0]), int(arrays["mean"][1])
