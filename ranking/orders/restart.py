"""Where the random surfer jumps: one small policy for each kind of PageRank.

Each says three things: the restart vector of a re-rank, the weight in it of a URL that was just
discovered, and the weight that a page gains by being fetched. The last two let scores between
re-ranks include the jumps that the next re-rank will count.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ranking.arrays import SingleArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView


class Restart(Protocol):
    """A kind of restart vector; weights are on a scale where one URL counts about 1."""

    newcomer: float

    def vector(self, view: GraphView, evidence: Evidence) -> SingleArray | None:
        """(n,) weights with a positive sum (empty for n = 0), owned by the caller; None: all 1.

        Depends on n and the pages of the view alone, and on what the evidence says of them.
        """

    def gained(self, page: int, evidence: Evidence, known: int) -> float:
        """Weight of a page fetched just now beyond what the vector of `known` ids gave it."""


class AnywhereRestart:
    """The surfer jumps to any URL, fetched or not."""

    newcomer = 1.0

    def vector(self, view: GraphView, evidence: Evidence) -> SingleArray | None:
        return None

    def gained(self, page: int, evidence: Evidence, known: int) -> float:
        return 0.0


class SeedRestart:
    """The surfer jumps to a seed; without seeds, anywhere."""

    newcomer = 0.0

    def vector(self, view: GraphView, evidence: Evidence) -> SingleArray | None:
        weights = evidence.seed[: view.n].astype(np.float32)
        return _constant(weights) if weights.any() else None

    def gained(self, page: int, evidence: Evidence, known: int) -> float:
        return float(page >= known and evidence.seed[page])


class TopicRestart:
    """The surfer jumps to fetched pages by relevance; if none is relevant, to a seed."""

    newcomer = 0.0

    def vector(self, view: GraphView, evidence: Evidence) -> SingleArray | None:
        weights = np.zeros(view.n, np.float32)
        weights[view.pages] = evidence.relevance[view.pages]
        return _constant(weights) if weights.any() else SeedRestart().vector(view, evidence)

    def gained(self, page: int, evidence: Evidence, known: int) -> float:
        return float(evidence.relevance[page])


def _constant(weights: SingleArray) -> SingleArray:
    # A ranking keeps an array that nobody can change, and copies any other.
    weights.flags.writeable = False
    return weights
