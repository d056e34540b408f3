"""Scores as a few integer levels, for crawlers whose queues know no fractions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray, LongArray, as_values
from ranking.offline.errors import OfflineInputError

MAX_LEVELS = 2**31 - 1


def best_first(scores: npt.ArrayLike) -> LongArray:
    """Positions (n,) of finite scores (n,) by score, the highest first; ties in their order."""
    return np.argsort(-np.asarray(scores, np.float64), kind="stable")


def precedence(scores: npt.ArrayLike, levels: int) -> IntArray:
    """Quantile levels, 1 for the best n / levels scores, `levels` for the worst.

    Level of the score in place p (0 is the best) of n: 1 + ⌊p · levels / n⌋. Equal scores get
    one level, that of the best place among them, so levels may be left out where many scores
    are equal. Heritrix queues URIs by such integers, lower first.

    Args:
        scores: (n,) finite numbers >= 0.
        levels: from 1 to MAX_LEVELS.

    Returns:
        (n,) int32 in [1, levels].

    Raises:
        OfflineInputError: levels out of range.
        RankingInputError: scores of the wrong shape or range.

    """
    values = np.asarray(scores, np.float64)
    as_values("scores", values, values.size)
    if not 1 <= levels <= MAX_LEVELS:
        raise OfflineInputError(f"precedence levels must be from 1 to {MAX_LEVELS}, got {levels}")
    order = best_first(values)
    ordered = values[order]
    place = np.arange(values.size, dtype=np.int64)
    place[1:][ordered[1:] == ordered[:-1]] = 0
    np.maximum.accumulate(place, out=place)
    found = np.empty(values.size, np.int32)
    found[order] = 1 + place * levels // max(values.size, 1)
    return found
