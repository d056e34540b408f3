"""OPIC, on-line page importance (Abiteboul, Preda, Cobena 2003): importance without a re-rank.

Every seed starts with cash 1. A fetched page hands its cash to its out-links and keeps none; a
URL's cash is an estimate of its importance that costs O(out-links) a page and no pass over the
graph.

Invariant: cash.sum() + spent is the number of seeds. `spent` is what pages without followed
links held: nobody gets it, because a crawl asks for an order, which a share for all would not
change.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, as_known_ids, as_page
from ranking.errors import RankingInputError
from ranking.links import page_links


class Opic:
    """The cash of every id, growing with the crawl."""

    def __init__(self, n: int = 0) -> None:
        self._cash = Column(np.float64)
        self._seeds = Column(np.bool_)
        self.spent = 0.0
        self.grow(n)

    @property
    def n(self) -> int:
        """Number of ids."""
        return len(self._cash.array)

    @property
    def cash(self) -> FloatArray:
        """(n,) float64 >= 0; a view that is valid until the next `grow`."""
        return self._cash.array

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known, with no cash."""
        self._cash.resize(n)
        self._seeds.resize(n)

    def seed(self, ids: npt.ArrayLike) -> None:
        """Give every new seed cash 1; ids that are seeds already get no more.

        Raises RankingInputError for ids not below n.
        """
        seeds = np.unique(as_known_ids("seeds", ids, self.n))
        new = seeds[~self._seeds.array[seeds]]
        self._seeds.array[new] = True
        self.cash[new] += 1

    def fetch(
        self, page: int, targets: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> None:
        """Hand the cash of a page to its links, in proportion to their weights.

        Args:
            page: id below n.
            targets: (k,) ids below n; links to itself do not count, repeats count once.
            weights: (k,) >= 0, 0 = nofollow; None: all 1.

        Raises:
            RankingInputError: ids or weights out of range.

        """
        page = as_page(page)
        if page >= self.n:
            raise RankingInputError(f"page {page} is not below n={self.n}; call grow() first")
        ids, weight = page_links(page, as_known_ids("targets", targets, self.n), weights)
        held = float(self.cash[page])
        self.cash[page] = 0.0
        total = float(ids.size if weight is None else weight.sum(dtype=np.float64))
        if total == 0:
            self.spent += held
            return
        self.cash[ids] += held / total if weight is None else weight * (held / total)
