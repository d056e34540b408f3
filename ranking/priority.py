"""From evidence and scores to one priority for each frontier URL; higher is fetched first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.evidence import Evidence

SEED_PRIORITY = 1e12  # above every id (< 2**31) and every score; exact in float64 after - id
PRIOR_PAGES = 5  # how many average parents a URL is assumed to have beside those it has
LEAST_MEAN = 1e-6  # relevance 0 everywhere must not make all priorities 0

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
