"""The last ranking of a surfer in few bytes, until the next one continues it.

Nine in ten URLs of a crawl are not fetched, and their scores stand a second time among those that
are kept current: but for what was changed since, of which is noted what stood there before. What
a ranking needs to the last digit are the scores of fetched pages, which a continued one hands on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, SingleArray
from ranking.result import WalkMemory, WalkRanking

Scores = npt.NDArray[Any]  # float64 or float32
FEW = 3  # a restart weight and its id take twice its room: they are kept where so much is saved
LEAST_CHANGES = 2**14  # noted before repeated ones are dropped


class PackedChanges:
    """What stood in an array before it was written to, so that it can be had as it was.

    Invariant: what is noted first of a place is what stood there at first.
    """

    def __init__(self) -> None:
        self._steps: list[tuple[IntArray, Scores]] = []
        self._count, self._most = 0, LEAST_CHANGES

    def note(self, places: IntArray, values: Scores) -> None:
        """What stood at these places (k,) before they were written to; both are kept."""
        self._steps.append((places, values))
        self._count += len(places)
        if self._count > self._most:
            self._drop_repeated()

    def undone(self, array: Scores) -> Scores:
        """`array`, a copy of what the changes were made to, as it was; it is written to."""
        for places, values in reversed(self._steps):
            array[places] = values
        return array

    def _drop_repeated(self) -> None:
        every, before = (np.concatenate(parts) for parts in zip(*self._steps, strict=True))
        places, first = np.unique(every, return_index=True)
        self._steps, self._count = [(places, before[first])], len(places)
        self._most = max(LEAST_CHANGES, 2 * len(places))


@dataclass(frozen=True, eq=False)
class FewWeights:
    """Restart weights (n,) that are 0 but for some ids (k,)."""

    n: int
    ids: IntArray
    values: SingleArray

    def all(self) -> SingleArray:
        """(n,) a new array."""
        weights = np.zeros(self.n, np.float32)
        weights[self.ids] = self.values
        return weights


@dataclass(frozen=True, eq=False, kw_only=True)
class PackedRanking(WalkRanking):
    """A ranking without what can be told again.

    Attributes:
        scores: (n,) of the surfer's own precision; empty where they are kept elsewhere.
        n: ids that were ranked.
        pages: (m,) the fetched ones, None of a restored ranking that was not recognised yet.
        own: (m,) float64, their scores; None: `scores` are as precise.
        few: the restart weights of `memory`, if there are few of them.

    """

    n: int
    pages: IntArray | None
    own: FloatArray | None
    few: FewWeights | None = None

    @classmethod
    def of(
        cls, ranking: WalkRanking, pages: IntArray, dtype: type[np.floating[Any]]
    ) -> PackedRanking:
        """Pack the ranking of a view with these pages; its scores become a `dtype`."""
        scores, memory = ranking.scores, ranking.memory
        own = None if dtype is np.float64 else scores[pages]
        few = None
        if memory is not None and (few := _few(memory)) is not None:
            memory = replace(memory, restart=None)
        if memory is not None:
            memory = replace(memory, owed=memory.owed.astype(dtype, copy=False))
        parts = {**vars(ranking), "scores": scores.astype(dtype, copy=False), "memory": memory}
        return cls(**parts, n=len(scores), pages=pages, own=own, few=few)

    def unpacked(self, scores: Scores) -> WalkRanking:
        """The ranking as it was, of its scores (n,)."""
        exact = np.asarray(scores, np.float64)
        if self.own is not None and self.pages is not None:
            exact[self.pages] = self.own  # of a copy: where there are `own`, scores are float32
        memory = self.memory
        if memory is not None:
            memory = replace(memory, owed=np.asarray(memory.owed, np.float64))
            if self.few is not None:
                memory = replace(memory, restart=self.few.all())
        return WalkRanking(
            exact, self.iterations, self.residual, self.converged, self.jump, self.pushed, memory
        )


def _few(memory: WalkMemory) -> FewWeights | None:
    weights = memory.restart
    if weights is None:
        return None
    ids = np.flatnonzero(weights)
    if FEW * len(ids) > len(weights):
        return None
    return FewWeights(len(weights), ids.astype(np.int32), np.asarray(weights[ids], np.float32))
