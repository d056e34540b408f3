"""Reciprocal-rank fusion: every signal ranks the frontier, and high ranks add up.

Signals have no common scale, and what they are worth differs from web to web; their ranks can be
added without weights. A rank is a place among the URLs that are not fetched, and changes with
every page. Here the places are those at the last re-rank: it leaves, for each signal, the values
at chosen places (`Places`), and a URL that is new or gained a link since is placed among them.
That makes a priority a function of one URL and of the last re-rank, so that priorities of
different times can be compared and a resumed crawl goes on in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, SingleArray, distinct
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.base import Job, State
from ranking.orders.relevance_ppr import FIRST_MEAN
from ranking.orders.restart import TopicRestart
from ranking.orders.surfer import Surfer
from ranking.orders.surfers import SurferOrder, Surfers
from ranking.orders.walks import SMOOTHING
from ranking.priority import Ids, parent_relevance
from ranking.result import Ranking

EVEN_OUT = 60  # of Cormack et al.; the first place is worth twice the 62nd
EXACT = 1_000  # places from the best that are all kept
RATIO = 1.01  # from there on, between two places that are kept
SIGNALS = {
    "parents": "relevance of the linking pages",
    "words": "words of the links",
    "link": "best single link",
    "walk": "place in the link graph",
}
"""Name in the saved state, and what is said of it to people."""


class Places(NamedTuple):
    """One signal's values at some places of a frontier, best first.

    Values are compared in single precision: what is equal but for the rounding of sums shares a
    place.

    Attributes:
        values: (k,) float32, descending.
        places: (k,) float64 from 1, ascending: the place of each value.
        size: of the frontier.

    """

    values: SingleArray
    places: FloatArray
    size: int

    @classmethod
    def of(cls, values: FloatArray) -> Places:
        """The places of a whole frontier (n,)."""
        n = len(values)
        kept = _kept(n)
        falling = -np.sort(-values.astype(np.float32))
        return cls(falling[kept], (kept + 1).astype(np.float64), n)

    def place(self, values: FloatArray) -> FloatArray:
        """(k,) place from 1 that each value (k,) has: behind all that are larger."""
        index = np.searchsorted(-self.values, -values.astype(np.float32), side="left")
        return np.append(self.places, self.size + 1.0)[index]


class Fusion(SurferOrder):
    """Scores: "score" is topic-ppr."""

    name = "fusion"
    summary = "The URL that ranks high by several signals: pages, words and links."
    source = "Cormack, Clarke, Büttcher 2009, Reciprocal rank fusion"
    formula = (
        f"Σ 1 / ({EVEN_OUT} + place of v) over four rankings of the frontier: (Σ rel(u) + 5m) / "
        "(n(v) + 5), promise(v), max (rel(u) + promise(u → v)) / 2, topic-ppr(v) / (n(v) + 2)"
    )
    when = (
        "When no single signal can be trusted beforehand and no learning is wanted: nothing to "
        "tune. Strong where all its signals say something; one that says nothing on a web costs "
        "it more than it costs a strategy that learns."
    )
    uses_topic = True

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._surfers = Surfers(score=Surfer(TopicRestart(), damping, tol))
        self._mean = self._next_mean = FIRST_MEAN
        self._places: dict[str, Places] = {}
        self._next_places: dict[str, Places] = {}

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        self._next_mean = evidence.mean_relevance
        self._next_places = places = {}
        frontier = np.flatnonzero(~evidence.fetched[: view.n])
        signals = _said(frontier, evidence, self._next_mean)
        links = evidence.in_links[frontier]
        walk = super()._job(view, evidence)

        def rank() -> dict[str, Ranking]:
            rankings = walk()
            signals["walk"] = _per_link(rankings["score"].scores[frontier], links)
            places.update({name: Places.of(values) for name, values in signals.items()})
            return rankings

        return rank

    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        super()._install(rankings)
        self._mean, self._places = self._next_mean, self._next_places

    def _state(self) -> State:
        tables = {
            key: array
            for name, table in self._places.items()
            for key, array in ((f"{name}.values", table.values), (f"{name}.places", table.places))
        }
        size = self._places["walk"].size if self._places else -1
        return {"fusion": np.array([self._mean, size]), **tables, **super()._state()}

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super()._restore(arrays)
        self._mean, size = arrays["fusion"].tolist()
        self._places = (
            {}
            if size < 0
            else {
                name: Places(arrays[f"{name}.values"], arrays[f"{name}.places"], int(size))
                for name in SIGNALS
            }
        )

    def contributions(self, ids: npt.ArrayLike, evidence: Evidence) -> dict[str, FloatArray]:
        parts = self._parts(np.asarray(ids), evidence)
        return {words: parts[name] for name, words in SIGNALS.items() if name in parts}

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return sum(self._parts(ids, evidence).values(), np.zeros(len(ids)))

    def _parts(self, ids: Ids, evidence: Evidence) -> dict[str, FloatArray]:
        """What each signal adds: its value as it is until a re-rank knows the places."""
        signals = _said(ids, evidence, self._mean)
        if not self._places:
            return signals
        signals["walk"] = _per_link(self.scores["score"][ids], evidence.in_links[ids])
        return {
            name: 1 / (EVEN_OUT + self._places[name].place(values))
            for name, values in signals.items()
        }


def _said(ids: Ids, evidence: Evidence, mean: float) -> dict[str, FloatArray]:
    """The signals that need no scores."""
    return {
        "parents": parent_relevance(ids, evidence, mean),
        "words": evidence.promise[ids].astype(np.float64),
        "link": evidence.best_link[ids].astype(np.float64),
    }


def _per_link(scores: FloatArray, links: npt.NDArray[np.integer]) -> FloatArray:
    return np.asarray(scores / (links + SMOOTHING), np.float64)


def _kept(n: int) -> npt.NDArray[np.int64]:
    """Places from 0 of which the values are kept, in a frontier of n."""
    first = np.arange(min(n, EXACT))
    if n <= EXACT:
        return first
    steps = int(np.log(n / EXACT) / np.log(RATIO)) + 1
    later = np.geomspace(EXACT, n - 1, steps).astype(np.int64)
    return distinct(np.concatenate([first, later]))
