"""From evidence and scores to one priority for each frontier URL; higher is fetched first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.evidence import Evidence

SEED_PRIORITY = 1e12  # above every id (< 2**31) and every score; exact in float64 after - id
PRIOR_PAGES = 5  # how many average parents a URL is assumed to have beside those it has
LEAST_MEAN = 1e-6  # relevance 0 everywhere must not make all priorities 0
LEAST_LIFT = 0.01  # a URL no relevant page leads to keeps a tenth (its root) of a usual one's lift
TINY = 1e-200  # a score below is 0: dividing by it would overflow
PROMISE_TILT = 0.25  # a full promise is worth e**(1/4), as much as 28 % more relevant parents

Ids = npt.NDArray[np.integer]


def seeds_first(priority: FloatArray, ids: Ids, evidence: Evidence) -> FloatArray:
    """Unfetched seeds before everything, in the order of their ids.

    A seed has no parents that could speak for it, and nothing can be known before it is read.
    """
    waiting = evidence.seed[ids]
    if not waiting.any():
        return priority
    waiting &= ~evidence.fetched[ids]
    return np.where(waiting, SEED_PRIORITY - ids, priority)


def parent_relevance(ids: Ids, evidence: Evidence, mean: float) -> FloatArray:
    """(k,) smoothed mean relevance of the fetched pages that link to each id, > 0.

    (Σ rel + 5 m) / (n + 5), m the `mean` in [0, 1] over all fetched pages: the fewer pages speak
    for a URL, the nearer it stays to the average.
    """
    mean = max(mean, LEAST_MEAN)
    known = evidence.parent_sum[ids] + PRIOR_PAGES * mean
    smoothed: FloatArray = known / (evidence.in_links[ids] + PRIOR_PAGES)
    return smoothed


def promise_lift(ids: Ids, evidence: Evidence) -> FloatArray:
    """(k,) e^(promise / 4), from 1 to 1.28: what the text of the links adds."""
    lift: FloatArray = np.exp(PROMISE_TILT * evidence.promise[ids].astype(np.float64))
    return lift


def topical_lift(topical: FloatArray, general: FloatArray) -> FloatArray:
    """(k,) (topical / general)^(1/2), floored at 1/10: how much nearer to the topic than usual.

    Args:
        topical: (k,) scores >= 0 with restarts at relevant pages.
        general: (k,) scores >= 0 with restarts anywhere; where 0, the lift is 1.

    """
    ratio = np.ones(len(general))
    np.divide(topical, general, out=ratio, where=general > TINY)
    return np.sqrt(ratio + LEAST_LIFT)
