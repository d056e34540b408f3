"""What link analysis says of every URL, kept current between re-ranks.

Three random surfers (from relevant pages, from anywhere, from the seeds: topical PageRank,
PageRank, TrustRank) and the topic's hubs and authorities (topic-HITS).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.base import Job, State
from ranking.orders.hits import TopicHitsOrder
from ranking.orders.link_order import LinkUpdate
from ranking.orders.surfer import AnywhereRestart, SeedRestart, Surfer, Surfers, TopicRestart
from ranking.result import HitsRanking, Ranking

SINGLE = np.float32  # scores are read by their logarithms, as ranks of a sample: 1e-7 is enough
AUTHORITY_TOL = 1e-3  # authorities are read as ranks of a sample; finer costs sweeps


class Authorities(TopicHitsOrder):
    """Those of `topic-hits` in single precision, without hubs, which nobody reads here."""

    def _new_columns(self) -> dict[str, Column[Any]]:
        return {"authority": Column(SINGLE), "told": Column(np.bool_)}

    @property
    def scores(self) -> dict[str, FloatArray]:
        return {"authority": self._columns["authority"]}

    def _note_hub(self, page: int, hub: float) -> None:
        pass

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        job = super()._job(view, evidence)
        return lambda: {name: _small(ranking) for name, ranking in job().items()}


def _small(ranking: Ranking) -> Ranking:
    assert isinstance(ranking, HitsRanking)
    return replace(ranking, scores=ranking.scores.astype(SINGLE), hubs=np.empty(0))


class Walks:
    """Scores (n,) by name: topical, general, trust, authority."""

    def __init__(self, damping: float, tol: float) -> None:
        self._surfers = Surfers(
            topical=Surfer(TopicRestart(), damping, tol, SINGLE),
            general=Surfer(AnywhereRestart(), damping, tol, SINGLE),
            trust=Surfer(SeedRestart(), damping, tol, SINGLE),
        )
        self._authorities = Authorities(damping, max(tol, AUTHORITY_TOL))

    @property
    def scores(self) -> dict[str, FloatArray]:
        """Arrays in single precision, valid until the next `grow`."""
        return {**self._surfers.scores, "authority": self._authorities.scores["authority"]}

    @property
    def columns(self) -> tuple[FloatArray, ...]:
        """The same arrays: topical, general, trust, authority."""
        return tuple(self.scores.values())

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known."""
        self._surfers.grow(n)
        self._authorities.grow(n)

    def note(self, update: LinkUpdate) -> None:
        """A page was fetched; before its `push`."""
        self._authorities.take(update)

    def push(self, update: LinkUpdate) -> None:
        """One step of the surfers from a page that their last ranking saw without links."""
        self._surfers.push(update)

    def jobs(self, view: GraphView, evidence: Evidence) -> dict[str, Callable[[], Ranking]]:
        """The parts of a re-rank by name."""
        rank = self._authorities.prepare(view, evidence)
        return {**self._surfers.jobs(view, evidence), "authority": lambda: rank()["score"]}

    def install(self, rankings: Mapping[str, Ranking]) -> None:
        """Take over the results of the last jobs."""
        self._surfers.install(rankings)
        self._authorities.swap({"score": rankings["authority"]})

    @property
    def by_id(self) -> frozenset[str]:
        """Names of the arrays in `state` that hold one value an id."""
        now = (f"{name}.now" for name in self._surfers)
        return frozenset(
            {*self._surfers, *now, *(f"hits.{one}" for one in self._authorities.by_id)}
        )

    def state(self) -> State:
        """What `restore` needs: the last rankings, and the scores as they are now."""
        now = {f"{name}.now": scores.copy() for name, scores in self._surfers.scores.items()}
        authorities = self._authorities.state_arrays()
        hits = {f"hits.{name}": array for name, array in authorities.items()}
        return {**self._surfers.state(), **now, **hits}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        self._surfers.restore(arrays)
        for name, surfer in self._surfers.items():
            surfer.set_scores(np.asarray(arrays[f"{name}.now"], SINGLE))
        prefix = "hits."
        own = {name[len(prefix) :]: array for name, array in arrays.items() if name[:5] == prefix}
        self._authorities.restore(own)
