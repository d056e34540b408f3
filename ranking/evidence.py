"""The evidence of fetched pages for every URL: one row an id, columns that grow with the crawl.

Sums, counts and maxima only, so a page update costs O(links of the page) and the whole table can be
rebuilt from the crawl's history in a few vectorised passes. `load` gives bit for bit what `page`
gives one page at a time: both add in crawl order and round at the same places.

The text of a nofollow link (weight 0) counts (prediction), but its page does not vouch for the
target: no in-link and no parent relevance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import (
    BoolArray,
    Column,
    FloatArray,
    IntArray,
    SingleArray,
    as_fraction,
    as_fractions,
    as_known_ids,
    as_page,
    as_values,
)
from ranking.errors import RankingInputError
from ranking.graph.links import merged_links
from ranking.graph.view import GraphView
from ranking.page_update import PageUpdate

_LEARNED: dict[str, type[np.generic]] = {
    "in_links": np.int32,
    "parent_sum": np.float64,
    "parent_max": np.float32,
    "predicted": np.float32,
    "relevance": np.float32,
    "fetched": np.bool_,
}


class Evidence:
    """The growing table; ids are 0 to n - 1. Its columns are views, valid until the next `grow`.

    Attributes:
        depth: (n,) int32, links from a seed along the way an id was discovered.
        seed: (n,) whether an id is a seed.
        in_links: (n,) int32, fetched pages with a followed link to it.
        parent_sum: (n,) float64, sum of those pages' relevance.
        parent_max: (n,) float32 in [0, 1], the largest of those pages' relevance.
        predicted: (n,) float32 in [0, 1], best prediction over the links to it, nofollow included.
        relevance: (n,) float32 in [0, 1], its own; 0 before it is fetched.
        fetched: (n,) whether `page` or `load` was called with it.

    """

    depth: IntArray
    seed: BoolArray
    in_links: IntArray
    parent_sum: FloatArray
    parent_max: SingleArray
    predicted: SingleArray
    relevance: SingleArray
    fetched: BoolArray

    def __init__(self) -> None:
        self._columns: dict[str, Column[Any]] = {
            "depth": Column(np.int32),
            "seed": Column(np.bool_),
        }
        self._clear()

    def _clear(self) -> None:
        self._columns |= {name: Column(dtype) for name, dtype in _LEARNED.items()}
        self._relevance_sum = 0.0
        self._pages = 0
        self._view()

    def _view(self) -> None:
        for name, column in self._columns.items():
            setattr(self, name, column.array)

    @property
    def n(self) -> int:
        """Number of ids."""
        return len(self.depth)

    @property
    def n_pages(self) -> int:
        """Number of fetched pages."""
        return self._pages

    @property
    def mean_relevance(self) -> float:
        """Mean relevance of the fetched pages; 0 before the first."""
        return self._relevance_sum / self._pages if self._pages else 0.0

    def grow(self, n: int, depths: npt.ArrayLike | None = None) -> None:
        """Make ids up to n - 1 known.

        Args:
            n: the new number of ids; a smaller one than before changes nothing.
            depths: (n - old n,) depths of the new ids >= 0; None: all 0.

        Raises:
            RankingInputError: depths of another length or negative.

        """
        old = self.n
        if n > old:
            new = np.zeros(n - old) if depths is None else as_values("depths", depths, n - old)
            self._columns["depth"].extend(new.astype(np.int32))
        for column in self._columns.values():
            column.resize(n)
        self._view()

    def add_seeds(self, ids: npt.ArrayLike) -> None:
        """Mark ids as seeds; raises RankingInputError for ids not below n."""
        self.seed[as_known_ids("seeds", ids, self.n)] = True

    def page(self, update: PageUpdate) -> None:
        """Learn from a fetched page; O(links).

        Links to itself are ignored; of repeated targets the largest prediction and weight count.
        Only relevance, targets, weights and predictions are read.

        Args:
            update: of a page that was not fetched before (see `forget`); its ids are below n.

        Raises:
            RankingInputError: ids or values out of range, lengths that differ, a page that
                was fetched before and not forgotten.

        """
        page = self._unfetched(update.page)
        relevance = as_fraction("relevance", update.relevance)
        ids = as_known_ids("targets", update.targets, self.n)
        predicted = as_fractions("predicted", update.predicted, ids.size)
        weights = update.weights
        weight = None if weights is None else as_values("weights", weights, ids.size)
        self._count(page, relevance)
        if not ids.size:
            return
        if weight is None:
            ids, (predicted,) = merged_links(page, ids, predicted)
            self._vouch(ids, predicted, None, relevance)
        else:
            ids, (predicted, weight) = merged_links(page, ids, predicted, weight)
            self._vouch(ids, predicted, weight > 0, relevance)

    def forget(
        self, page: int, targets: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> None:
        """Take back what a page added, before `page` is called for it again.

        Counts, sums and the mean are taken back. Maxima (parent_max, predicted) keep their
        high-water mark until the next `load`.

        Args:
            page: a fetched id.
            targets: (k,) its links on record, as `LinkGraph.links` returns them.
            weights: (k,) or None, likewise.

        Raises:
            RankingInputError: the page is not fetched, ids or values out of range.

        """
        page = as_page(page)
        if page >= self.n or not self.fetched[page]:
            raise RankingInputError(f"only a fetched page can be forgotten, {page} is not fetched")
        ids = as_known_ids("targets", targets, self.n)
        if weights is not None:
            ids = ids[as_values("weights", weights, ids.size) > 0]
        own = float(self.relevance[page])
        self.in_links[ids] -= 1
        self.parent_sum[ids] = np.maximum(self.parent_sum[ids] - own, 0)
        self.fetched[page] = False
        self.relevance[page] = 0
        self._relevance_sum = max(self._relevance_sum - own, 0.0)
        self._pages -= 1

    def load(self, log: GraphView, relevance: npt.ArrayLike, predicted: npt.ArrayLike) -> None:
        """Rebuild from the whole history; replaces all but depths and seeds.

        Equals `page` called for each row in order, where of a page with several rows only the
        last one counts.

        Args:
            log: a snapshot, or a raw history (a GraphView built by hand); ids below n.
            relevance: (m,) of the pages in the log, in [0, 1].
            predicted: (L,) of the links in the log, in [0, 1].

        Raises:
            RankingInputError: arrays that do not fit together, ids or values out of range.

        """
        predicted = as_fractions("predicted", predicted, len(log.targets))
        own = as_fractions("relevance", relevance, len(log.pages))
        view, living, (predicted,) = log.cleaned(predicted)
        as_known_ids("the log's ids", [view.n - 1] if view.n else [], self.n)
        n = self.n
        self._clear()
        self.grow(n)
        self._load_pages(view, own[living])
        self._load_links(view, own[living], predicted)

    def _unfetched(self, page: int) -> int:
        page = as_page(page)
        if page >= self.n:
            raise RankingInputError(f"page {page} is not below n={self.n}; call grow() first")
        if self.fetched[page]:
            raise RankingInputError(
                f"page {page} was fetched before; call forget() with its links on record first"
            )
        return page

    def _count(self, page: int, relevance: float) -> None:
        own = np.float32(relevance)
        self.relevance[page] = own
        self.fetched[page] = True
        self._relevance_sum += float(own)
        self._pages += 1

    def _vouch(
        self, ids: IntArray, predicted: SingleArray, followed: BoolArray | None, relevance: float
    ) -> None:
        self.predicted[ids] = np.maximum(self.predicted[ids], predicted)
        vouched, own = ids if followed is None else ids[followed], np.float32(relevance)
        self.in_links[vouched] += 1
        self.parent_sum[vouched] += own
        self.parent_max[vouched] = np.maximum(self.parent_max[vouched], own)

    def _load_pages(self, view: GraphView, own: SingleArray) -> None:
        self.relevance[view.pages] = own
        self.fetched[view.pages] = True
        self._pages = view.n_pages
        # A running sum: np.sum adds pairwise and would differ from `page` in the last bits.
        self._relevance_sum = float(np.cumsum(own, dtype=np.float64)[-1]) if own.size else 0.0

    def _load_links(self, view: GraphView, own: SingleArray, predicted: SingleArray) -> None:
        """Add the links of all pages, some pages at a time: temporary arrays would be large."""
        for first, indptr in view.portions():
            links = slice(int(indptr[0]), int(indptr[-1]))
            targets = view.targets[links]
            parents = np.repeat(own[first : first + len(indptr) - 1], np.diff(indptr))
            np.maximum.at(self.predicted, targets, predicted[links])
            if view.weights is not None:
                followed = view.weights[links] > 0
                targets, parents = targets[followed], parents[followed]
            np.add.at(self.in_links, targets, 1)
            np.add.at(self.parent_sum, targets, parents.astype(np.float64))
            np.maximum.at(self.parent_max, targets, parents)
