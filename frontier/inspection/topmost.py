"""The first few of many ids by a value, without sorting the many."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def best_first(
    ids: NDArray[np.int64],
    n: int,
    values: NDArray[np.float64],
    ties: NDArray[np.int64],
    classes: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return up to n of `ids`: highest class, then highest value, NaN last, then lowest tie.

    `values`, `ties` and `classes` are indexed by id. O(len(ids)) and a sort of what may be among
    the first n.
    """
    order = np.where(np.isnan(values[ids]), np.inf, -values[ids])
    ranks = np.zeros(len(ids)) if classes is None else -classes[ids].astype(np.float64)
    kept = _foremost(ranks, n)
    # Of the last class that is let in only a part may fit.
    last = ranks[kept] == ranks[kept].max(initial=-np.inf)
    inside, partly = kept[~last], kept[last]
    partly = partly[_foremost(order[partly], n - len(inside))]
    kept = np.concatenate([inside, partly])
    by_key = np.lexsort((ties[ids[kept]], order[kept], ranks[kept]))
    return ids[kept[by_key]][:n]


def _foremost(keys: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Positions of the n lowest keys, and of all that equal the last of them."""
    if n >= len(keys):
        return np.arange(len(keys))
    if n <= 0:
        return np.empty(0, np.int64)
    return np.flatnonzero(keys <= np.partition(keys, n - 1)[n - 1])


def number_or_none(value: float | None) -> float | None:
    """Return a plain float, None for NaN."""
    return None if value is None or math.isnan(value) else float(value)
