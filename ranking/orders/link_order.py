"""The life of an order that re-ranks the link graph.

It keeps scores:

1. `page` pushes the score of a fetched page on to its links, O(links): URLs newer than the last
   re-rank have these provisional scores;
2. `prepare` (main thread) copies what a re-rank needs and returns a job;
3. the job (any thread) reads nothing but its copies and the snapshot, and returns rankings;
4. `swap` (main thread) installs them and pushes again, from the new scores, the pages that were
   fetched since `prepare`.

So a re-rank may take as long as it likes: no page's page update is lost or counted twice.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy.typing as npt

from ranking.arrays import IntArray, SingleArray
from ranking.errors import RankingInputError
from ranking.evidence import Evidence
from ranking.graph import _links
from ranking.graph.links import page_links
from ranking.graph.view import GraphView
from ranking.orders.base import Job
from ranking.orders.memory import SavedOrder
from ranking.page_update import PageUpdate
from ranking.result import Ranking


class LinkUpdate(NamedTuple):
    """The merged links of a fetched page.

    Attributes:
        total: what they weigh together.
        followed: targets that the page vouches for.

    """

    page: int
    targets: IntArray
    weights: SingleArray | None
    evidence: Evidence
    total: float
    followed: IntArray

    @classmethod
    def of(cls, update: PageUpdate, evidence: Evidence) -> LinkUpdate:
        """The links of a page update, merged."""
        targets, weights, _ = page_links(update.page, update.targets, update.weights)
        if weights is None:
            return cls(update.page, targets, None, evidence, len(targets), targets)
        total, whole = _links.weigh(weights)
        followed = targets if whole else targets[weights > 0]
        return cls(update.page, targets, weights, evidence, total, followed)

    def copied(self) -> LinkUpdate:
        """The same in arrays of its own."""
        targets = self.targets.copy()
        if self.weights is None:
            return self._replace(targets=targets, followed=targets)
        return self._replace(targets=targets, weights=self.weights.copy())


class LinkOrder(SavedOrder):
    """An order whose scores come from re-ranks, and from pushes between them."""

    uses_links = True
    saves_ranking: ClassVar[bool] = False
    """Whether the saved state is that of the last re-rank, not of now."""

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._since_prepare: list[LinkUpdate] | None = None
        self._pages_prepared = self._pages_ranked = 0

    def page(self, update: PageUpdate, evidence: Evidence) -> None:
        self.take(LinkUpdate.of(update, evidence))

    def take(self, update: LinkUpdate) -> None:
        """Learn a fetched page's links, merged; what `page` does."""
        if self._since_prepare is not None:
            self._since_prepare.append(update.copied())
        self._push(update)
        self.pages_seen += 1

    def prepare(self, view: GraphView, evidence: Evidence) -> Job:
        if evidence.n < view.n:
            raise RankingInputError(
                f"the evidence must know all {view.n} ids of the graph, it knows {evidence.n}; "
                "call evidence.grow() first"
            )
        self.grow(view.n)
        self._since_prepare, self._pages_prepared = [], self.pages_seen
        return self._job(view, evidence)

    def swap(self, rankings: Mapping[str, Ranking]) -> None:
        self._install(rankings)
        self._pages_ranked = self._pages_prepared
        since, self._since_prepare = self._since_prepare, None
        for update in since or ():
            self._push(update)

    @property
    def _pages_saved(self) -> int:
        return self._pages_ranked if self.saves_ranking else self.pages_seen

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(arrays)
        self._pages_ranked, self._since_prepare = self.pages_seen, None

    @abstractmethod
    def _push(self, update: LinkUpdate) -> None:
        """Push the page's score on to its links."""

    @abstractmethod
    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        """Copy what the re-rank needs and bind it."""

    @abstractmethod
    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        """Replace the scores; ids newer than the ranking get what a URL without links has."""
