"""Best first, at once or in batches: a URL is worth what the best page that links to it is about.

In batches (`best-n-first`) priorities stand still while N URLs are fetched. What was found
meanwhile waits below all that was known when the batch began, and comes up only where the batch
has nothing left, which happens when some of its URLs could not be fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray
from ranking.evidence import Evidence
from ranking.lesson import PageLesson
from ranking.orders.base import Repricing, State
from ranking.orders.memory import BestLinkOrder, vouched
from ranking.priority import Ids

BATCH = 256  # N of Pant, Srinivasan, Menczer 2002, who found larger N to explore better
NEW = -1.0  # what `frozen` says of a URL that was found since the batch began


class BestFirst(BestLinkOrder):
    """One page about the topic is enough, however many others link to a URL too."""

    name = "best-first"
    summary = "The URL that the page most similar to the topic links to."
    source = "Cho, Garcia-Molina, Page 1998; Menczer, Pant, Srinivasan 2004, Topical web crawlers"
    formula = "max of cos(u, q) over fetched pages u that link to v, q the topic"
    when = (
        "When the topic is well described by words and relevant pages link to one another. It is "
        "the usual yardstick of focused crawling; it trusts the best of many parents, so one page "
        "that mentions the topic among much else leads it astray where `fc-mean` asks them all."
    )
    uses_topic = True

    def _link_values(self, lesson: PageLesson) -> FloatArray:
        return vouched(lesson, lesson.similarity)


class BestNFirst(BestFirst):
    """`best-first` whose priorities are brought up to date once every N pages."""

    name = "best-n-first"
    summary = f"Like best-first, in batches of {BATCH} URLs: less greedy, and cheaper to keep."
    source = "Pant, Srinivasan, Menczer 2002, Exploration versus exploitation"
    formula = f"priority by `best-first` when the batch of min({BATCH}, frontier) URLs began"
    when = (
        "When best-first gets stuck in one corner of the web: a whole batch is taken from what "
        "was best before it, so that the crawl widens. Slower to react, worse on small budgets."
    )
    FROZEN = "frozen"

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._known = 0  # ids that lessons have named
        self._began = self._ends = 0  # of the batch, in pages

    def _new_columns(self) -> dict[str, Column[Any]]:
        return {**super()._new_columns(), self.FROZEN: Column(np.float32, NEW)}

    def _note(self, lesson: PageLesson, evidence: Evidence) -> None:
        if not self.pages_seen:
            self._ends = _leading_seeds(evidence)
        super()._note(lesson, evidence)
        self._known = max(self._known, lesson.page + 1, int(lesson.targets.max(initial=-1)) + 1)
        if self.pages_seen + 1 >= self._ends:
            self._begin(self.pages_seen + 1)

    def _begin(self, pages: int) -> None:
        self._began = pages
        self._ends = pages + min(BATCH, max(1, self._known - pages))
        known = slice(self._known)
        self._columns[self.FROZEN][known] = self._columns[self.BEST][known]

    def repricing(self, pages: int, queued: int) -> Repricing:
        return Repricing.ALL if self._began == self.pages_seen else Repricing.NONE

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        frozen = np.asarray(self._columns[self.FROZEN][ids], np.float64)
        return np.where(frozen == NEW, super().value(ids, evidence) - 1, frozen)

    def _state(self) -> State:
        batch = np.array([self._known, self._began, self._ends])
        return {**super()._state(), "batch": batch}

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._known, self._began, self._ends = arrays["batch"].tolist()
        super()._restore(arrays)


def _leading_seeds(evidence: Evidence) -> int:
    """Seeds that were there before any link: they are the first batch."""
    return int(np.append(evidence.seed, False).argmin())
