"""What link analysis says of every URL, kept current between re-ranks.

Two random surfers: from relevant pages (topical PageRank) and from anywhere (PageRank).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.orders.base import State
from ranking.orders.surfer import AnywhereRestart, Surfer, Surfers, TopicRestart

SINGLE = np.float32  # scores are read by their logarithms, as ranks of a sample: 1e-7 is enough


class Walks(Surfers):
    """Scores (n,) by name: topical, general; in single precision."""

    def __init__(self, damping: float, tol: float) -> None:
        super().__init__(
            topical=Surfer(TopicRestart(), damping, tol, SINGLE),
            general=Surfer(AnywhereRestart(), damping, tol, SINGLE),
        )

    @property
    def columns(self) -> tuple[FloatArray, ...]:
        """Arrays, valid until the next `grow`: topical, general."""
        return tuple(self.scores.values())

    @property
    def by_id(self) -> frozenset[str]:
        """Names of the arrays in `state` that hold one value an id."""
        return frozenset({*self, *(f"{name}.now" for name in self)})

    def state(self) -> State:
        """What `restore` needs: the last rankings, and the scores as they are now."""
        now = {f"{name}.now": scores.copy() for name, scores in self.scores.items()}
        return {**super().state(), **now}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        super().restore(arrays)
        for name, surfer in self.items():
            surfer.set_scores(np.asarray(arrays[f"{name}.now"], SINGLE))
