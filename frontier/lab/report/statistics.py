"""Is one strategy better than another, over topics? Interval and test for paired differences.

Topics are the sample: they differ far more from each other than strategies do, so strategies are
compared topic by topic, and what is resampled or given another sign is a whole topic.

`bootstrap_interval`: percentile bootstrap of the mean difference (Efron 1979). `signed_rank`:
Wilcoxon's signed rank test (Wilcoxon 1945), two-sided and exact for every n: tied differences share
their mean rank and the distribution is the one given those ranks, which a table for untied ranks
is not; differences of zero are left out, as Wilcoxon did. `holm`: p values that may stand beside
each other (Holm 1979).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

RESAMPLES = 10_000
"""Of a bootstrap: the ends of an interval move by about 1 % of its width from seed to seed."""
_SEED = 4
_NOISE = 1e-12
"""Differences closer than this are equal: they come from ratios of whole numbers."""


def bootstrap_interval(
    differences: Sequence[float], resamples: int = RESAMPLES, seed: int = _SEED
) -> tuple[float, float]:
    """95 % interval of the mean of n >= 1 differences; (nan, nan) for fewer than two.

    The same differences give the same interval: the resampling has a seed of its own.
    """
    values = np.asarray(differences, np.float64)
    if len(values) < 2:
        return float("nan"), float("nan")
    drawn = np.random.default_rng(seed).integers(len(values), size=(resamples, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def signed_rank(differences: Sequence[float]) -> float:
    """Two-sided p value of Wilcoxon's signed rank test; 1.0 where no difference is left."""
    values = np.asarray(differences, np.float64)
    values = values[np.abs(values) > _NOISE]
    if not len(values):
        return 1.0
    ranks = _doubled_ranks(np.abs(values))
    positive = int(ranks[values > 0].sum())
    chances = _rank_sums(ranks)
    tail = min(chances[: positive + 1].sum(), chances[positive:].sum())
    return min(1.0, 2.0 * float(tail))


def holm(values: Sequence[float]) -> list[float]:
    """P values made larger so that any of them below .05 is one mistake in twenty, together."""
    order = np.argsort(values, kind="stable")
    adjusted, largest = [1.0] * len(values), 0.0
    for place, at in enumerate(order.tolist()):
        largest = max(largest, min(1.0, (len(values) - place) * values[at]))
        adjusted[at] = largest
    return adjusted


def _doubled_ranks(sizes: FloatArray) -> npt.NDArray[np.int64]:
    """Twice the rank of each size, from 2; equal ones share the mean, so these are whole."""
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > _NOISE)
    ends = np.append(starts[1:], len(sizes))
    ranks = np.empty(len(sizes), np.int64)
    ranks[order] = np.repeat(starts + ends + 1, ends - starts)
    return ranks


def _rank_sums(ranks: npt.NDArray[np.int64]) -> FloatArray:
    """Chance of each sum of ranks when every one is taken or left with chance 1/2."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    for rank in ranks.tolist():
        chances[rank:] = (chances[rank:] + chances[: len(chances) - rank]) / 2
        chances[:rank] /= 2
    return chances
