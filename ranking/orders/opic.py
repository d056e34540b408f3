"""OPIC, on-line page importance (Abiteboul, Preda, Cobena 2003): importance without a re-rank.

Every seed starts with cash 1. A fetched page moves its cash to its history and hands it on: a
share c to its out-links, the rest, or all where it has no link to follow, to the virtual page.
That page hands on at once what it gets, to the seeds, so no cash is ever lost. A page costs
O(out-links): what the virtual page owes is one running sum, and an id takes its part when its
cash is next touched.

On a graph whose pages keep their links the histories H follow, for cash C with total one a seed,

    (H + C) − Gᵀ(H + C) = C₀ − Gᵀ C

where G is the surfer's step of PageRank with damping c and restarts where the virtual page leads
(section 4 of the paper; an unfetched page has no history and its row does not matter). So
`estimate`, (H + C) / Σ (H + C), has an L1 residual of at most 2 Σ C / Σ (H + C), and with c < 1
an L1 error of at most that / (1 − c), whatever the order in which pages are fetched.

Invariant: the cash of all ids is the number of seeds, up to rounding.

As a crawl order: the URL that holds most cash. The virtual page leads to the seeds, which come
first anyway: pages without links hand their cash to URLs that are fetched already, and what orders
the frontier is what links handed to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import (
    Column,
    Columns,
    FloatArray,
    as_fraction,
    as_known_ids,
    as_page,
    distinct,
)
from ranking.errors import RankingInputError
from ranking.evidence import Evidence
from ranking.graph.links import page_links
from ranking.orders.base import PAGES_SEEN, Order, State
from ranking.page_update import PageUpdate
from ranking.priority import Ids


class Opic:
    """Cash and history of every id, growing with the crawl; the virtual page leads to the seeds.

    Args:
        n: number of ids.
        damping: c above, in [0, 1]; 1: only pages without links give to the virtual page.

    """

    def __init__(self, n: int = 0, damping: float = 1.0) -> None:
        self.damping = as_fraction("damping", damping)
        self._columns = Columns(
            {
                "cash": Column(np.float64),  # as of the last time an id took its part
                "history": Column(np.float64),
                "taken": Column(np.float64),  # `_given` at that time
                "seeds": Column(np.bool_),
            }
        )
        self._given = 0.0  # what the virtual page has handed to each id it leads to, in all
        self._seed_count = 0
        self.grow(n)

    @property
    def n(self) -> int:
        """Number of ids."""
        return len(self._columns["cash"])

    @property
    def cash(self) -> FloatArray:
        """(n,) float64 >= 0, what each id holds; a copy, O(n)."""
        owed = np.where(self._columns["seeds"], self._given - self._columns["taken"], 0)
        return np.asarray(self._columns["cash"] + owed, np.float64)

    @property
    def history(self) -> FloatArray:
        """(n,) float64 >= 0, the cash each page has handed on; a view, valid until `grow`."""
        return self._columns["history"]

    @property
    def error(self) -> float:
        """L1 bound on the residual of `estimate` under the equation above; 2 before any fetch."""
        total = self._seed_count + float(self.history.sum())
        return 2 * self._seed_count / total if total else 2.0

    def cash_of(self, ids: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """(k,) cash of ids (k,) below n; O(k)."""
        owed = np.where(self._columns["seeds"][ids], self._given - self._columns["taken"][ids], 0)
        return np.asarray(self._columns["cash"][ids] + owed, np.float64)

    def estimate(self) -> FloatArray:
        """(n,) importance between two re-ranks, (H + C) / Σ (H + C), sum 1; O(n).

        Uniform before there is any seed.
        """
        known = self.history + self.cash
        total = known.sum()
        if not total:
            return np.full(self.n, 1 / self.n) if self.n else known
        return np.asarray(known / total, np.float64)

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known, with no cash."""
        self._columns.grow(n)

    def seed(self, ids: npt.ArrayLike) -> None:
        """Give every new seed cash 1; ids that are seeds already get no more.

        Raises RankingInputError for ids not below n.
        """
        seeds = distinct(as_known_ids("seeds", ids, self.n))
        new = seeds[~self._columns["seeds"][seeds]]
        self._settle(new)
        self._columns["seeds"][new] = True
        self._columns["taken"][new] = self._given
        self._columns["cash"][new] += 1
        self._seed_count += len(new)

    def fetch(
        self, page: int, targets: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> None:
        """Hand the cash of a page on, to its links in proportion to their weights.

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
        held = self._take(page)
        self._columns["history"][page] += held
        total = float(ids.size if weight is None else weight.sum(dtype=np.float64))
        if total == 0:
            self._give(held)
            return
        handed = self.damping * held
        # In double precision: single weights times a Python number would stay single.
        each = np.float64(handed / total)
        self._columns["cash"][ids] += each if weight is None else weight * each
        if self.damping < 1:
            self._give(held - handed)

    def state(self) -> State:
        """What `restore` needs: copies."""
        return {**self._columns.state(), "given": np.array([self._given])}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        given = float(arrays["given"][0])
        self._columns.restore(arrays)
        self._seed_count, self._given = int(arrays["seeds"].sum()), given

    def _settle(self, ids: npt.NDArray[np.integer[Any]]) -> None:
        self._columns["cash"][ids] = self.cash_of(ids)
        self._columns["taken"][ids] = self._given

    def _take(self, page: int) -> float:
        """Empty a page, of what the virtual page owes it too."""
        held = float(self._columns["cash"][page])
        if self._columns["seeds"][page]:
            held += self._given - float(self._columns["taken"][page])
        self._columns["cash"][page] = 0.0
        self._columns["taken"][page] = self._given
        return held

    def _give(self, cash: float) -> None:
        # Without seeds there is no cash to give.
        if cash:
            self._given += cash / self._seed_count


class OpicOrder(Order):
    """Importance without re-ranks. A crawl stored without a state is replayed page by page."""

    name = "opic"
    summary = "The URL that has been handed most cash by the pages that link to it."
    source = "Abiteboul, Preda, Cobena 2003, Adaptive on-line page importance computation"
    formula = "cash(v); fetching u: cash(v) += cash(u) / |Out(u)|, cash(u) = 0"
    when = (
        "Without a topic, on crawls so large that no re-rank is wanted: importance at the cost of "
        "one addition a link. Near the seeds it is about as good as `ppr`."
    )

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._opic = Opic()

    @property
    def scores(self) -> dict[str, FloatArray]:
        return {"score": self._opic.cash, "importance": self._opic.estimate()}

    def score(self, page: int) -> float:
        # Not by `scores`, which settles the accounts of all ids.
        return float(self._opic.cash_of(np.array([page]))[0])

    def grow(self, n: int) -> None:
        self._opic.grow(n)

    def page(self, update: PageUpdate, evidence: Evidence) -> None:
        # A seed's cash is of no use before it is fetched: until then seeds come first anyway.
        if evidence.seed[update.page]:
            self._opic.seed([update.page])
        self._opic.fetch(update.page, update.targets, update.weights)
        self.pages_seen += 1

    def state_arrays(self) -> State:
        return {PAGES_SEEN: np.array([self.pages_seen]), **self._opic.state()}

    @property
    def by_id(self) -> frozenset[str]:
        return frozenset({"cash", "history", "taken", "seeds"})

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        try:
            self._opic.restore(arrays)
            self.pages_seen = int(arrays[PAGES_SEEN][0])
        except KeyError as missing:
            raise self._foreign(arrays, missing) from None

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return self._opic.cash_of(ids)
