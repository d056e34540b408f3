"""Soft focus: a URL is worth what the pages that link to it are worth on average.

The average is smoothed with the mean relevance m of the crawl, and m moves with every page.
Priorities that were computed at different times must be comparable, so m is taken anew at fixed
page counts only, when all that is queued is priced again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.orders.base import Repricing, State
from ranking.orders.memory import MemoryOrder
from ranking.page_update import PageUpdate
from ranking.priority import PRIOR_PAGES, Ids

MEAN_PARTS = 20
"""m is taken anew when a crawl has grown by one part in so many: 20 pages move it by less than
they would move a frontier that is priced again with each, and the cost a page stays bounded."""


class FcMean(MemoryOrder):
    """The average is drawn to m as long as few pages speak."""

    name = "fc-mean"
    summary = "The URL whose linking pages are the most relevant on average."
    source = "Chakrabarti, van den Berg, Dom 1999, with the mean in place of the maximum"
    formula = f"(Σ rel(u) + {PRIOR_PAGES}m) / (n(v) + {PRIOR_PAGES})"
    when = (
        "The simplest strategy that does well where pages on a topic link to one another, as in "
        "an encyclopedia. Fails where a site's menu links everything to everything, and where "
        "link texts tell more than pages do."
    )
    uses_topic = True

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._sum = self._mean = 0.0
        self._taken = self._due = 0  # pages at which m was taken and is to be taken anew

    def _note(self, update: PageUpdate, evidence: Evidence) -> None:
        self._sum += update.relevance
        pages = self.pages_seen + 1
        if pages >= self._due:
            self._mean, self._taken = self._sum / pages, pages
            self._due = pages + max(1, pages // MEAN_PARTS)

    def repricing(self, pages: int, queued: int) -> Repricing:
        return Repricing.ALL if self._taken == self.pages_seen else Repricing.NONE

    def contributions(self, ids: npt.ArrayLike, evidence: Evidence) -> dict[str, FloatArray]:
        array = np.asarray(ids)
        speakers = evidence.in_links[array] + PRIOR_PAGES
        return {
            "relevance of the linking pages": np.asarray(evidence.parent_sum[array] / speakers),
            "the average of the crawl": PRIOR_PAGES * self._mean / speakers,
        }

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        known = evidence.parent_sum[ids] + PRIOR_PAGES * self._mean
        return np.asarray(known / (evidence.in_links[ids] + PRIOR_PAGES), np.float64)

    def _state(self) -> State:
        return {"mean": np.array([self._sum, self._mean, self._taken, self._due])}

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._sum, self._mean, taken, due = arrays["mean"].tolist()
        self._taken, self._due = int(taken), int(due)
