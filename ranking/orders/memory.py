"""Orders that remember something of every page, and the columns they keep of every URL.

What such an order remembers is a function of the page updates alone, in their order: never of the
evidence, which on resume holds pages that are told later, and never of a clock. So an order that
is given its saved state and the page updates since goes on as if it had never stopped, and so does
one without a saved state that is given all of them.

Columns that a single order needs belong to that order: a crawl does not pay for those of others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, Columns, FloatArray
from ranking.evidence import Evidence
from ranking.orders.base import PAGES_SEEN, Order, State
from ranking.page_update import MATCH_STEPS, PageUpdate
from ranking.priority import Ids


class MemoryOrder(Order):
    """An order with a state of its own, which page updates fill and no re-rank touches."""

    def page(self, update: PageUpdate, evidence: Evidence) -> None:
        self._note(without_itself(update), evidence)
        super().page(update, evidence)

    def state_arrays(self) -> State:
        return {PAGES_SEEN: np.array([self.pages_seen]), **self._state()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        try:
            self._restore(arrays)
            self.pages_seen = int(arrays[PAGES_SEEN][0])
        except KeyError as missing:
            raise self._foreign(arrays, missing) from None

    @abstractmethod
    def _note(self, update: PageUpdate, evidence: Evidence) -> None:
        """Remember a page; `pages_seen` does not count it yet. Links to itself are taken out.

        Of `evidence` only what was known when the first page was fetched may be read.
        """

    @abstractmethod
    def _state(self) -> State:
        """Copies of all that `_restore` needs."""

    @abstractmethod
    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `_state` gave; KeyError if something is not there."""


class ColumnOrder(MemoryOrder):
    """An order that keeps columns, one row an id."""

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._columns = Columns(self._new_columns())

    @abstractmethod
    def _new_columns(self) -> dict[str, Column[Any]]:
        """Empty columns by the name under which they are saved."""

    def grow(self, n: int) -> None:
        self._columns.grow(n)

    @property
    def by_id(self) -> frozenset[str]:
        return self._columns.names

    def _state(self) -> State:
        return self._columns.state()

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._columns.restore(arrays)


class BestLinkOrder(ColumnOrder):
    """Priority = the largest value that a link gives the URL, whatever the others are."""

    BEST = "best"

    def _new_columns(self) -> dict[str, Column[Any]]:
        return {self.BEST: Column(np.float32)}

    def _note(self, update: PageUpdate, evidence: Evidence) -> None:
        raise_to(self._columns[self.BEST], update, self._link_values(update))

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return np.asarray(self._columns[self.BEST][ids], np.float64)

    @abstractmethod
    def _link_values(self, update: PageUpdate) -> FloatArray:
        """(k,) in [0, 1], what each link of the page is worth."""


def raise_to(column: npt.NDArray[Any], update: PageUpdate, values: FloatArray) -> None:
    """Raise the rows of a page's targets to `values` (k,); a target may be named repeatedly."""
    np.maximum.at(column, update.targets, values.astype(column.dtype))


def vouched(update: PageUpdate, value: float) -> FloatArray:
    """(k,) `value` of the page for each followed link, 0 for nofollow: it vouches for none."""
    if update.weights is None:
        return np.full(len(update.targets), value)
    return np.where(update.weights > 0, value, 0.0)


def match(update: PageUpdate, column: int) -> FloatArray:
    """(k,) one of the matches, ANCHOR, CONTEXT or ADDRESS, in [0, 1]."""
    return np.asarray(update.matches[:, column] / np.float64(MATCH_STEPS), np.float64)


def without_itself(update: PageUpdate) -> PageUpdate:
    """The page update without links to the page itself; the same one where there are none."""
    others = update.targets != update.page
    if others.all():
        return update
    return update._replace(
        targets=update.targets[others],
        weights=None if update.weights is None else update.weights[others],
        promises=update.promises[others],
        matches=update.matches[others],
    )
