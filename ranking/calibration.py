"""From a score whose scale means nothing to a probability: the best monotone step function.

Isotonic regression by pooling of adjacent violators (Ayer et al. 1955): of all functions that never
fall with the score, the one with the least squared error on pairs (score, did it happen). The pairs
are put into bins of equal counts first, so that the fit costs a sort, and each bin starts with one
pseudo-observation at the overall rate, so that a bin of three is not certain.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, as_values
from ranking.errors import RankingInputError

BINS = 64
"""At most; a calibration of 2,000 pairs has steps of a thirtieth of them."""


class Calibration:
    """Fitted to pairs; constant below the lowest and above the highest score among them.

    Args:
        scores: (k,) finite, any scale; k = 0 calibrates everything to 0.
        happened: (k,) bool.

    Raises:
        RankingInputError: lengths that differ, a score that is not finite.

    """

    def __init__(self, scores: npt.ArrayLike, happened: npt.ArrayLike) -> None:
        values = np.asarray(scores, np.float64)
        events = as_values("happened", happened, values.size).astype(np.float64)
        if not np.isfinite(values).all():
            raise RankingInputError("scores must be finite, some are not")
        order = np.argsort(values, kind="stable")
        values, events = values[order], events[order]
        starts = _starts(values)
        self._starts = values[starts]
        self._rates = _pooled(events, starts)

    def __call__(self, scores: npt.ArrayLike) -> FloatArray:
        """(k,) float64 in [0, 1], the probability of each of the scores (k,)."""
        wanted = np.asarray(scores, np.float64)
        if not self._starts.size:
            return np.zeros(wanted.shape)
        at = np.searchsorted(self._starts, wanted, side="right") - 1
        return np.asarray(self._rates[np.maximum(at, 0)], np.float64)


def _starts(values: FloatArray) -> npt.NDArray[np.int64]:
    """Where each bin of ascending values begins; equal values are never parted."""
    cuts = np.linspace(0, values.size, min(BINS, values.size) + 1)[:-1].astype(np.int64)
    return np.unique(np.searchsorted(values, values[cuts], side="left"))


def _pooled(events: FloatArray, starts: npt.NDArray[np.int64]) -> FloatArray:
    """The rate of each bin, after neighbours in the wrong order were made one."""
    if not starts.size:
        return np.empty(0)
    sums = np.add.reduceat(events, starts) + events.mean()
    sizes = np.diff(np.append(starts, events.size)) + 1.0
    blocks: list[tuple[float, float, int]] = []
    for block in zip(sums.tolist(), sizes.tolist(), [1] * starts.size, strict=True):
        blocks.append(block)
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            last, before = blocks.pop(), blocks.pop()
            blocks.append((before[0] + last[0], before[1] + last[1], before[2] + last[2]))
    return np.repeat([total / size for total, size, _ in blocks], [bins for _, _, bins in blocks])
