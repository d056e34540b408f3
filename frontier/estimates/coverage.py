"""How much of what matters is fetched: a lower bound that no unseen part of the web can break.

What matters is the time of a random surfer who starts at the crawl's seeds and jumps back to a
seed whenever he jumps (personalized PageRank with the seeds, all alike, as restart vector). The
share of his time that he certainly spends on fetched pages is the RankMass of the crawl
(`ranking/pagerank/rankmass.py`), whatever the unfetched pages link to. It is the same whatever
strategy orders the crawl; a focused crawl does not need much of it, a crawl of a site does.

The bound is brought up to date after each growth of the crawl by a fixed share. What it was
before stays true in between: fetching more can only add to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ranking.pagerank.rankmass import RankMass

if TYPE_CHECKING:
    from ranking.arrays import BoolArray, IntArray
    from ranking.graph.link_graph import LinkGraph

TOLERANCE = 1e-4
"""L1, by how much the bound may stay below the best one: a hundredth of a percent."""
CLOSELY, ROUGHLY = 0.005, 0.1
"""Growth of the crawl between two updates: where it decides when to stop, where it is only told."""
SELDOM = 25
"""Pages between two updates at least, where it is only told: one costs some milliseconds."""


class Coverage:
    """The bound of one crawl.

    Args:
        damping: probability to follow a link, in [0, 1); that of the crawl.
        growth: share > 0 by which the crawl grows between two updates.
        fewest: pages by which it grows at least, 1 or more.

    """

    def __init__(self, damping: float, growth: float = ROUGHLY, fewest: int = 1) -> None:
        self._damping, self._growth, self._fewest = damping, growth, fewest
        self._seeds: IntArray = np.empty(0, np.int32)
        self._mass: RankMass | None = None
        self._due = 0
        self.value: float | None = None
        """Share of the surfer's time on fetched pages, at least; in [0, 1]; None: not known yet."""

    def is_due(self, pages: int) -> bool:
        """Whether a crawl of so many fetched pages has grown enough since the last update."""
        return pages >= self._due

    def update(self, graph: LinkGraph, seeds: BoolArray) -> None:
        """Take in what was fetched since the last update; without seeds nothing is known.

        Costs below a microsecond for each page of the crawl, over the life of the crawl.

        Args:
            graph: of the crawl, the one of the last update or one that was read from its store.
            seeds: (n,) whether each id is a seed.

        """
        self._due = graph.n_pages + max(self._fewest, int(self._growth * graph.n_pages))
        trusted = np.flatnonzero(seeds).astype(np.int32)
        if not trusted.size:
            return
        if self._mass is None or not np.array_equal(trusted, self._seeds):
            self._seeds, self._mass = trusted, RankMass(trusted, None, self._damping, TOLERANCE)
        self.value = self._mass.update(graph)

    def forget(self) -> None:
        """Give the working memory back; the next update starts anew, about ten times as slow."""
        self._mass = None
