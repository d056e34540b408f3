"""The worth of a revisit now, and which pages to revisit next."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from frontier.refresh.chances import ChangeChances
from ranking.arrays import BoolArray, FloatArray, LongArray

UNSEEN_EVERY: Final = 4
"""One in so many revisits goes to the page that was seen longest ago, whatever its worth: an edit
of a whole site shows last on pages with a low rate of changes."""
_NEVER: Final = np.uint32(2**32 - 1)


def worth(importance: FloatArray, rates: FloatArray, chances: FloatArray) -> FloatArray:
    """The worth of a revisit of each page now; the order of revisits is by falling worth.

    For a page with a rate r of changes, and a chance p that it has changed,

        importance / r · (p + (1 - p) ln(1 - p)).

    For a Poisson process that is observed after a time t, p is 1 - exp(-r t), and this is the
    derivative of its mean freshness by the rate of revisits: where all pages are revisited when
    they reach the same threshold, freshness is the best for that many revisits (Cho &
    Garcia-Molina 2000; Azar et al. 2018, "Tractable near-optimal policies for crawling"). A signal
    raises p, as if the page had been unseen for as long as that would take (arXiv 2502.02430). A
    page that changes much faster than it can be revisited is worth little: it is stale at once.

    Args:
        importance: float64[k] >= 0, relevance or score.
        rates: float64[k] > 0, changes a second.
        chances: float64[k] in [0, 1).

    Returns:
        float64[k] >= 0, in importance times seconds.

    """
    values = np.log1p(-chances)
    values *= 1 - chances
    values += chances
    values *= importance
    values /= rates
    return np.maximum(values, 0.0, out=values)


def due(
    importance: FloatArray, chances: ChangeChances, now: float, most: int, longest_unseen: float
) -> LongArray:
    """Rows of the pages to revisit next, best first, `most` at most.

    A share `longest_unseen` of all revisits goes to the pages seen longest ago, whatever a revisit
    is worth: so no page waits for ever, and a wrong rate is corrected. Pages whose
    importance is negative may not be revisited.
    """
    values = worth(importance, *chances.estimates(slice(None), now))
    barred = importance < 0
    # Of all revisits so far, not of each few: with one at a time it would be a sweep.
    before, after = np.ceil(longest_unseen * np.array([chances.revisits, chances.revisits + most]))
    values[oldest_revisits(chances, barred, int(after - before))] = np.inf
    values[barred] = -1.0
    return foremost(values, most)


def foremost(values: FloatArray, most: int) -> LongArray:
    """Rows of the greatest values, `most` at most, best first, without negative values."""
    best = _least(-values, most)
    return best[values[best] >= 0]


def oldest_revisits(chances: ChangeChances, barred: BoolArray, most: int) -> LongArray:
    """Rows of the pages seen longest ago, the first `most`, without barred ones."""
    rows = _least(np.where(barred, _NEVER, chances.last), most)
    return rows[~barred[rows]]


def _least(values: FloatArray | NDArray[np.uint32], most: int) -> LongArray:
    """Rows of the smallest values, in their order; the first of equals first."""
    if most < len(values):
        limit = np.partition(values, most)[most]
        rows = np.flatnonzero(values <= limit)
    else:
        rows = np.arange(len(values), dtype=np.int64)
    return rows[np.argsort(values[rows], kind="stable")[:most]]
